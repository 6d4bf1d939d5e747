import FeedCore
import Testing

@testable import http_cat

/// Cuts do not change the lines.
@Suite struct LineSplitterTests {
  /// A text, its lines, and the number of bytes left at its end.
  static let texts: [(text: String, lines: [String], rest: Int)] = [
    ("", [], 0),
    ("a\nb\n", ["a", "b"], 0),
    ("a\r\nb\r\n", ["a", "b"], 0),
    ("a\rb\n", ["a\rb"], 0),
    ("a\r\r\n", ["a\r"], 0),
    ("\n\r\n \t\n\n", [], 0),
    ("  a \n", ["  a "], 0),
    ("a\nrest", ["a"], 4),
    ("a\n \r", ["a"], 0),
    ("a\n\u{c}\n", ["a", "\u{c}"], 0),
    ("\u{1e}a\n\u{1e}b\r\n \n\u{1e}\n\u{1e}c", ["a", "b"], 2),
    ("{\"é\":1}\n\n{\"ü\":2}\r\n{\"cut\"", ["{\"é\":1}", "{\"ü\":2}"], 6),
  ]

  private func lines(_ pieces: [ArraySlice<UInt8>], maxSize: Int = .max) throws -> (lines: [String], rest: Int) {
    var splitter = LineSplitter(maxSize: maxSize)
    var found: [String] = []
    for piece in pieces {
      let chunk = Array(piece)
      var index = 0
      while let line = try splitter.next(chunk.span, from: &index) {
        switch line {
        case .chunk(let range): found.append(String(decoding: chunk[range], as: UTF8.self))
        case .held: found.append(String(decoding: splitter.held, as: UTF8.self))
        }
      }
      #expect(index == chunk.count)
    }
    return (found, splitter.drop())
  }

  @Test(arguments: texts.indices)
  func cutAnywhere(_ index: Int) throws {
    let (text, expected, rest) = Self.texts[index]
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      let found = try lines([bytes[..<cut], bytes[cut...]])
      #expect(found.lines == expected && found.rest == rest, "cut at \(cut): \(found)")
    }
    let found = try lines(bytes.indices.map { bytes[$0...$0] })
    #expect(found.lines == expected && found.rest == rest, "byte by byte: \(found)")
  }

  @Test func aLineIsNoLongerThanTheLimit() throws {
    let bytes = Array("1234\n12345\n".utf8)
    for cut in 0...bytes.count {
      #expect(throws: LineSplitter.TooLong.self) { try lines([bytes[..<cut], bytes[cut...]], maxSize: 4) }
      #expect(try lines([bytes[..<cut], bytes[cut...]], maxSize: 5).lines == ["1234", "12345"])
    }
  }

  @Test func theLastLineMayHaveNoEnd() throws {
    var splitter = LineSplitter(maxSize: .max)
    var index = 0
    let chunk = Array("a\nb".utf8)
    #expect(try splitter.next(chunk.span, from: &index) == .chunk(0..<1))
    #expect(try splitter.next(chunk.span, from: &index) == nil)
    #expect(splitter.last() == .held && splitter.held == Array("b".utf8))
    #expect(splitter.last() == nil && splitter.drop() == 0)
  }
}
