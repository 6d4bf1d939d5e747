import FeedCore

/// Converts text in an encoding that an XML declaration names to UTF-8.
enum TextConverter {
  case single(SingleByteTable)
  /// The second one has characters that the first one lacks.
  case multiple(CharacterConverter, more: CharacterConverter?)

  /// - Returns: nil if the system does not know the encoding.
  init?(_ charset: Charset) {
    switch charset.kind {
    case .utf8: return nil
    case .ascii: self = .single(.ascii)
    case .latin1: self = .single(.latin1)
    case .windows1252: self = .single(.windows1252)
    case .single(let name):
      guard let converter = CharacterConverter(from: name) else { return nil }
      self = .single(SingleByteTable(converter))
    case .codePage(let name):
      guard let converter = CharacterConverter(from: name) else { return nil }
      self = .single(SingleByteTable(converter, controls: 0x80..<0xA0))
    case .multiple(let names, let more):
      guard let converter = names.lazy.compactMap({ CharacterConverter(from: $0) }).first else { return nil }
      self = .multiple(converter, more: more.flatMap { CharacterConverter(from: $0) })
    }
  }

  /// In place of bytes that are no character. UTF-8 never has it, so the tokenizer refuses it.
  static let illegal: UInt8 = 0xFF

  /// Converts a range of bytes. What is no character becomes `illegal`.
  /// - Returns: the index of the first byte that is not converted: of the end, or of half a character there.
  func convert(_ text: borrowing Span<UInt8>, _ range: Range<Int>, into output: inout [UInt8]) -> Int {
    var index = range.lowerBound
    while index < range.upperBound {
      let left = index..<range.upperBound
      let (next, end) = convert(text, characters: left, into: &output)
      index = next
      guard end == .illegal else { break }
      let isPair = left.upperBound - index > 1 && isLead(text, index)
      if isPair, let more, more.convert(text, index..<(index + 2), into: &output).end == .done {
        index += 2
        continue
      }
      output.append(Self.illegal)
      // A byte of ASCII may be the beginning of something else.
      index += isPair && text[index + 1] >= 0x80 ? 2 : 1
    }
    return index
  }

  private var more: CharacterConverter? { if case .multiple(_, let more) = self { more } else { nil } }

  private func convert(
    _ text: borrowing Span<UInt8>, characters range: Range<Int>, into output: inout [UInt8]
  ) -> (index: Int, end: CharacterConverter.End) {
    switch self {
    case .single(let table): table.convert(text, range, into: &output)
    case .multiple(let converter, _): converter.convert(text, range, into: &output)
    }
  }

  /// Whether a byte begins a character of several.
  private func isLead(_ text: borrowing Span<UInt8>, _ index: Int) -> Bool {
    var none: [UInt8] = []
    return convert(text, characters: index..<(index + 1), into: &none).end == .cut
  }
}

/// The characters of the other 128, both ways. No two bytes are the same character.
struct SingleByteTable {
  /// Zero for a byte that is no character.
  private var codes = [UInt16](repeating: 0, count: 128)
  /// The byte of each code point that has one.
  private var bytes = [UInt8](repeating: 0, count: 0x10000)

  private init(_ code: (UInt8) -> UInt16) {
    for byte in 0x80...UInt8.max {
      codes[Int(byte) - 0x80] = code(byte)
      bytes[Int(code(byte))] = byte
    }
  }

  static let ascii = SingleByteTable { _ in 0 }
  static let latin1 = SingleByteTable { UInt16($0) }
  /// As in the Encoding standard: the bytes that Microsoft left out are control characters.
  static let windows1252 = SingleByteTable { (0x80..<0xA0).contains($0) ? middle[Int($0) - 0x80] : UInt16($0) }

  /// 0x80 to 0x9F of windows-1252; all others are those of ISO-8859-1.
  private static let middle: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  /// Each byte by itself, because some encodings have characters that iconv(3) would join.
  /// - Parameter controls: bytes that are control characters if the converter has none for them.
  init(_ converter: CharacterConverter, controls: Range<UInt8> = 0..<0) {
    self.init { byte in
      var text: [UInt8] = []
      _ = converter.convert([byte].span, 0..<1, into: &text)
      let code = String(decoding: text, as: UTF8.self).unicodeScalars.first?.value
      return code.flatMap { UInt16(exactly: $0) } ?? (controls.contains(byte) ? UInt16(byte) : 0)
    }
  }

  /// The character of a byte that is not ASCII; zero if it is none.
  func code(_ byte: UInt8) -> UInt16 { codes[Int(byte) - 0x80] }

  /// Converts a range of bytes to UTF-8, as far as they are characters.
  /// - Returns: as `CharacterConverter.convert`.
  func convert(
    _ text: borrowing Span<UInt8>, _ range: Range<Int>, into output: inout [UInt8]
  ) -> (index: Int, end: CharacterConverter.End) {
    var index = range.lowerBound
    var end = CharacterConverter.End.done
    let codes = codes.span
    output.append(addingCapacity: CharacterConverter.maxGrowth * range.count) { free in
      while index < range.upperBound {
        let byte = text[index]
        let code = byte < 0x80 ? UInt16(byte) : codes[Int(byte) - 0x80]
        let count = code < 0x80 ? 1 : code < 0x800 ? 2 : 3
        if code == 0, byte != 0 {
          end = .illegal
          return
        }
        switch count {
        case 1: free.append(byte)
        case 2: free.append(UInt8(truncatingIfNeeded: 0xC0 | code >> 6))
        default:
          free.append(UInt8(truncatingIfNeeded: 0xE0 | code >> 12))
          free.append(UInt8(truncatingIfNeeded: 0x80 | code >> 6 & 0x3F))
        }
        if count > 1 { free.append(UInt8(truncatingIfNeeded: 0x80 | code & 0x3F)) }
        index += 1
      }
    }
    return (index, end)
  }

  /// A text that was converted to UTF-8, as it was before. A character that the encoding does not have, and that came
  /// by a repair, becomes a reference.
  func original(_ text: borrowing Span<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    let bytes = bytes.span
    var index = 0
    while index < text.count {
      let first = text[index]
      index += 1
      if first < 0x80 {
        result.append(first)
        continue
      }
      let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
      var code = Int(first) & (0x3F >> count)
      for _ in 0..<count {
        code = code << 6 | Int(text[index] & 0x3F)
        index += 1
      }
      if code < bytes.count, bytes[code] != 0 { result.append(bytes[code]) } else { result += Array("&#\(code);".utf8) }
    }
    return result
  }
}
