// Percent-encoding in queries (WHATWG URL §5.1) and paths (RFC 3986 §2.1): parts of URLs are compared decoded.

extension RandomAccessCollection<UInt8> where Index == Int {
  /// The decoded bytes of a query: `%41` and `+` (a space) are decoded, a `%` without two digits is unchanged.
  package var percentDecoded: [UInt8] { percentDecoded(plusIsSpace: true) }

  /// The decoded bytes of a part of a path, in which `+` is a plus.
  package var pathDecoded: [UInt8] { percentDecoded(plusIsSpace: false) }

  @usableFromInline
  func percentDecoded(plusIsSpace: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var index = startIndex
    while index < endIndex {
      if self[index] == UInt8(ascii: "%"), index + 2 < endIndex, let high = self[index + 1].hexValue,
        let low = self[index + 2].hexValue
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(plusIsSpace && self[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : self[index])
        index += 1
      }
    }
    return result
  }
}

extension Sequence<UInt8> {
  /// With all bytes encoded except those for which `stays` is true. RFC 3986 §2.1 asks for upper-case digits.
  package func percentEncoded(except stays: (UInt8) -> Bool = \.isUnreserved) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in self {
      if stays(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return result
  }
}
