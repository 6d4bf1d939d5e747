/// Checks that a text in pieces is UTF-8. An error is reported as early as possible: at the first byte that no
/// well-formed text can have there (RFC 3629 §4), not at the end of the piece or of the text.
package struct UTF8Check: Sendable {
  /// The beginning of a sequence that the last piece cut in two; at most three bytes.
  private var begun: [UInt8] = []

  package init() {}

  /// Whether the text could end here.
  package var isComplete: Bool { begun.isEmpty }

  /// Checks the next piece.
  /// - Returns: nil if it is well-formed so far. Otherwise the index in `bytes` of the byte that cannot be there. If
  ///   its sequence begins in this piece, the index of the sequence's first byte.
  package mutating func take(_ bytes: borrowing Span<UInt8>) -> Int? {
    var index = 0
    while !begun.isEmpty, index < bytes.count {
      begun.append(bytes[index])
      let (length, valid) = UTF8Sequence.prefix(in: begun.span, at: 0)
      if valid < begun.count { return index }
      index += 1
      if valid == length { begun.removeAll(keepingCapacity: true) }
    }
    guard let bad = UTF8Repair.firstInvalid(bytes, from: index) else { return nil }
    let (length, valid) = UTF8Sequence.prefix(in: bytes, at: bad)
    guard length > 0, bad + valid == bytes.count else { return bad }
    for place in bad..<bytes.count { begun.append(bytes[place]) }
    return nil
  }

  /// The index of the first byte that begins no well-formed sequence; nil if `bytes` is UTF-8.
  package static func firstInvalid(_ bytes: borrowing Span<UInt8>) -> Int? { UTF8Repair.firstInvalid(bytes, from: 0) }
}

extension [UInt8] {
  package var isUTF8: Bool { UTF8Check.firstInvalid(span) == nil }
}
