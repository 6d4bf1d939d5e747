// Server-sent events: the parser of `text/event-stream` (WHATWG HTML §9.2.5 and §9.2.6), to the letter.
//
// It takes chunks, cut anywhere, and returns the items that they complete. All state between two bytes is in the
// struct. A value goes from the chunk straight into its buffer, even before its line ends. So a line of 64 MiB is held
// once. Data that is one line in one chunk, as most is, is not copied. Lines, names and the space after the colon are
// found in the raw bytes: all of them are ASCII, which is never part of a longer UTF-8 sequence, valid or not. So a value
// is checked as UTF-8 only when it is complete.

/// Turns chunks of an event stream into events.
///
///     while let item = try parser.next(chunk.span, from: &index) { … }
package struct EventStreamParser: Sendable {
  /// What the last line completed.
  package enum Item: Equatable, Sendable {
    /// An event: `type`, `data` and `lastEventID` hold it.
    case event
    /// A comment: `comment` holds it. Only with `keepsComments`.
    case comment
    /// A new reconnection time in milliseconds; one too big for Int is `Int.max`.
    case retry(Int)
  }

  /// A value grew past `maxEventSize`.
  package struct TooLarge: Error, Equatable, Sendable {}

  private enum EventField { case undecided, data, event, id, retry, comment, unknown }

  /// The limit, in bytes, for the data and for the value being read, together.
  package let maxEventSize: Int
  /// Whether comments are items; otherwise they are skipped.
  package let keepsComments: Bool

  /// Where the data of the event that `next` returned is in its chunk, valid UTF-8; nil if only `data` has it.
  package private(set) var dataLine: Range<Int>?
  /// The ID to reconnect with: that of the last block that a blank line ended, whether or not it made an event.
  package private(set) var lastEventID: [UInt8] = []

  /// The data so far, without `dataLine`.
  private var data: [UInt8] = []
  private var typeBuffer: [UInt8] = []
  private var idBuffer: [UInt8] = []
  /// The value of a line that is neither data nor unknown. Until the next call, it is the last comment.
  private var value: [UInt8] = []
  /// The first bytes of a line whose chunk ended before its field was known.
  private var head: [UInt8] = []
  private var field = EventField.undecided
  private var hasKnownLine = false
  private var hasUnknownLine = false
  private var hasData = false
  private var hasID = false
  private var isDispatched = false
  private var isAfterCR = false
  /// How many bytes of a byte order mark have been seen; nil once there can be none.
  private var byteOrderMark: Int? = 0

  package init(maxEventSize: Int = .max, keepsComments: Bool = false, lastEventID: [UInt8] = []) {
    (self.maxEventSize, self.keepsComments, self.lastEventID) = (maxEventSize, keepsComments, lastEventID)
  }

  /// The type of the event that `next` returned, valid UTF-8; valid until the next call of `next`.
  package var type: [UInt8] { typeBuffer.isEmpty ? Self.message : typeBuffer }
  /// The data of the event that `next` returned from this chunk, valid UTF-8; valid until the next call of `next`.
  package func data(in chunk: borrowing Span<UInt8>) -> [UInt8] { dataLine.map { array(chunk, $0) } ?? data }
  /// The comment that `next` returned, without the colon and one space; valid until the next call of `next`.
  package var comment: [UInt8] { value }

  /// Reads `chunk` from `index` to the end of the next item.
  /// - Returns: nil if the chunk is used up; `index` is then at its end.
  package mutating func next(_ chunk: borrowing Span<UInt8>, from index: inout Int) throws(TooLarge) -> Item? {
    if isDispatched { forgetEvent() }
    while index < chunk.count {
      if isAfterCR {
        isAfterCR = false
        if chunk[index] == UInt8(ascii: "\n") {
          index += 1
          continue
        }
      }
      if byteOrderMark != nil {
        try skipByteOrderMark(chunk, &index)
        continue
      }
      let start = index
      let end = lineEnd(chunk, from: start)
      let isEnded = end < chunk.count
      index = isEnded ? end + 1 : end
      isAfterCR = isEnded && chunk[end] == UInt8(ascii: "\r")
      if isEnded, field == .undecided, head.isEmpty {
        try take(chunk, try begin(chunk, start..<end), isWhole: true)
      } else {
        try read(chunk, start..<end, isEnded: isEnded)
      }
      if isEnded, let item = endLine(chunk) { return item }
    }
    collectLine(chunk)
    return nil
  }

  /// Whether there was input, and no line of it belongs in an event stream. Ask at the end: an unfinished line counts,
  /// unless it could still become a line that belongs.
  package var isForeign: Bool {
    if hasKnownLine { return false }
    let names = ["data", "event", "id", "retry"].map { Array($0.utf8) }
    let mayBelong =
      head.isEmpty || head[0].isBlank || head[0] == UInt8(ascii: ":")
      || names.contains { $0.starts(with: head) || head.starts(with: $0) }
    return hasUnknownLine || !mayBelong
  }

  /// Whether the last event is incomplete: it has data, or a field of it has begun, and no blank line has ended it. Ask
  /// at the end, where the standard drops such an event (§9.2.6).
  package var isInsideEvent: Bool {
    if hasData || !typeBuffer.isEmpty, !isDispatched { return true }
    if head.isEmpty { return field != .undecided && field != .unknown && field != .comment }
    return !head[0].isBlank && head[0] != UInt8(ascii: ":")
  }

  /// Starts a new stream, as after a reconnection: only the last event ID is kept.
  package mutating func restart() {
    self = EventStreamParser(maxEventSize: maxEventSize, keepsComments: keepsComments, lastEventID: lastEventID)
  }

  private static let message = Array("message".utf8)
  private static let byteOrderMarkBytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  private mutating func forgetEvent() {
    isDispatched = false
    hasData = false
    dataLine = nil
    // One huge event must not keep its memory for ever.
    if !data.isEmpty { data.removeAll(keepingCapacity: data.count <= 1 << 20) }
    if !typeBuffer.isEmpty { typeBuffer.removeAll(keepingCapacity: true) }
  }

  /// Copies the data that is still in the chunk.
  private mutating func collectLine(_ chunk: borrowing Span<UInt8>) {
    guard let place = dataLine else { return }
    data.append(span: chunk.extracting(place))
    dataLine = nil
  }

  private mutating func skipByteOrderMark(_ chunk: borrowing Span<UInt8>, _ index: inout Int) throws(TooLarge) {
    let seen = byteOrderMark ?? 0
    if chunk[index] == Self.byteOrderMarkBytes[seen] {
      index += 1
      byteOrderMark = seen < 2 ? seen + 1 : nil
    } else {
      byteOrderMark = nil
      // It was no byte order mark: the bytes held back begin the first line.
      try read(Self.byteOrderMarkBytes.span, 0..<seen, isEnded: false)
    }
  }
}

// MARK: Lines

extension EventStreamParser {
  /// The longest name with its colon and space, and one byte: enough to know which field a line has.
  private static let headSize = 8

  /// Reads a piece of a line that another chunk began or goes on with.
  private mutating func read(_ chunk: borrowing Span<UInt8>, _ piece: Range<Int>, isEnded: Bool) throws(TooLarge) {
    var rest = piece
    if field == .undecided {
      if head.isEmpty && piece.count >= Self.headSize {
        rest = try begin(chunk, piece)
      } else {
        let taken = min(piece.count, Self.headSize - head.count)
        head.append(span: chunk.extracting(piece.lowerBound..<(piece.lowerBound + taken)))
        guard isEnded || head.count == Self.headSize else { return }
        let start = head
        head.removeAll()
        try take(start.span, try begin(start.span, 0..<start.count), isWhole: false)
        rest = (piece.lowerBound + taken)..<piece.upperBound
      }
    }
    try take(chunk, rest, isWhole: false)
  }

  /// Finds the field of a line (§9.2.6: the field is up to the first colon; the value follows the colon and one space).
  /// - Returns: the part of the line that belongs to the value.
  private mutating func begin(_ line: borrowing Span<UInt8>, _ range: Range<Int>) throws(TooLarge) -> Range<Int> {
    guard !range.isEmpty else { return range }
    let (named, length) = Self.field(Self.firstWord(line, range))
    var start = range.lowerBound + length
    guard start == range.upperBound || line[start] == UInt8(ascii: ":") else {
      takeUnknown(line[range.lowerBound])
      field = .unknown
      return range.upperBound..<range.upperBound
    }
    field = named
    if named == .unknown { takeUnknown(line[range.lowerBound]) } else { hasKnownLine = true }
    if named == .unknown || (named == .comment && !keepsComments) {
      field = .unknown
      return range.upperBound..<range.upperBound
    }
    if named == .data {
      // The standard adds LF after each line and removes the last one.
      if hasData {
        collectLine(line)
        try makeRoom(for: 1)
        data.append(UInt8(ascii: "\n"))
      }
      hasData = true
    }
    if !value.isEmpty { value.removeAll(keepingCapacity: true) }
    if start < range.upperBound { start += 1 }
    if start < range.upperBound, line[start] == UInt8(ascii: " ") { start += 1 }
    return start..<range.upperBound
  }

  /// A line with no known field. A line of white space does not count as foreign.
  private mutating func takeUnknown(_ first: UInt8) {
    if !first.isBlank { hasUnknownLine = true }
  }

  /// The field with which a line begins, from its first eight bytes, and the length of its name.
  @inline(__always)
  private static func field(_ word: UInt64) -> (EventField, length: Int) {
    // The names as little-endian numbers.
    if word & 0xFFFF_FFFF == 0x6174_6164 { return (.data, 4) }
    if word & 0xFF == 0x3A { return (.comment, 0) }
    if word & 0xFFFF == 0x6469 { return (.id, 2) }
    if word & 0xFF_FFFF_FFFF == 0x74_6E65_7665 { return (.event, 5) }
    if word & 0xFF_FFFF_FFFF == 0x79_7274_6572 { return (.retry, 5) }
    return (.unknown, 0)
  }

  /// Up to eight bytes from the start of a line, the first in the low byte; zeros fill up after its end.
  @inline(__always)
  private static func firstWord(_ line: borrowing Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    let count = range.count
    if range.lowerBound + 8 <= line.count {
      let word = loadWord(line, at: range.lowerBound)
      return count >= 8 ? word : word & (1 << UInt64(count * 8) - 1)
    }
    var word: UInt64 = 0
    for index in range { word |= UInt64(line[index]) << UInt64((index - range.lowerBound) * 8) }
    return word
  }

  /// Appends a piece of the value.
  /// - Parameter isWhole: whether it is all of the value.
  private mutating func take(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, isWhole: Bool) throws(TooLarge) {
    switch field {
    case .undecided, .unknown: return
    case .data:
      try makeRoom(for: range.count)
      if isWhole, data.isEmpty {
        dataLine = range
        return
      }
      data.append(span: bytes.extracting(range))
    case .event, .id, .retry, .comment:
      try makeRoom(for: value.count + range.count)
      value.append(span: bytes.extracting(range))
    }
  }

  private func makeRoom(for count: Int) throws(TooLarge) {
    if count > maxEventSize - data.count - (dataLine?.count ?? 0) { throw TooLarge() }
  }

  /// Acts on a complete line.
  private mutating func endLine(_ chunk: borrowing Span<UInt8>) -> Item? {
    let field = self.field
    self.field = .undecided
    switch field {
    case .undecided: return dispatch(chunk)
    case .data, .unknown: return nil
    case .event:
      value.repairUTF8()
      swap(&typeBuffer, &value)
    case .id:
      guard !value.contains(0) else { return nil }
      value.repairUTF8()
      swap(&idBuffer, &value)
      hasID = true
    case .comment:
      value.repairUTF8()
      return .comment
    case .retry: return reconnectionTime.map(Item.retry)
    }
    return nil
  }

  private var reconnectionTime: Int? {
    guard !value.isEmpty, value.allSatisfy(\.isDigit) else { return nil }
    return Int(decimal: value) ?? .max
  }

  /// Ends a block at a blank line: it is an event if it had data.
  private mutating func dispatch(_ chunk: borrowing Span<UInt8>) -> Item? {
    if hasID {
      swap(&lastEventID, &idBuffer)
      hasID = false
    }
    guard hasData else {
      if !typeBuffer.isEmpty { typeBuffer.removeAll(keepingCapacity: true) }
      return nil
    }
    if dataLine.map({ UTF8Check.firstInvalid(chunk.extracting($0)) != nil }) ?? true {
      collectLine(chunk)
      data.repairUTF8()
    }
    isDispatched = true
    return .event
  }
}

/// The index of the first CR or LF from `start`; the end of `bytes` if there is none.
private func lineEnd(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int {
  var index = start
  // Most lines are short: a search word by word is done before a call of memchr(3) would have begun.
  let near = min(bytes.count &- 7, start &+ 64)
  while index < near {
    // Both are control characters below 0x10; others of them are rare.
    let marked = wordOrZero(bytes, at: index).places(below: 0x10)
    if marked == 0 {
      index &+= 8
      continue
    }
    index &+= marked.lowestPlace
    if bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") { return index }
    index &+= 1
  }
  if index &+ 8 > bytes.count {
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") { index += 1 }
    return index
  }
  // Searched in windows. Without them, in a stream that has no LF, each search for LF after a CR would read to the end.
  while index < bytes.count {
    let window = index..<min(bytes.count, index + 4096)
    let lineFeed = firstIndex(of: UInt8(ascii: "\n"), in: bytes, window) ?? window.upperBound
    if let carriageReturn = firstIndex(of: UInt8(ascii: "\r"), in: bytes, index..<lineFeed) { return carriageReturn }
    if lineFeed < window.upperBound { return lineFeed }
    index = window.upperBound
  }
  return index
}
