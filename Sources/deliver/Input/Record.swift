import FeedCore

/// One record of the input.
struct Record {
  /// As received, without the line end.
  let line: [UInt8]
  /// With `--raw`, its data.
  let data: [UInt8]?
  /// Empty if it has none.
  let id: [UInt8]
  /// Tells records with the same id apart, as JSON text; empty if the source does not send it. paginate adds it to an
  /// item that it prints again.
  let seq: [UInt8]
  /// The number of its line in the input, from 1.
  let number: Int

  /// The text for COMMAND, without the line end.
  var text: [UInt8] { data ?? line }
}

extension Record {
  /// Parses a line as an event record.
  /// - Returns: nil for a note, and for an empty line.
  init?(parsing line: [UInt8], number: Int, isRaw: Bool) throws(FormatError) {
    if line.allSatisfy(\.isWhiteSpace) { return nil }
    let value: JSONValue
    do { value = try JSONDocument(parsing: line, maxDepth: .max).root } catch {
      let hint = InputGuess.hint(for: error, in: line)
      let remedy = hint.isEmpty ? Self.remedy(number) : hint
      throw FormatError("not an event record: " + error.message + remedy, at: error.offset)
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

  /// Advice if the first line is not a record: the program before deliver may need another option.
  private static func remedy(_ number: Int) -> String {
    number == 1 ? " (paginate and http-cat need --records, jq needs -c)" : ""
  }

  /// The name of this member in records and in the checkpoint.
  static let seqMember = "seq"
  private static let seqName = MemberName(seqMember)
}

/// Divides input that comes in pieces into lines. Each byte is examined once.
struct LineReader {
  /// The bytes that have come, from the last few lines on.
  private(set) var buffer: [UInt8] = []
  /// The start of the next line in the buffer, and how far the search for its end got.
  private var start = 0
  private var searched = 0
  /// The number of the line, from 1.
  private(set) var number = 1

  /// Reads more bytes.
  /// - Returns: false at the end of the input.
  mutating func read(from descriptor: Descriptor) throws(SystemError) -> Bool {
    if start > 0, start >= buffer.count / 2 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    return try descriptor.read(upTo: ByteReader.chunkSize, into: &buffer) > 0
  }

  /// The number of bytes of an unfinished line.
  var pendingCount: Int { buffer.count - start }

  /// The place in the buffer of the next line without its end, LF; nil if no line is complete.
  mutating func next() -> Range<Int>? {
    guard let end = firstIndex(of: UInt8(ascii: "\n"), in: buffer.span, searched..<buffer.count) else {
      searched = buffer.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
      number += 1
    }
    return start..<end
  }

  /// The bytes after the last line end.
  mutating func rest() -> [UInt8] {
    defer {
      start = buffer.count
      searched = start
    }
    return Array(buffer[start...])
  }
}
