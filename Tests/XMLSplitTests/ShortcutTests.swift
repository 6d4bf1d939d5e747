import Testing

@testable import xml_split

/// Checking by words gives the same result as checking by characters.
struct ShortcutTests {
  /// Every character of two to four bytes, and similar bytes: overlong forms, surrogates, and codes that are too large.
  @Test func wideCharacters() {
    let padding = [UInt8](repeating: UInt8(ascii: "a"), count: 8)
    func check(_ bytes: [UInt8]) {
      let text = bytes + padding
      let end = XMLCharacters.wideEnd(text.span, 0)
      guard case .character(_, let count) = XMLCharacters.at(text.span, 0) else {
        #expect(end == 0, "\(bytes)")
        return
      }
      #expect(end == count, "\(bytes)")
    }
    for first in UInt8(0x80)...0xFF {
      for second in stride(from: UInt8(0), through: 0xFF, by: 1) {
        check([first, second])
        // The whole basic plane; the edges of the others.
        for third in UInt8(0x7E)...0xC1 where first >= 0xE0 {
          check([first, second, third])
          if first >= 0xF0, third < 0x82 || third > 0xBD { check([first, second, third, 0xBF]) }
        }
      }
    }
  }

  @Test func names() {
    for length in 1...20 {
      for place in 0..<length {
        for byte in UInt8(0)..<0x80 {
          var text = Array("abc-defg.hijklmn:opq".utf8.prefix(length))
          text[place] = byte
          let isFine =
            place == 0 ? XMLCharacters.isNameStart(UInt32(byte)) : XMLCharacters.isNameCharacter(UInt32(byte))
          guard let end = XMLName.end((text + Array(">12345678".utf8)).span, 0) else {
            Issue.record("cut")
            continue
          }
          #expect(end == (isFine ? length : place), "\(text)")
        }
      }
    }
  }

  @Test(arguments: [
    "&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#65;", "&#x41;", "&#x10FFFF;", "&#1114111;", "&#x110000;", "&#9;",
    "&#0;",
    "&#xD800;", "&#xFFFE;", "&#;", "&#x;", "&#xG;", "&#A;", "&#X41;", "&#00000065;", "&#x00000041;", "&#12345678901;",
    "&a;",
    "&ltt;", "&&;",
  ])
  func references(_ reference: String) {
    let text = Array((reference + "; and more").utf8)
    let end = reference.utf8.count
    let found = XMLReference.simple(text.span, at: 0)
    var code: UInt32?
    switch try? XMLReference(text.span, 0..<end) {
    case .character(let value): code = value
    case .entity(let name): code = XMLReference.predefined(name).map(UInt32.init)
    case nil: break
    }
    // It may ignore a valid reference, but only an unusual one.
    if let found { #expect(found.code == code && found.end == end) } else { #expect(code == nil || end > 10) }
  }
}
