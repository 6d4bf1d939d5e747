/// Base64 (RFC 4648 §4), with padding and without line ends: the form of binary data in event records.
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// - Returns: four characters for every three bytes or less.
  package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group = 0
      for place in 0..<3 { group = group << 8 | (place < count ? Int(bytes[index + place]) : 0) }
      for place in 0..<4 { text.append(place <= count ? digits[group >> (18 - 6 * place) & 63] : padding) }
      index += 3
    }
    return text
  }

  /// - Returns: nil for text that `encoded` never writes.
  package static func decoded(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let end = text.count - min(2, text.reversed().prefix { $0 == padding }.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits = 0
    var count = 0
    for byte in text[..<end] {
      guard let value = value(of: byte) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // The remaining bits must be zero, as `encoded` writes them.
    return bits & (1 << count - 1) == 0 ? bytes : nil
  }

  private static func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
