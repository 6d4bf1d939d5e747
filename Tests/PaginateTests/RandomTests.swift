import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// Random inputs, the same in every run: nothing crashes, and untouched parts do not change.
struct RandomTests {
  private static func bytes(_ alphabet: [String], _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0..<40, using: &generator)).flatMap { _ in
      (alphabet.randomElement(using: &generator) ?? "").bytes
    }
  }

  @Test func linkHeadersNeverCrash() throws {
    let alphabet = ["<", ">", ";", ",", "=", "\"", "\\", " ", "\t", "rel", "next", "anchor", "*", "\u{E9}", "x", "\0"]
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<Dice.rolls(20_000) {
      let noise = Self.bytes(alphabet, &generator)
      let links = LinkHeader.parse(noise)
      #expect(links.count <= noise.count)
      // Text after a valid link does not change it.
      #expect(LinkHeader.parse("</a>; rel=next, ".bytes + noise).first?.target == "/a".bytes)
    }
  }

  @Test func aLongFieldTakesOnePass() {
    let link = "</a>; rel=\"prev\"; title=\"\\\"x\\\"\", "
    let field = String(repeating: link, count: 30_000).bytes
    #expect(LinkHeader.parse(field).count == 30_000)
    #expect(LinkHeader.parse([UInt8](repeating: UInt8(ascii: "<"), count: 1 << 20)).isEmpty)
    #expect(LinkHeader.parse("<a>;".bytes + [UInt8](repeating: UInt8(ascii: ";"), count: 1 << 20)).count == 1)
  }

  @Test func parametersAreSetInPlace() throws {
    let alphabet = ["a", "b", "%61", "=", "&", "+", "%", "%4", "?", "#", "/", "[", "%5B", "]", ";", "\u{E9}"]
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<Dice.rolls(20_000) {
      let noise = "http://h/".bytes + Self.bytes(alphabet, &generator)
      let name = Self.bytes(["a", "b", "[", "]"], &generator) + "a".bytes
      let value = Self.bytes(alphabet, &generator)
      var url = QueryString(noise)
      let before = url.names.map { url.values(of: $0) }
      let names = url.names
      url.set(name, to: value)
      #expect(url.value(of: name) == value)
      // Setting it again changes nothing; setting it back restores the original.
      var again = url
      again.set(name, to: value)
      #expect(again == url)
      for (other, values) in zip(names, before) where other != name { #expect(url.values(of: other) == values) }
      if !names.contains(name) {
        url.remove { found, _ in found.percentDecoded == name }
        #expect(url.names == names)
      }
    }
  }

  @Test func encodedIsDecodedAgain() {
    let all = (0...255).map(UInt8.init)
    #expect(all.percentEncoded().percentDecoded == all)
    #expect(QueryString.encodedName(all).percentDecoded == all)
  }

  @Test func bodiesKeepTheirOtherBytes() throws {
    var generator = SeededGenerator(seed: 3)
    let spaces = ["", " ", "\n  "]
    for _ in 0..<Dice.rolls(500) {
      func space() -> String { spaces.randomElement(using: &generator) ?? "" }
      let parts = (0..<Int.random(in: 0..<5, using: &generator)).map {
        "\"k\($0)\"\(space()):\(space())1.\($0)0\(space())"
      }
      let cursor = "\"cursor\"\(space()):\(space())"
      let head = "{" + space() + parts.map { $0 + "," + space() }.joined()
      let tail = parts.map { "," + space() + $0.replacing("k", with: "l") }.joined() + "}" + space()
      let request = PageRequest(url: [], method: "POST", body: (head + cursor + "null" + tail).bytes)
      let rules = NextRules(typed: "body:/cursor=/c")
      let next = try #require(try rules.request(after: #"{"c":"a\u0041"}"#, of: request))
      #expect(text(next.body) == head + cursor + #""a\u0041""# + tail)
    }
  }

  @Test func pagesOfAnyShapeAreTold() throws {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<Dice.rolls(2000) {
      let draft = JSONDraft.random(using: &generator)
      let document = try json(draft)
      var walker = try Walker(WalkOptions(), first: PageRequest(url: "https://a.example/".bytes))
      // Whatever the error is, its message is one line.
      do { _ = try walker.take(nil, makeHead([]), document) } catch {
        #expect(!error.message.contains("\n"))
      }
    }
  }

  @Test func deepPagesAreNoTrouble() throws {
    let depth = 5000
    let body = String(repeating: #"{"next":{"a":"#, count: depth) + "[{}]" + String(repeating: "}}", count: depth)
    let document = try JSONDocument(parsing: body.bytes, maxDepth: .max)
    // So deep, it is no guess, but a message.
    #expect(throws: NextError.self) { try ItemArray.find(in: document.root) }
    #expect(!GraphQLCursor.hasPageInfo(document.root))
  }
}

extension JSONDraft {
  /// Text of objects and arrays that use the names which the code looks for.
  static func random(using generator: inout SeededGenerator, depth: Int = 0) -> String {
    let names = ["next", "links", "data", "items", "has_more", "href", "meta", "paging", "object", "url", "\\u006eext"]
    let scalars = ["null", "true", "false", "0", "1", "\"\"", "\"x\"", "\"/2\"", "\"list\"", "\"https://b/\""]
    switch Int.random(in: 0..<(depth > 4 ? 1 : 4), using: &generator) {
    case 0: return scalars.randomElement(using: &generator) ?? "0"
    case 1:
      let count = Int.random(in: 0..<4, using: &generator)
      return "[" + (0..<count).map { _ in random(using: &generator, depth: depth + 1) }.joined(separator: ",") + "]"
    default:
      let count = Int.random(in: 0..<6, using: &generator)
      let members = (0..<count).map { _ in
        "\"\(names.randomElement(using: &generator) ?? "")\":\(random(using: &generator, depth: depth + 1))"
      }
      return "{" + members.joined(separator: ",") + "}"
    }
  }
}
