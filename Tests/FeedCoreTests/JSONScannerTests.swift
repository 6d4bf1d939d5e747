import TestSupport
import Testing

@testable import FeedCore

@Suite struct JSONScannerTests {
  /// The result of a scan in pieces that end at `cuts`.
  static func scan(_ bytes: [UInt8], cuts: [Int]) -> (tape: [UInt64], end: Int, error: JSONError?) {
    var scanner = JSONScanner()
    do {
      for cut in cuts + [bytes.count] {
        let part = Array(bytes[..<cut])
        if try scanner.scan(part.span, isLast: cut == bytes.count) { break }
      }
    } catch {
      return ([], 0, error)
    }
    return (scanner.tape, scanner.offset, nil)
  }

  @Test func everyErrorIsAtItsCaret() throws {
    let lines = try Fixtures.lines("json/errors.txt", atLeast: 80)
    #expect(lines.count.isMultiple(of: 2))
    for index in stride(from: 0, to: lines.count, by: 2) {
      let (text, caret) = (lines[index], lines[index + 1])
      let mark = try #require(caret.text.firstIndex(of: "^"), "errors.txt:\(caret.number): no caret")
      let bytes = Fixtures.bytes(text.text)
      // The column counts bytes of the unescaped text, so a caret under \xHH counts its first character.
      let column = Fixtures.bytes(String(text.text.prefix(caret.text.distance(from: caret.text.startIndex, to: mark))))
        .count
      let message = String(caret.text[mark...].dropFirst(2))
      do {
        _ = try JSONDocument(parsing: bytes)
        Issue.record("errors.txt:\(text.number): \(text.text) was accepted")
      } catch {
        #expect(error.message == message, "errors.txt:\(text.number): \(text.text)")
        let expected = message.hasPrefix("the input ends") ? bytes.count : column
        #expect(error.offset == expected, "errors.txt:\(text.number): \(text.text)")
      }
    }
  }

  @Test func cutsChangeNothing() throws {
    var texts = try Fixtures.lines("json/errors.txt", atLeast: 80).map { Fixtures.bytes($0.text) }
    texts += try Fixtures.lines("json/equal.txt", atLeast: 40).map { Array($0.text.utf8) }
    texts.append(Array("\u{FEFF}  {\"a\\u0041é\":[1.5e+10,-0,true,null,{}],\"😀\":\"\\\\\\\"\"}  ".utf8))
    // Numbers of every length, so that they end at each place of a word.
    for length in 1...40 {
      let digits = String(repeating: "1", count: length)
      for number in [digits, "-\(digits).\(digits)", "\(digits)e\(digits)", "0\(digits)"] {
        texts.append(Array("{\"n\":[1, \(number)],\"m\":\(number)}".utf8))
      }
    }
    for bytes in texts {
      let whole = Self.scan(bytes, cuts: [])
      let byByte = Self.scan(bytes, cuts: Array(0..<bytes.count))
      #expect(whole == byByte, "byte by byte: \(quoted(bytes))")
      for cut in 0..<bytes.count {
        #expect(whole == Self.scan(bytes, cuts: [cut]), "cut at \(cut): \(quoted(bytes))")
      }
    }
  }

  @Test func depthIsLimited() throws {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
    }
    for limit in [1, 2, 10_000] {
      _ = try JSONDocument(parsing: nested(limit), maxDepth: limit)
      #expect(throws: JSONError(.tooDeep(limit: limit), at: limit)) {
        try JSONDocument(parsing: nested(limit + 1), maxDepth: limit)
      }
    }
  }

  @Test func nothingIsNoDocument() {
    for text in ["", " \n\t "] {
      #expect(throws: JSONError(.empty, at: text.utf8.count)) { try JSONDocument(parsing: Array(text.utf8)) }
    }
  }

  @Test func theTapeOfTheEssay() throws {
    let document = try JSONDocument(parsing: Array(#"{"a":[10,true],"b\n":"x"}"#.utf8))
    let words = document.tape.map { (Int($0 >> 4), $0 & 0xF) }
    #expect(words.map(\.0) == [0, 11, 1, 5, 8, 6, 9, 13, 15, 21, 24])
    #expect(document.isCompact)
    #expect(try !JSONDocument(parsing: Array("[1, 2]".utf8)).isCompact)
    #expect(try JSONDocument(parsing: Array(" [1,2]\n".utf8)).isCompact)
  }
}
