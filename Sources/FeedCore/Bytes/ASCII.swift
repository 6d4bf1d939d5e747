// The ASCII class of a byte. From 0x80 on a byte is in none of these classes, in any encoding.

extension UInt8 {
  @inlinable @inline(__always)
  package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// In either case.
  @inlinable @inline(__always)
  package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// White space of JSON (RFC 8259 §2), which is that of XML (1.0 §2.3) as well.
  @inlinable @inline(__always)
  package var isWhiteSpace: Bool {
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
    default: false
    }
  }

  /// RS, which begins each document of a JSON text sequence (RFC 7464 §2.2).
  package var isRecordSeparator: Bool { self == 0x1E }

  /// A space or a tab: optional white space around HTTP values (OWS, RFC 9110 §5.6.3).
  @inlinable @inline(__always)
  package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// LF or CR.
  @inlinable @inline(__always)
  package var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

  /// A space or any control character except DEL.
  @inlinable @inline(__always)
  package var isSpaceOrControl: Bool { self <= UInt8(ascii: " ") }

  /// A visible character (VCHAR, RFC 5234 appendix B).
  @inlinable @inline(__always)
  package var isVisible: Bool { self > UInt8(ascii: " ") && self < 0x7F }

  /// A character of an HTTP token, such as a method or a field name (RFC 9110 §5.6.2).
  package var isTokenByte: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

  /// A character that means the same in a URL whether it is percent-encoded or not (RFC 3986 §2.3).
  package var isUnreserved: Bool { isLetter || isDigit || "-._~".utf8.contains(self) }

  /// The lower-case letter of an upper-case one; every other byte unchanged.
  @inlinable @inline(__always)
  package var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension Sequence<UInt8> {
  /// With ASCII letters in lower case.
  @inlinable
  package var lowercased: [UInt8] { map(\.lowercased) }
}

extension BidirectionalCollection<UInt8> {
  /// Without the bytes at both ends that satisfy `isUnwanted`.
  @inlinable
  package func trimmed(_ isUnwanted: (UInt8) -> Bool = { $0.isWhiteSpace }) -> SubSequence {
    guard let last = lastIndex(where: { !isUnwanted($0) }) else { return self[endIndex...] }
    return self[...last].drop(while: isUnwanted)
  }
}
