/// The one validating pass over a JSON text (RFC 8259): it makes the tape, or an error with its offset.
///
/// It can stop after any byte and go on when more bytes come, and it never reads a byte twice. So a document that
/// arrives in 4 KiB pieces costs the same as in one, and an error is reported at its byte. All state between two calls
/// is in the struct: what may come next, the open containers, and the position inside a string or number.
package struct JSONScanner {
  /// The depth limit of the tools, by default.
  package static let defaultMaxDepth = 10_000

  /// What may come next.
  enum Expected: UInt8 {
    case value, elementOrEnd, keyOrEnd, key, colon, elementEnd, memberEnd, nothing
  }

  /// The words so far. Offsets count from the first byte of the document.
  package internal(set) var tape: [UInt64] = []
  /// Whether there is no white space between the tokens, so that the text is its own compact form.
  package internal(set) var isCompact = true
  /// The greatest number of containers that were open at once.
  package internal(set) var depth = 0
  /// How many bytes have been checked. After a complete document: the offset after it.
  package internal(set) var offset = 0

  let maxDepth: Int
  private let isAtStart: Bool
  /// Whether the tape is wanted. If not, it holds the open containers, and a few thousand words that fit in the cache.
  private let keepsTape: Bool
  var expected = Expected.value
  /// What must follow a value in the innermost container.
  var afterValue = Expected.nothing
  /// The token that the last chunk cut off: of a string, whether it is a name; of a number, what comes next.
  private var unfinishedString: Bool?
  private var unfinishedNumber: NumberState?
  /// The tape position of the innermost open container, and how many are open.
  private var container = 0
  private(set) var openCount = 0
  var started = false
  /// The scan stops after each comma in a container at most this deep, with `offset` after the comma.
  var watchedDepth = 0

  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - isAtStart: whether the bytes begin a text, so that they may show a byte order mark or another encoding.
  ///   - keepsTape: false if the text is only checked.
  package init(maxDepth: Int = defaultMaxDepth, isAtStart: Bool = true, keepsTape: Bool = true) {
    self.maxDepth = maxDepth
    self.isAtStart = isAtStart
    self.keepsTape = keepsTape
  }

  /// Whether anything except white space was read.
  package var hasStarted: Bool { started }

  /// Continues the scan.
  /// - Parameters:
  ///   - bytes: the document from its first byte: the bytes of the last call, then the new ones.
  ///   - isLast: whether these are the last bytes.
  /// - Returns: true if the document is complete, with `offset` after its last byte. False if it needs more bytes, or
  ///   if all of the input was white space.
  package mutating func scan(_ bytes: borrowing Span<UInt8>, isLast: Bool) throws(JSONError) -> Bool {
    if tape.capacity == 0 {
      // Usually enough for a text that is complete. In a stream, the bytes may hold many documents, and each would
      // reserve room for all of them.
      tape.reserveCapacity(
        !keepsTape ? Self.forgottenWords : isAtStart && isLast ? bytes.count / 8 + 16 : 64)
    }
    var index = offset
    defer { offset = index }
    if index == 0, isAtStart {
      guard let start = afterByteOrderMark(bytes, isLast) else { return false }
      index = start
    }

    if let isKey = unfinishedString {
      unfinishedString = nil
      guard try string(bytes, &index, isKey: isKey, isLast) else { return false }
    } else if let state = unfinishedNumber {
      unfinishedNumber = nil
      guard try number(bytes, &index, state, isLast) else { return false }
    }

    while expected != .nothing {
      guard try run(bytes, &index, isLast) else { return false }
      guard skipWhiteSpace(bytes, &index) else {
        if isLast && started { throw JSONError(.endOfInput, at: index) }
        return false
      }
      started = true
      let byte = bytes[index]
      switch expected {
      case .memberEnd, .elementEnd:
        if byte == UInt8(ascii: ",") {
          index += 1
          guard expected == .memberEnd else {
            expected = .value
            if openCount <= watchedDepth { return false }
            continue
          }
          expected = .key
          if openCount <= watchedDepth { return false }
          // The most likely next byte, checked without another turn of the loop; here and below.
          guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { continue }
          guard try name(bytes, &index, isLast) else { return false }
        } else {
          try close(byte, &index, orElse: expected == .memberEnd ? .expectedMemberEnd : .expectedElementEnd)
        }
      case .key, .keyOrEnd:
        if byte == UInt8(ascii: "\"") {
          guard try name(bytes, &index, isLast) else { return false }
        } else if expected == .key {
          throw JSONError(.expectedKey, at: index)
        } else {
          try close(byte, &index, orElse: .expectedKeyOrEnd)
        }
      case .colon:
        guard byte == UInt8(ascii: ":") else { throw JSONError(.expectedColon, at: index) }
        expected = .value
        index += 1
      case .value, .elementOrEnd:
        guard try value(byte, bytes, &index, isLast) else { return false }
      case .nothing: break
      }
    }
    return true
  }

  /// Scans as many tokens as a run takes.
  @inline(__always)
  private mutating func run(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    guard openCount > 0, index &+ 8 <= bytes.count else { return true }
    switch expected {
    case .key, .keyOrEnd, .value, .elementOrEnd: break
    case .colon, .memberEnd, .elementEnd, .nothing: return true
    }
    if !keepsTape, tape.capacity - tape.count < 16 { forgetClosed() }
    let count = tape.count
    makeRoom(for: 16)
    var run = JSONRun(
      index: index, expected: expected, container: container, isObject: afterValue == .memberEnd, depth: openCount,
      deepest: depth, maxDepth: maxDepth, watchedDepth: watchedDepth, isCompact: isCompact)
    var end: TokenEnd?
    // A few words are left for what comes after the run, so that the tape does not grow there.
    tape.append(addingCapacity: tape.capacity - count - 8) { room in
      end = run.scan(bytes, &room, from: count)
    }
    index = run.index
    expected = run.expected
    container = run.container
    afterValue = run.isObject ? .memberEnd : .elementEnd
    openCount = run.depth
    depth = run.deepest
    isCompact = run.isCompact
    guard let end else { return !run.isAtChild }
    return try finishString(end, at: bytes.count, isKey: expected == .key || expected == .keyOrEnd, isLast)
  }

  /// Scans a member's name from its first quote, and the colon if it follows directly.
  @inline(__always)
  private mutating func name(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    tape.append(TapeWord.make(.string, at: index))
    index += 1
    guard try string(bytes, &index, isKey: true, isLast) else { return false }
    if index < bytes.count, bytes[index] == UInt8(ascii: ":") {
      expected = .value
      index += 1
    }
    return true
  }

  /// Scans a value's first byte; all of the value unless it is a container.
  @inline(__always)
  private mutating func value(
    _ byte: UInt8, _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    switch byte {
    case UInt8(ascii: "\""):
      tape.append(TapeWord.make(.string, at: index))
      index += 1
      return try string(bytes, &index, isKey: false, isLast)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard openCount < maxDepth else { throw JSONError(.tooDeep(limit: maxDepth), at: index) }
      beginContainer(byte == UInt8(ascii: "{") ? .object : .array, at: index)
      index += 1
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      tape.append(TapeWord.make(.number, at: index))
      return try number(bytes, &index, .start, isLast)
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
      return try literal(Literal(beginningWith: byte), bytes, &index, isLast)
    default:
      if expected == .elementOrEnd {
        try close(byte, &index, orElse: .expectedElementOrEnd)
      } else {
        let isWide = isAtStart && index == 0 && (byte == 0 || byte >= 0xFE)
        throw JSONError(isWide ? .notUTF8Text : .expectedValue, at: index)
      }
    }
    return true
  }

  // MARK: Tokens

  @inline(__always)
  private mutating func string(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, isKey: Bool, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    var escaped = false
    let end = scanString(bytes, &index, escaped: &escaped)
    // Only now is it known whether the string has escapes.
    if escaped { tape[tape.count - 1] = TapeWord.make(.escapedString, at: TapeWord.offset(tape[tape.count - 1])) }
    return try finishString(end, at: bytes.count, isKey: isKey, isLast)
  }

  /// Decides what the end of a string means for what may come next.
  /// - Returns: false if the string goes on in the next chunk.
  @inline(__always)
  private mutating func finishString(
    _ end: TokenEnd, at count: Int, isKey: Bool, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    switch end {
    case .complete:
      expected = isKey ? .colon : afterValue
      return true
    case .outOfBytes:
      if isLast { throw JSONError(.endInString, at: count) }
      unfinishedString = isKey
      return false
    case .error(let kind, let place): throw JSONError(kind, at: place)
    }
  }

  /// A number at the end of the bytes is complete only if they are the last ones.
  @inline(__always)
  private mutating func number(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ from: NumberState, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    var state = from
    switch scanNumber(bytes, &index, &state) {
    case .error(let kind, let place): throw JSONError(kind, at: place)
    case .outOfBytes where !isLast:
      unfinishedNumber = state
      return false
    case .outOfBytes where !state.mayEnd: throw JSONError(.expectedDigit, at: index)
    case .complete, .outOfBytes:
      expected = afterValue
      return true
    }
  }

  @inline(__always)
  private mutating func literal(
    _ literal: Literal, _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    for place in 0..<literal.count {
      guard index + place < bytes.count else {
        if isLast { throw JSONError(.endOfInput, at: bytes.count) }
        return false
      }
      if bytes[index + place] != literal[place] { throw JSONError(.badLiteral, at: index) }
    }
    tape.append(TapeWord.make(literal.kind, at: index))
    index += literal.count
    expected = afterValue
    return true
  }

  // MARK: Containers

  /// Opens a container. Its second word keeps the one around it until it is closed.
  @inline(__always)
  mutating func beginContainer(_ kind: JSONKind, at index: Int) {
    tape.append(TapeWord.make(kind, at: index))
    tape.append(TapeWord.inside(container, isObject: afterValue == .memberEnd))
    container = tape.count - 2
    openCount += 1
    depth = max(depth, openCount)
    let isObject = kind == .object
    expected = isObject ? .keyOrEnd : .elementOrEnd
    afterValue = isObject ? .memberEnd : .elementEnd
  }

  /// Ends the innermost container if `byte` is its closing bracket.
  @inline(__always)
  private mutating func close(_ byte: UInt8, _ index: inout Int, orElse kind: JSONError.Kind) throws(JSONError) {
    let bracket = afterValue == .memberEnd ? UInt8(ascii: "}") : UInt8(ascii: "]")
    guard byte == bracket, openCount > 0 else { throw JSONError(kind, at: index) }
    closeContainer(at: index)
    index += 1
  }

  /// Closes the innermost container, and goes on in the one around it.
  @inline(__always)
  mutating func closeContainer(at index: Int) {
    tape.append(TapeWord.closing(at: index))
    let outer = TapeWord.outer(tape[container + 1])
    tape[container + 1] = TapeWord.skip(to: tape.count)
    container = outer.position
    openCount -= 1
    afterValue = openCount == 0 ? .nothing : outer.isObject ? .memberEnd : .elementEnd
    expected = afterValue
  }

  /// Makes room for more words. It doubles the tape, so that this is seldom.
  @inline(__always)
  mutating func makeRoom(for count: Int) {
    guard tape.capacity - tape.count < count else { return }
    tape.reserveCapacity(max(2 * tape.count, tape.count + count, 64))
  }

  /// How many words are made before they are forgotten.
  private static let forgottenWords = 4096

  /// Removes all words but those of the open containers.
  private mutating func forgetClosed() {
    // From the innermost container out.
    var words: [UInt64] = []
    for level in (0..<openCount).reversed() {
      let outer = TapeWord.outer(tape[container + 1])
      words.append(TapeWord.inside(2 * max(level - 1, 0), isObject: outer.isObject))
      words.append(tape[container])
      container = outer.position
    }
    container = 2 * (openCount - 1)
    tape.removeAll(keepingCapacity: true)
    tape += words.reversed()
    // So that most of the words are new ones the next time.
    makeRoom(for: tape.count)
  }

  // MARK: Between tokens

  /// - Returns: false if the bytes end first.
  @inline(__always)
  mutating func skipWhiteSpace(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Bool {
    let start = index
    while index < bytes.count, bytes[index].isWhiteSpace { index += 1 }
    if index > start, openCount > 0 { isCompact = false }
    return index < bytes.count
  }

  /// The offset after a byte order mark: RFC 8259 §8.1 allows a parser to ignore one, and some editors write it.
  /// - Returns: nil if more bytes are needed to decide.
  private func afterByteOrderMark(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) -> Int? {
    let mark: [3 of UInt8] = [0xEF, 0xBB, 0xBF]
    for place in 0..<3 {
      if place == bytes.count { return isLast || place == 0 ? 0 : nil }
      if bytes[place] != mark[place] { return 0 }
    }
    return 3
  }
}
