import TestSupport
import Testing

@testable import FeedCore

/// A glance and a scan agree: what the glance takes is what the scan calls one compact container.
@Suite struct JSONGlanceTests {
  /// Whether the glance takes a text, wherever it stands between other bytes.
  static func glance(_ text: [UInt8], comment: String = "") -> Bool {
    var answers: Set<Bool> = []
    for before in [0, 3] {
      for after in ["", "\n", "\n\ndata: {}", "}", "\"}]", "1", "x\"}"] {
        let bytes = [UInt8](repeating: UInt8(ascii: "\""), count: before) + text + after.utf8
        answers.insert(JSONGlance.isCompactContainer(bytes.span, before..<(before + text.count)))
      }
    }
    #expect(answers.count == 1, "what is around it decides: \(quoted(text))")
    return answers.contains(true)
  }

  static func isCompactContainer(_ text: [UInt8]) -> Bool {
    guard let document = try? JSONDocument(parsing: text) else { return false }
    return document.isCompact && document.kind(0).isContainer && document.root.range == 0..<text.count
  }

  /// Compares both.
  /// - Returns: whether the glance takes the text.
  @discardableResult static func compare(_ text: [UInt8]) -> Bool {
    guard text.isUTF8 else { return false }
    let taken = glance(text)
    if taken { #expect(isCompactContainer(text), "taken: \(quoted(text))") }
    return taken
  }

  @Test func ordinaryTextsAreTaken() {
    let words = ["", "a", "1234567", "12345678", "123456789012345", "é\u{4E2D}😀", "a\\n\\\"b\\\\", "\\u00e9\\uD83D"]
    for word in words {
      for value in [
        "\"\(word)\"", "0", "-1.25", "1e5", "-2.5E-10", "1234567890", "true", "false", "null", "{}", "[]",
        "[1,\"\(word)\"]",
      ] {
        for text in [
          "[\(value)]", "{\"\(word)\":\(value)}", "{\"a\":[\(value),{\"\(word)\":\(value)}],\"b\":\(value)}",
        ] {
          #expect(Self.compare(Array(text.utf8)), "not taken: \(text)")
        }
      }
    }
  }

  @Test func wrongTextsAreNot() throws {
    for line in try Fixtures.lines("json/errors.txt", atLeast: 80) {
      #expect(!Self.compare(Fixtures.bytes(line.text)) || Self.isCompactContainer(Fixtures.bytes(line.text)))
    }
    for text in [
      "", "1", "\"a\"", "[1 ]", " [1]", "[1]\n", "{\"a\": 1}", "[1,]", "[01]", "[-]", "[1.]", "[.5]", "[tru]",
    ] {
      #expect(!Self.compare(Array(text.utf8)), "taken: \(text)")
    }
    for depth in [62, 63, 64, 65, 200] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(Self.compare(Array(text.utf8)) == (depth <= 62))
    }
  }

  /// Every cut of a text, and every change of one byte to one that matters.
  @Test func cutsAndChangesAgree() {
    let text = Array(#"{"id":-12.5,"a b":["x\n\"é😀",true,null,[],{}],"n":{"false":false,"0":0}}"#.utf8)
    #expect(Self.compare(text))
    for cut in text.indices { Self.compare(Array(text[..<cut])) }
    for place in text.indices {
      for byte in "{}[]:,\"\\tfn0123.-+e \n\u{1}/u".utf8 {
        var changed = text
        changed[place] = byte
        Self.compare(changed)
        changed[place] = text[place]
        changed.insert(byte, at: place)
        Self.compare(changed)
      }
    }
  }

  @Test func randomTextsAgree() {
    var random = SeededGenerator(seed: 44)
    let tokens = [
      "{", "}", "[", "]", ":", ",", "\"a\"", "\"12345678\"", "\"é\\\"\"", "0", "-1.5", "12345678", "true", "null", "{}",
    ]
    var taken = 0
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...8, using: &random) { text += tokens.randomElement(using: &random) ?? "" }
      if Self.compare(Array("[\(text)]".utf8)) { taken += 1 }
      if Self.compare(Array("{\"a\":\(text)}".utf8)) { taken += 1 }
    }
    #expect(taken > 500)
  }
}
