/// What stands around the data of event records (feedutils(7)). A stream of records mostly repeats one name, so the
/// beginning of the last record is kept, as is what all of them have at their end.
package struct RecordFrame: Sendable {
  private let hasTime: Bool
  /// What follows the data and the time.
  private let end: [UInt8]
  private var event: [UInt8] = []
  /// A record with that name, up to the end of the name.
  private var start: [UInt8] = []
  /// The second of the last record, and its text up to the point.
  private var second: Int64 = 0
  private var date: [UInt8] = []

  private static let id = Array(",\"id\":".utf8)
  private static let data = Array(",\"data\":".utf8)
  private static let time = Array(",\"time\":".utf8)
  /// The longest data and ID that are copied with the rest of the record.
  private static let longest = 1024

  package init(_ stamp: RecordStamp) {
    hasTime = stamp.hasTime
    var end = ByteWriter()
    end.appendSource(stamp.source)
    end.append("}")
    self.end = end.take()
  }

  /// Writes the beginning of a record, up to and including the colon after `"data"`.
  /// - Parameters:
  ///   - event: valid UTF-8.
  ///   - id: valid UTF-8; left out when empty.
  package mutating func begin(event: [UInt8], id: [UInt8], in output: inout ByteWriter) {
    keep(event)
    output.append(start)
    if !id.isEmpty {
      output.append(Self.id)
      JSONString.write(id, to: &output)
    }
    output.append(Self.data)
  }

  /// Writes the end of a record.
  package func end(in output: inout ByteWriter) {
    if hasTime { output.appendTime() }
    output.append(end)
    output.endLine()
  }

  /// Writes a record with data that is JSON already.
  package mutating func write(
    event: [UInt8], id: [UInt8], json: borrowing Span<UInt8>, to output: inout ByteWriter
  ) {
    guard json.count + id.count <= Self.longest, JSONString.isPlain(id.span) else {
      begin(event: event, id: id, in: &output)
      output.append(json)
      return end(in: &output)
    }
    keep(event)
    let microsecond = hasTime ? keepDate() : 0
    // One copy of a small record is faster than many.
    let around = start.count + Self.id.count + Self.data.count + Self.time.count + CivilTime.textSize + end.count + 5
    output.append(upTo: json.count + id.count + around) { room in
      room.append(span: start.span)
      if !id.isEmpty {
        room.append(span: Self.id.span)
        room.append(quoted: id.span)
      }
      room.append(span: Self.data.span)
      room.append(span: json)
      if hasTime {
        room.append(span: Self.time.span)
        room.append(span: date.span)
        room.append(microsecond: microsecond)
        room.append(UInt8(ascii: "\""))
      }
      room.append(span: end.span)
    }
    output.endLine()
  }

  /// Makes `date` that of this second.
  /// - Returns: the microsecond in it.
  private mutating func keepDate() -> Int {
    let (second, microsecond) = Clock.now().quotientAndRemainder(dividingBy: 1_000_000)
    if second != self.second {
      self.second = second
      date = [UInt8(ascii: "\"")] + CivilTime(microseconds: second * 1_000_000).text.dropLast(CivilTime.fractionSize)
    }
    return Int(microsecond)
  }

  private mutating func keep(_ event: [UInt8]) {
    if event == self.event, !start.isEmpty { return }
    var start = ByteWriter()
    start.append("{\"event\":")
    JSONString.write(event, to: &start)
    (self.event, self.start) = (event, start.take())
  }
}
