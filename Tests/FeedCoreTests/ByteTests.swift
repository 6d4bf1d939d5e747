import FeedCore
import Testing

@Suite struct ByteTests {
  /// The bytes for which something is true, as text.
  private static func all(_ isOne: (UInt8) -> Bool) -> String {
    String(decoding: (UInt8.min ... .max).filter(isOne), as: UTF8.self)
  }

  @Test func classes() {
    let digits = "0123456789"
    let (capitals, small) = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
    #expect(Self.all(\.isDigit) == digits)
    #expect(Self.all(\.isLetter) == capitals + small)
    #expect(Self.all(\.isWhiteSpace) == "\t\n\r ")
    #expect(Self.all(\.isBlank) == "\t ")
    #expect(Self.all(\.isLineEnd) == "\n\r")
    #expect(Self.all(\.isSpaceOrControl).utf8.elementsEqual(0...0x20))
    #expect(Self.all(\.isVisible).utf8.elementsEqual(0x21...0x7E))
    #expect(Self.all(\.isTokenByte) == "!#$%&'*+-." + digits + capitals + "^_`" + small + "|~")
    #expect(Self.all(\.isUnreserved) == "-." + digits + capitals + "_" + small + "~")
    #expect(Self.all { $0.lowercased != $0 } == capitals)
    #expect(capitals.utf8.lowercased == Array(small.utf8))
  }

  @Test(arguments: [
    ("", nil), ("0", 0), ("007", 7), ("127", 127), ("128", nil), ("1000", nil), ("+1", nil), ("-1", nil), ("1 ", nil),
    ("0x1", nil), ("٣", nil), ("00000000000000000000000000000000001", 1),
  ])
  func decimal(_ text: String, _ value: Int8?) { #expect(Int8(decimal: text.utf8) == value) }

  @Test func largestDecimals() {
    #expect(Int(decimal: "\(Int.max)".utf8) == .max)
    #expect(Int(decimal: "9223372036854775808".utf8) == nil)
    #expect(UInt16(decimal: "65535".utf8) == 65535)
    #expect(UInt16(decimal: "65536".utf8) == nil)
  }

  @Test func hexadecimal() {
    #expect(Self.all { $0.hexValue != nil } == "0123456789ABCDEFabcdef")
    for byte in UInt8.min ... .max { #expect([UInt8](hex: byte.hexDigits) == [byte]) }
    #expect(UInt8(0x0A).hexDigits == Array("0a".utf8))
    #expect(UInt64(0x1234_5678_9ABC_DEF0).hexDigits == Array("123456789abcdef0".utf8))
    #expect(UInt64.max.hexDigits == Array("ffffffffffffffff".utf8))
    #expect([UInt8](hex: Array("C0ffEE".utf8)) == [0xC0, 0xFF, 0xEE])
    for wrong in ["0", "0g", "+1", "-1", " 1"] { #expect([UInt8](hex: Array(wrong.utf8)) == nil) }
  }

  @Test(arguments: [
    ("", ""), ("a+b%20c", "a b c"), ("%41%5b%5D", "A[]"), ("%", "%"), ("%4", "%4"), ("%4g", "%4g"), ("%%41", "%A"),
    ("%2", "%2"), ("%2B", "+"), ("%+1", "% 1"),
  ])
  func percentDecoding(_ text: String, _ decoded: String) {
    #expect(text.utf8.map(\.self).percentDecoded == Array(decoded.utf8))
    #expect(("x" + text).utf8.map(\.self).dropFirst().percentDecoded == Array(decoded.utf8))
  }

  @Test func percentEncoding() {
    #expect("a-b_c.d~e f/é".utf8.percentEncoded() == Array("a-b_c.d~e%20f%2F%C3%A9".utf8))
    #expect("a/b c".utf8.percentEncoded { $0 != 0x20 } == Array("a/b%20c".utf8))
    let all = Array(UInt8.min ... .max)
    #expect(all.percentEncoded().percentDecoded == all)
  }

  @Test(arguments: [("", ""), (" ", ""), (" \r\na b\t", "a b"), ("a", "a"), ("\u{0B}a\u{A0}", "\u{0B}a\u{A0}")])
  func trimming(_ text: String, _ rest: String) {
    #expect(Array(text.utf8.trimmed()) == Array(rest.utf8))
    #expect(Array(Array("\r\(text)".utf8).dropFirst().trimmed()) == Array(rest.utf8))
  }

  @Test func trimmingOfBlanksOnly() { #expect("\t \ra\n ".utf8.trimmed(\.isBlank).elementsEqual("\ra\n".utf8)) }
}

@Suite struct ExcerptTests {
  @Test(arguments: [
    ("plain é 🙂", "plain é 🙂"), ("a\tb\u{1B}[31m", "a\\x09b\\x1b[31m"), ("\u{7F}", "\\x7f"),
    ("\u{85}\u{A0}", "\\xc2\\x85\u{A0}"),
  ])
  func controlCharacters(_ text: String, _ shown: String) { #expect(quoted(text.utf8) == shown) }

  @Test func brokenUTF8() { #expect(quoted([0x61, 0xE2, 0x82, 0x62, 0xFF]) == "a\\xe2\\x82b\\xff") }

  @Test func aCutIsBetweenCharacters() {
    let text = Array("aé€🙂z".utf8)  // 1 + 2 + 3 + 4 + 1 bytes
    let beginnings = (0...11).map { beginning(of: text, upTo: $0) }
    let expected = ["…", "a…", "a…", "aé…", "aé…", "aé…", "aé€…", "aé€…", "aé€…", "aé€…", "aé€🙂…", "aé€🙂z"]
    #expect(beginnings == expected)
  }

  @Test func theMiddleIsLeftOut() {
    let digits = String(repeating: "0123456789", count: 20)
    #expect(shortened(Array(digits.utf8)) == digits)
    #expect(shortened(Array((digits + "x").utf8)) == digits.prefix(100) + "…" + digits.suffix(99) + "x")
    let wide = String(repeating: "€", count: 100)
    #expect(shortened(Array(wide.utf8)) == wide.prefix(33) + "…" + wide.prefix(33))
  }
}
