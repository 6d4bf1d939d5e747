// One record of the input, and several in a row: a batch.

import FeedCore

struct Record {
  /// As it came, without the line end.
  let line: [UInt8]
  /// With `--raw`, its data.
  let data: [UInt8]?
  /// Empty where it has none.
  let id: [UInt8]
  /// Which of the records with this id it is, as JSON text; empty where its source does not say. paginate says it of an
  /// item that is printed again.
  let seq: [UInt8]
  /// Which line of the input it is, from 1.
  let number: Int

  /// What COMMAND is given, less the line end.
  var text: [UInt8] { data ?? line }

  /// A line that is taken as it is.
  init(line: [UInt8], number: Int) {
    self.line = line
    self.number = number
    data = nil
    id = []
    seq = []
  }

  /// A line that is an event record.
  /// - Returns: nil for a note, and for a line with nothing in it.
  init?(parsing line: [UInt8], number: Int, isRaw: Bool) throws(FormatError) {
    if line.allSatisfy(\.isWhiteSpace) { return nil }
    let value: JSONValue
    do { value = try JSONDocument(parsing: line, maxDepth: .max).root } catch {
      throw FormatError("not an event record: " + error.message + Self.remedy(number), at: error.offset)
    }
    guard let record = try EventRecord(value) else {
      if EventRecord.isNote(value) { return nil }
      throw FormatError("not an event record: no member 'event'" + Self.remedy(number), at: value)
    }
    if isRaw {
      guard let data = record.data else { throw FormatError("no member 'data' (--raw)", at: value) }
      self.data = data.string ?? data.text
    } else {
      data = nil
    }
    self.line = line
    self.number = number
    id = record.id
    seq = value.member(Self.seqName)?.text ?? []
  }

  /// Where the first line is none, the program in front may have to be told.
  private static func remedy(_ number: Int) -> String {
    number == 1 ? " (paginate and http-cat need --records, jq needs -c)" : ""
  }

  /// The member, in records and in the checkpoint.
  static let seqMember = "seq"
  private static let seqName = Array(seqMember.utf8)
}

struct Batch {
  private(set) var records: [Record] = []
  /// What COMMAND is given, and where in it each record ends.
  private(set) var text: [UInt8] = []
  private var ends: [Int] = []
  /// The id of the record after the last one, where that has been read already.
  var nextID: [UInt8]?

  var isEmpty: Bool { records.isEmpty }
  var count: Int { records.count }

  mutating func append(_ record: Record) {
    records.append(record)
    text += record.text
    text.append(UInt8(ascii: "\n"))
    ends.append(text.count)
    nextID = nil
  }

  /// Where in `text` some of the records are.
  func bytes(of range: Range<Int>) -> Range<Int> {
    (range.lowerBound > 0 ? ends[range.lowerBound - 1] : 0)..<(range.isEmpty ? 0 : ends[range.upperBound - 1])
  }

  /// The record that a checkpoint may name when the first `count` records are done with: after its id a source sends the
  /// others. Of records with one id the source sends none or all that follow, so all of them must be done with.
  /// - Returns: nil where none of them has such an id.
  func lastSafe(after count: Int) -> Record? {
    var index = count - 1
    var next = records[count...].first { !$0.id.isEmpty }?.id ?? nextID
    while index >= 0 {
      let id = records[index].id
      if !id.isEmpty {
        if id != next { return records[index] }
        next = id
      }
      index -= 1
    }
    return nil
  }
}
