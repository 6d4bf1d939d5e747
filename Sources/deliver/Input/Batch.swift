/// Consecutive records. Their parts stand one after another in a few texts, because a batch may have a million records.
struct Batch {
  /// Where a record ends in each of the texts.
  private struct RecordEnds {
    var text = 0
    var line = 0
    var id = 0
    var seq = 0
    var number = 0
  }

  /// The text for COMMAND, with a line end after each record.
  private(set) var text: [UInt8] = []
  /// The lines as received, of records that give COMMAND only their data.
  private var lines: [UInt8] = []
  /// Of each record its id, and then its seq.
  private var names: [UInt8] = []
  private var ends: [RecordEnds] = []
  /// The id of the record after the last one, if that has been read already.
  var nextID: [UInt8]?

  var isEmpty: Bool { ends.isEmpty }
  var count: Int { ends.count }

  mutating func append(_ record: Record) {
    append(record.line.span, data: record.data, id: record.id.span, seq: record.seq.span, number: record.number)
  }

  /// Adds a record.
  /// - Parameters:
  ///   - line: as received, without the line end.
  ///   - data: the text for COMMAND, if that is not the line.
  mutating func append(
    _ line: borrowing Span<UInt8>, data: [UInt8]? = nil, id: borrowing Span<UInt8> = Span(),
    seq: borrowing Span<UInt8> = Span(), number: Int
  ) {
    if let data {
      text += data
      lines.append(span: line)
    } else {
      text.append(span: line)
    }
    text.append(UInt8(ascii: "\n"))
    if !id.isEmpty { names.append(span: id) }
    let idEnd = names.count
    if !seq.isEmpty { names.append(span: seq) }
    ends.append(RecordEnds(text: text.count, line: lines.count, id: idEnd, seq: names.count, number: number))
    nextID = nil
  }

  /// Removes the last record.
  mutating func removeLast() -> Record {
    let record = self[count - 1]
    ends.removeLast()
    let end = self.end(before: count)
    text.removeLast(text.count - end.text)
    lines.removeLast(lines.count - end.line)
    names.removeLast(names.count - end.seq)
    return record
  }

  /// Removes all records, and keeps their memory.
  mutating func removeAll() {
    text.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    nextID = nil
  }

  /// A copy of a record.
  subscript(index: Int) -> Record {
    let (start, end) = (self.end(before: index), ends[index])
    let text = Array(self.text[start.text..<(end.text - 1)])
    let line = Array(lines[start.line..<end.line])
    return Record(
      line: line.isEmpty ? text : line, data: line.isEmpty ? nil : text, id: id(of: index),
      seq: Array(names[end.id..<end.seq]), number: end.number)
  }

  func id(of index: Int) -> [UInt8] { Array(names[idRange(index)]) }

  private func idRange(_ index: Int) -> Range<Int> { end(before: index).seq..<ends[index].id }

  private func end(before index: Int) -> RecordEnds { index > 0 ? ends[index - 1] : RecordEnds() }

  /// The number of the line of the first record without an id, among the first `count`.
  func firstWithoutID(before count: Int) -> Int? {
    (0..<count).first { idRange($0).isEmpty }.map { ends[$0].number }
  }

  /// The range in `text` of some of the records.
  func bytes(of range: Range<Int>) -> Range<Int> {
    end(before: range.lowerBound).text..<end(before: range.upperBound).text
  }

  /// The record to save in a checkpoint after the first `count` records: with its id, a source sends the records after
  /// it. Of records with the same id, the source sends all or none, so all of them must be finished.
  /// - Returns: nil if none of them has such an id.
  func lastSafe(after count: Int) -> Record? {
    var index = count - 1
    var next = (count..<self.count).lazy.map(id).first { !$0.isEmpty } ?? nextID
    while index >= 0 {
      let id = id(of: index)
      if !id.isEmpty {
        if id != next { return self[index] }
        next = id
      }
      index -= 1
    }
    return nil
  }
}
