/// Reads a line as an event record, for a tool that passes the line on and needs only its ID. It checks the JSON, copies
/// nothing and makes no document. It leaves unusual lines to `EventRecord`.
package enum RecordGlance {
  /// Where parts of a record are.
  package struct Parts: Equatable, Sendable {
    /// The contents of the string; empty if there is none.
    package let id: Range<Int>
    /// If it is needed: the contents of a string, or the text of a container.
    package let data: Range<Int>?
  }

  /// The parts of a record.
  /// - Parameters:
  ///   - bytes: the line, and perhaps an LF and more. With more the scan is faster.
  ///   - isRaw: whether the data is needed.
  /// - Returns: nil if the line is no record, or may be none; also if it has a member `seq`, or escapes in what is needed.
  package static func record(in bytes: borrowing Span<UInt8>, _ line: Range<Int>, isRaw: Bool) -> Parts? {
    guard !line.isEmpty, bytes[line.lowerBound] == UInt8(ascii: "{") else { return nil }
    let first = line.lowerBound
    let text = bytes.extracting(first...)
    var scanner = JSONScanner(maxDepth: .max)
    // A document that goes on after the end of the line is no record.
    guard (try? scanner.scan(text, isLast: false)) ?? false, scanner.offset <= line.count else { return nil }
    for place in scanner.offset..<line.count where !text[place].isWhiteSpace { return nil }

    let words = scanner.tape
    let tape = words.span
    var id = first..<first
    var data: Range<Int>?
    var hasEvent = false
    var key = 2
    while key < tape.count - 1 {
      guard TapeWord.kind(tape[key]) == .string else { return nil }
      let name = Self.names.index(ofPlain: TapeWord.offset(tape[key]) + 1, text)
      let kind = TapeWord.kind(tape[key + 1])
      let start = first + TapeWord.offset(tape[key + 1])
      key = TapeWord.next(tape, key + 1)
      switch name {
      case 0:
        guard kind.isString else { return nil }
        hasEvent = true
      case 1:
        guard kind == .string, let contents = contents(bytes, start) else { return nil }
        id = contents
      case 2 where isRaw:
        guard kind == .string || kind.isContainer else { return nil }
        data = kind == .string ? contents(bytes, start) : start..<(first + TapeWord.offset(tape[key - 1]) + 1)
      case 3: return nil
      default: break
      }
    }
    return hasEvent && (data != nil || !isRaw) ? Parts(id: id, data: data) : nil
  }

  /// The contents of a string without escapes.
  private static func contents(_ bytes: borrowing Span<UInt8>, _ start: Int) -> Range<Int>? {
    firstIndex(of: UInt8(ascii: "\""), in: bytes, (start + 1)..<bytes.count).map { (start + 1)..<$0 }
  }

  private static let names = ShortNames("event", "id", "data", "seq")
}
