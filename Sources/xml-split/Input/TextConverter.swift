import FeedCore

/// Converts text in an encoding that an XML declaration names to UTF-8.
enum TextConverter {
  case single(SingleByteTable)
  case multiple(CharacterConverter)

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
    case .multiple(let names):
      guard let converter = names.lazy.compactMap({ CharacterConverter(from: $0) }).first else { return nil }
      self = .multiple(converter)
    }
  }

  /// In place of bytes that are no character. UTF-8 never has it, so the tokenizer refuses it.
  static let illegal: UInt8 = 0xFF

  /// How many bytes of UTF-8 a byte becomes, at most.
  static let growth = 3

  /// Converts a range of bytes. What is no character becomes `illegal`.
  /// - Parameters:
  ///   - room: the most bytes to append.
  /// - Returns: the index of the first byte that is not converted: of the end, of half a character there, or of what
  ///   there is no room for.
  func convert(_ text: borrowing Span<UInt8>, _ range: Range<Int>, room: Int, into output: inout [UInt8]) -> Int {
    var index = range.lowerBound
    let limit = room > Int.max - output.count ? Int.max : output.count + room
    while index < range.upperBound, output.count < limit {
      let left = index..<range.upperBound
      let room = min(limit - output.count, Self.growth * left.count + 8)
      let (next, end) = convert(text, characters: left, room: room, into: &output)
      index = next
      guard end == .illegal, output.count < limit else { break }
      output.append(Self.illegal)
      index += illegalCount(text, index..<range.upperBound)
    }
    return index
  }

  private func convert(
    _ text: borrowing Span<UInt8>, characters range: Range<Int>, room: Int, into output: inout [UInt8]
  ) -> (index: Int, end: CharacterConverter.End) {
    switch self {
    case .single(let table): table.convert(text, range, room: room, into: &output)
    case .multiple(let converter): converter.convert(text, range, room: room, into: &output)
    }
  }

  /// How many bytes are no character together. A byte of ASCII is always the beginning of something else.
  private func illegalCount(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
    guard range.count > 1, text[range.lowerBound + 1] >= 0x80 else { return 1 }
    var none: [UInt8] = []
    let end = convert(text, characters: range.prefix(1), room: Self.growth, into: &none).end
    return end == .cut ? 2 : 1
  }
}
