import TestSupport
import Testing

@testable import FeedCore

/// A scan like an earlier document gives the same as a scan from nothing.
@Suite struct JSONRescanTests {
  private enum Outcome: Equatable {
    case document(tape: [UInt64], end: Int)
    case incomplete
    case error(JSONError)
  }

  private static func outcome(
    _ bytes: [UInt8], like old: JSONDocument?, maxDepth: Int
  ) -> (outcome: Outcome, depth: Int, isCompact: Bool) {
    var scanner = JSONScanner(maxDepth: maxDepth)
    do {
      let isComplete =
        if let old { try scanner.scan(bytes.span, like: old) } else { try scanner.scan(bytes.span, isLast: true) }
      guard isComplete else { return (.incomplete, 0, true) }
      return (.document(tape: scanner.tape, end: scanner.offset), scanner.depth, scanner.isCompact)
    } catch { return (.error(error), 0, true) }
  }

  private static func check(_ old: [UInt8], _ new: [UInt8], maxDepth: Int = 100) {
    guard let document = try? JSONDocument(parsing: old, maxDepth: maxDepth) else { return }
    let (expected, found) = (
      outcome(new, like: nil, maxDepth: maxDepth), outcome(new, like: document, maxDepth: maxDepth)
    )
    #expect(expected.outcome == found.outcome, "\(quoted(old)) -> \(quoted(new))")
    #expect(expected.depth <= found.depth && found.depth <= max(expected.depth, document.depth))
    #expect(expected.isCompact || !found.isCompact, "\(quoted(old)) -> \(quoted(new))")
  }

  private static let texts: [String] = [
    #"{"n":7,"a":[{"id":1,"t":"x","more":[1,2,[3]]},{"id":2,"t":"y","more":[]},{"id":3,"t":"\"é\\","more":[null]}],"z":true}"#,
    #"[[1,2,3],[4,5,[6,[7,[8]]]],[],{},{"a":{"b":{"c":"a long enough string to go into, if the rest differs"}}}]"#,
    "{\n  \"status\": \"OK\",\n  \"results\": [\n    {\"a\": 1.5e3, \"b\": [true, false]},\n    {\"a\": -0, \"b\": []}\n  ]\n}\n",
    #"[1,22,333,4444,55555,"six","seven","eight",9,10]"#,
    #""scalar""#, "12", " [ ] ", "{}", "[]",
  ]

  @Test func cutsAndSingleBytes() {
    for text in Self.texts {
      let old = Array(text.utf8)
      Self.check(old, old)
      for place in old.indices {
        let (before, after) = (Array(old[..<place]), Array(old[place...]))
        Self.check(old, before)
        Self.check(old, after)
        Self.check(old, before + after.dropFirst())
        for byte in Array("\"\\,:]}[{ 0e-t\u{0}".utf8) + [0xC3, 0xFF] {
          Self.check(old, before + [byte] + after)
          Self.check(old, before + [byte] + after.dropFirst())
        }
      }
    }
  }

  @Test func partsMovedAndRepeated() {
    var random = SeededGenerator(seed: 5)
    for text in Self.texts {
      let old = Array(text.utf8)
      for _ in 0..<2_000 {
        var new = old
        for _ in 0..<Int.random(in: 1...3, using: &random) where !new.isEmpty {
          let start = Int.random(in: 0..<new.count, using: &random)
          let end = Int.random(in: start...new.count, using: &random)
          let target = Int.random(in: 0...old.count, using: &random)
          let source = Int.random(in: 0...target, using: &random)
          new.replaceSubrange(start..<end, with: old[source..<target])
        }
        Self.check(old, new)
      }
    }
  }

  /// A list in which items are changed, inserted, removed and moved: valid documents, and the same with one bad byte.
  @Test func editedLists() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<300 {
      let count = Int.random(in: 0...60, using: &random)
      func item(_ number: Int) -> String {
        switch number % 3 {
        case 0: #"{"title":"title no. \#(number)","tags":["a","b",\#(number)],"same":{"x":[1,2,3]}}"#
        case 1: #"[\#(number),[[\#(number)]],"text"]"#
        default: "\(number)"
        }
      }
      var items = (0..<count).map(item)
      func text() -> [UInt8] {
        Array(#"{"count":\#(items.count),"items":[\#(items.joined(separator: ","))],"end":[]}"#.utf8)
      }
      let old = text()
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        let place = Int.random(in: 0...items.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: items.insert(item(Int.random(in: 0..<1000, using: &random)), at: place)
        case 1 where place < items.count: items.remove(at: place)
        case 2 where place < items.count: items[place] = item(Int.random(in: 0..<1000, using: &random))
        case 3 where place < items.count: items.append(items.remove(at: place))
        default: break
        }
      }
      var new = text()
      Self.check(old, new)
      Self.check(new, old)
      for limit in 1...6 { Self.check(old, new, maxDepth: limit) }
      new[Int.random(in: 0..<new.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      Self.check(old, new)
    }
  }
}
