import FeedCore

/// JSON text as it is shown to people: nothing in it can control a terminal, and it is not endless.
enum ShownText {
  /// The part of a JSON text in a range. What could control a terminal, or turn round the order of the text on it, is
  /// escaped as in JSON. In JSON text such characters are always inside strings.
  static func of(_ text: [UInt8], _ range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    var (start, index) = (range.lowerBound, range.lowerBound)
    while index < range.upperBound {
      guard let codePoint = dangerousCharacter(text, index..<range.upperBound) else {
        index += 1
        continue
      }
      result += text[start..<index] + Array("\\u".utf8) + codePoint.hexDigits
      index += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : 3
      start = index
    }
    return result + text[start..<range.upperBound]
  }

  /// The same. If it would be longer than `limit`, it is without its middle: `"It was [...812 bytes...] the end"`.
  static func of(_ text: [UInt8], _ range: Range<Int>, upTo limit: Int) -> [UInt8] {
    guard range.count > limit + placeholder else { return of(text, range) }
    var (head, tail) = (range.lowerBound, range.lowerBound)
    while tail < range.upperBound - limit / 2 {
      tail = unitEnd(text, tail)
      if tail <= range.lowerBound + limit / 2 { head = tail }
    }
    let middle = Array("[...\(tail - head) bytes...]".utf8)
    return of(text, range.lowerBound..<head) + middle + of(text, tail..<range.upperBound)
  }

  static func of(_ value: JSONValue, upTo limit: Int) -> [UInt8] { of(value.document.bytes, value.range, upTo: limit) }

  /// The beginning of a value that only says where you are.
  static func beginning(of value: JSONValue, upTo limit: Int) -> [UInt8] {
    let (text, range) = (value.document.bytes, value.range)
    guard range.count > limit else { return of(text, range) }
    var end = range.lowerBound
    while true {
      let next = unitEnd(text, end)
      if next > range.lowerBound + limit { break }
      end = next
    }
    return of(text, range.lowerBound..<end) + Array("...".utf8)
  }

  /// The end of the character or escape sequence that begins at `index`.
  @inline(__always)
  static func unitEnd(_ text: [UInt8], _ index: Int) -> Int {
    switch text[index] {
    case UInt8(ascii: "\\"): index + (text[index + 1] == UInt8(ascii: "u") ? 6 : 2)
    case 0..<0x80: index + 1
    case 0x80..<0xE0: index + 2
    case 0xE0..<0xF0: index + 3
    default: index + 4
    }
  }

  /// Text is cut only where this saves something.
  private static let placeholder = "[...123456 bytes...]".utf8.count
}
