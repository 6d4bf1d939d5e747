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
