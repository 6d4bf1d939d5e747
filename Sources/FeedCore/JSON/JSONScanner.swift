// The one validating pass over a JSON text (RFC 8259): it makes the tape, or an error with its offset.
//
// It can stop after any byte and go on when more bytes come, and it never reads a byte twice. So a document that
// arrives in 4 KiB pieces costs the same as in one, and an error is reported at its byte. All state between two calls
// is in the struct: what may come next, the open containers, and the position inside a string or number.

package struct JSONScanner {
  /// The depth limit of the tools, by default.
  package static let defaultMaxDepth = 10_000

  /// What may come next.
  private enum Expected: UInt8 {
    case value, elementOrEnd, keyOrEnd, key, colon, elementEnd, memberEnd, nothing
  }

  /// The token that the last chunk cut off.
  private enum Unfinished {
    case none
    case string(isKey: Bool)
    case number(NumberState)
  }

  package private(set) var tape: [UInt64] = []
  /// Whether there is no white space between the tokens, so that the text is its own compact form.
  package private(set) var isCompact = true
  /// The greatest number of containers that were open at once.
  package private(set) var depth = 0
  /// How many bytes have been checked. After a complete document: the offset after it.
  package private(set) var offset = 0

  private let maxDepth: Int
  private let isAtStart: Bool
  private var expected = Expected.value
  /// What must follow a value in the innermost container.
  private var afterValue = Expected.nothing
  private var unfinished = Unfinished.none
  /// The tape positions of the open containers, outermost first.
  private var open: [Int] = []
  private var started = false

  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - isAtStart: whether the bytes begin a text, so that they may show a byte order mark or another encoding.
  package init(maxDepth: Int = defaultMaxDepth, isAtStart: Bool = true) {
    self.maxDepth = maxDepth
    self.isAtStart = isAtStart
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
      tape.reserveCapacity(isAtStart && isLast ? bytes.count / 8 + 16 : 64)
    }
    var index = offset
    defer { offset = index }
    if index == 0, isAtStart {
      guard let start = afterByteOrderMark(bytes, isLast) else { return false }
      index = start
    }

    let token = unfinished
    unfinished = .none
    switch token {
    case .none: break
    case .string(let isKey): guard try string(bytes, &index, isKey: isKey, isLast) else { return false }
    case .number(let state): guard try number(bytes, &index, state, isLast) else { return false }
    }

    while expected != .nothing {
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
            continue
          }
          expected = .key
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
    case UInt8(ascii: "{"):
      try openContainer(.object, at: index)
      expected = .keyOrEnd
      index += 1
    case UInt8(ascii: "["):
      try openContainer(.array, at: index)
      expected = .elementOrEnd
      index += 1
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      tape.append(TapeWord.make(.number, at: index))
      return try number(bytes, &index, .start, isLast)
    case UInt8(ascii: "t"): return try literal(.true, bytes, &index, isLast)
    case UInt8(ascii: "f"): return try literal(.false, bytes, &index, isLast)
    case UInt8(ascii: "n"): return try literal(.null, bytes, &index, isLast)
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
    switch end {
    case .complete:
      expected = isKey ? .colon : afterValue
      return true
    case .outOfBytes:
      if isLast { throw JSONError(.endInString, at: bytes.count) }
      unfinished = .string(isKey: isKey)
      return false
    case .error(let kind, let place): throw JSONError(kind, at: place)
    }
  }

  @inline(__always)
  private mutating func number(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ from: NumberState, _ isLast: Bool
  ) throws(JSONError) -> Bool {
    var state = from
    switch scanNumber(bytes, &index, &state) {
    case .error(let kind, let place): throw JSONError(kind, at: place)
    case .outOfBytes where !isLast:
      unfinished = .number(state)
      return false
    case .outOfBytes where !state.mayEnd: throw JSONError(.expectedDigit, at: index)
    default:
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

  @inline(__always)
  private mutating func openContainer(_ kind: JSONKind, at index: Int) throws(JSONError) {
    guard open.count < maxDepth else { throw JSONError(.tooDeep(limit: maxDepth), at: index) }
    open.append(tape.count)
    depth = max(depth, open.count)
    tape.append(TapeWord.make(kind, at: index))
    tape.append(0)
    afterValue = kind == .object ? .memberEnd : .elementEnd
  }

  /// Ends the innermost container if `byte` is its closing bracket.
  @inline(__always)
  private mutating func close(_ byte: UInt8, _ index: inout Int, orElse kind: JSONError.Kind) throws(JSONError) {
    let bracket = afterValue == .memberEnd ? UInt8(ascii: "}") : UInt8(ascii: "]")
    guard byte == bracket, let position = open.popLast() else { throw JSONError(kind, at: index) }
    tape.append(TapeWord.closing(at: index))
    tape[position + 1] = TapeWord.skip(to: tape.count)
    index += 1
    if let outer = open.last {
      afterValue = TapeWord.kind(tape[outer]) == .object ? .memberEnd : .elementEnd
    } else {
      afterValue = .nothing
    }
    expected = afterValue
  }

  // MARK: Between tokens

  /// - Returns: false if the bytes end first.
  @inline(__always)
  private mutating func skipWhiteSpace(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Bool {
    let start = index
    while index < bytes.count, bytes[index].isWhiteSpace { index += 1 }
    if index > start, !open.isEmpty { isCompact = false }
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

/// The three literal names of RFC 8259 §3, with their letters in the bytes of a word.
private struct Literal {
  let kind: JSONKind
  let letters: UInt64
  let count: Int

  static let null = Literal(kind: .null, letters: 0x6C6C_756E, count: 4)
  static let `true` = Literal(kind: .true, letters: 0x6575_7274, count: 4)
  static let `false` = Literal(kind: .false, letters: 0x65_736C_6166, count: 5)

  @inline(__always)
  subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: letters >> UInt64(index * 8)) }
}
