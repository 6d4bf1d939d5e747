import Testing

@testable import FeedCore

@Suite struct CharacterConverterTests {
  private typealias End = CharacterConverter.End

  /// What a text becomes, the index after it, and why it ended.
  private func convert(_ bytes: [UInt8], from name: StaticString) -> (String, Int, End)? {
    var text: [UInt8] = []
    let result = CharacterConverter(from: name)?.convert(bytes.span, 0..<bytes.count, into: &text)
    return result.map { (String(decoding: text, as: UTF8.self), $0.index, $0.end) }
  }

  @Test func endsAfterWholeCharacters() throws {
    #expect(try #require(convert([0x61, 0xC7, 0xD1], from: "EUC-KR")) == ("a한", 3, .done))
    #expect(try #require(convert([0x61, 0xC7], from: "EUC-KR")) == ("a", 1, .cut))
    #expect(try #require(convert([0xC7, 0xD1, 0xFF, 0x61], from: "EUC-KR")) == ("한", 2, .illegal))
    #expect(try #require(convert([], from: "EUC-KR")) == ("", 0, .done))
  }

  /// The second of two characters from one is not lost.
  @Test func oneCharacterBecomesTwo() throws {
    #expect(try #require(convert([0x88, 0x62], from: "BIG5-HKSCS")) == ("Ê\u{304}", 2, .done))
  }

  @Test func anEncodingThatTheSystemLacks() {
    #expect(CharacterConverter(from: "no-such-encoding") == nil)
  }
}
