import TestSupport
import Testing

@testable import FeedCore

/// A check and a scan agree: what is valid for the one is a document for the other.
@Suite struct JSONCheckTests {
  private static func scanned(_ text: [UInt8], _ maxDepth: Int) -> JSONKind? {
    (try? JSONDocument(parsing: text, maxDepth: maxDepth))?.root.kind
  }

  private static func compare(_ text: [UInt8], maxDepth: Int = 10_000) {
    #expect(JSONCheck.kind(of: text, maxDepth: maxDepth) == scanned(text, maxDepth), "\(quoted(text.prefix(200)))")
  }

  @Test func smallTexts() throws {
    var texts = try Fixtures.lines("json/errors.txt", atLeast: 80).map { Fixtures.bytes($0.text) }
    texts += try Fixtures.lines("json/equal.txt", atLeast: 40).map { Array($0.text.utf8) }
    texts += ["", " ", "\u{FEFF}", "\u{FEFF}[1]", " \u{FEFF}[1]", "12", "12 ", "\"x\"", "true", "[] []", "{}\n\n"]
      .map { Array($0.utf8) }
    for text in texts { Self.compare(text) }
  }

  /// More words than are kept, with one byte that may be wrong.
  @Test(arguments: 1...6) func largeTexts(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    let levels = [0, 3, 200, 3000, 9000][pick(5)]
    let items = (0..<600).map { _ in JSONDraft.random(depth: 4, pick).text }
    let opening = (0..<levels).map { _ in pick(2) == 0 ? "[1,\n{\"a\":" : "{\"b\":[],\"c\":[" }
    let closing = opening.reversed().map { $0.hasPrefix("[") ? "}]" : "]}" }
    let parts = opening + ["["] + [items.joined(separator: ",")] + ["]"] + closing
    let text = Array(parts.joined().utf8)
    #expect(try JSONDocument(parsing: text, maxDepth: 20_000).tape.count > 8192)
    Self.compare(text, maxDepth: 20_000)
    Self.compare(text, maxDepth: 2 * levels)
    for _ in 0..<12 {
      var wrong = text
      wrong[pick(pick(2) == 0 ? wrong.count : min(wrong.count, 4096))] = Array("]}[{,:\"\\ 0".utf8)[pick(10)]
      Self.compare(wrong, maxDepth: 20_000)
    }
  }
}
