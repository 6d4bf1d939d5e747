import FeedCore

/// Splits chunks, cut anywhere, into lines. A line within one chunk is not copied.
struct LineSplitter {
  struct TooLong: Error {}

  /// The place of a line: a range of the chunk, or `held` if it began in an earlier chunk. Neither includes the line
  /// end.
  enum Line: Equatable {
    case chunk(Range<Int>)
    case held
  }

  private let maxSize: Int
  /// The beginning of an unfinished line, or the line that `next` returned as `held`.
  private(set) var held: [UInt8] = []
  private var isTaken = false

  init(maxSize: Int) { self.maxSize = maxSize }

  /// The next complete line that is not blank. Lines end in LF or CR LF.
  /// - Parameter index: where to continue in the chunk.
  /// - Returns: nil if the chunk is used up.
  mutating func next(_ chunk: borrowing Span<UInt8>, from index: inout Int) throws(TooLong) -> Line? {
    if isTaken { drop() }
    while index < chunk.count {
      let start = index
      let end = firstIndex(of: UInt8(ascii: "\n"), in: chunk, start..<chunk.count)
      let count = (end ?? chunk.count) - start
      if held.count + count > maxSize { throw TooLong() }
      index = end.map { $0 + 1 } ?? chunk.count
      guard let end else {
        held.append(span: chunk.extracting(start..<chunk.count))
        return nil
      }
      if held.isEmpty {
        // RS begins each document of a JSON text sequence (RFC 7464).
        let first = start < end && chunk[start].isRecordSeparator ? start + 1 : start
        let range = first..<(end > first && chunk[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
        if !Self.isBlank(chunk, range) { return .chunk(range) }
      } else {
        held.append(span: chunk.extracting(start..<end))
        if let line = takeHeld() { return line }
      }
    }
    return nil
  }

  /// The rest of the input as a line, if it is one without a line end.
  mutating func last() -> Line? {
    if isTaken { drop() }
    return held.isEmpty ? nil : takeHeld()
  }

  /// Drops an unfinished line whose rest will not come.
  /// - Returns: how many bytes it had.
  @discardableResult
  mutating func drop() -> Int {
    defer { held.removeAll(keepingCapacity: held.count < 1 << 16) }
    let count = isTaken || held.allSatisfy { $0.isWhiteSpace || $0.isRecordSeparator } ? 0 : held.count
    isTaken = false
    return count
  }

  private mutating func takeHeld() -> Line? {
    if held.last == UInt8(ascii: "\r") { held.removeLast() }
    if held.first?.isRecordSeparator == true { held.removeFirst() }
    isTaken = true
    if !Self.isBlank(held.span, 0..<held.count) { return .held }
    drop()
    return nil
  }

  private static func isBlank(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    for index in range where !bytes[index].isWhiteSpace { return false }
    return true
  }
}
