import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// The tables of Tests/Fixtures/paginate: a case on each line, with cells separated by ` | `.
struct TableTests {
  static func rows(_ file: String, atLeast least: Int) throws -> [(place: Comment, cells: [String])] {
    try Fixtures.lines("paginate/" + file, atLeast: least).map { number, line in
      let cells = (line + " ").replacing(" |", with: "\u{1}").split(
        separator: "\u{1}", omittingEmptySubsequences: false)
      return ("\(file):\(number): \(line)", cells.map { String($0.trimmingSpaces) })
    }
  }

  @Test func links() throws {
    let page = try HTTPURL("https://a.example/dir/page?x=1".bytes)
    for (place, cells) in try Self.rows("link-headers.txt", atLeast: 45) {
      // All cells after the first belong together.
      let fields = cells[1].split(separator: " ~ ").map { "Link: \($0)" }
      let found = LinkHeader.target(of: "next", in: makeHead(fields), page: page)
      #expect(found.map { text($0) } ?? "-" == cells[0], place)
    }
  }

  /// What a first page means: the rule that was typed or none, the head, the body, and how the walk goes on.
  @Test func facts() throws {
    for (place, cells) in try Self.rows("facts.txt", atLeast: 50) {
      let head = cells[2].split(separator: " ~ ").map(String.init)
      let walk = FakeServer.walk(
        try Options(typed: cells[1]), PageRequest(line: "GET https://a.example/feed"),
        [FakeServer.Response(head: head, body: cells[3])])
      #expect(walk.end == cells[4], place)
    }
  }

  @Test func parametersAreSet() throws {
    for (place, cells) in try Self.rows("query-strings.txt", atLeast: 20) {
      var url = QueryString(cells[0].bytes)
      url.set(cells[1].bytes, to: cells[2].bytes)
      #expect(text(url.text) == cells[3], place)
      #expect(text(url.value(of: cells[1].bytes)) == cells[2], place)
    }
  }

  @Test func rules() throws {
    for (place, cells) in try Self.rows("next-rules.txt", atLeast: 50) {
      do throws(OptionRefusal) {
        let rule = try NextRule.parse(cells[0].bytes)
        let shown = rule.map { text($0.text) } ?? "none"
        #expect(shown == (cells[1].isEmpty ? cells[0] : cells[1]), place)
        #expect(try NextRule.parse(shown.bytes) == rule, place)
      } catch {
        #expect("!" + error.message == cells[1], place)
      }
    }
  }

  @Test func origins() throws {
    for (place, cells) in try Self.rows("origins.txt", atLeast: 25) {
      func hosts(_ cell: String) throws -> [HostPattern] {
        try cell.split(separator: " ").map { try #require(HostPattern(String($0).bytes)) }
      }
      let home = try HTTPURL(cells[0].bytes)
      let rules = OriginRules(home: home, allowed: try hosts(cells[2]), trusted: try hosts(cells[3]))
      do throws(NextError) {
        let target = try rules.target(of: cells[1].bytes, from: home)
        #expect(target.text + (rules.sendsSecrets(to: target) ? " secrets" : "") == cells[4], place)
      } catch {
        #expect(error.message == cells[4], place)
      }
    }
  }

  @Test(arguments: ["", "a b", "a/b", "a:x", "a:", ":80", "::1", "a@b", "https://a"])
  func noHosts(_ text: String) { #expect(HostPattern(text.bytes) == nil) }

  @Test func waits() throws {
    let now: Int64 = 1_717_243_200_000_000
    for (place, cells) in try Self.rows("politeness.txt", atLeast: 35) {
      let head = makeHead(cells[1].split(separator: " ~ ").map(String.init), status: try #require(Int(cells[0])))
      let body = cells[2].isEmpty ? nil : try json(cells[2])
      let found = AskedWait(head, body, now: now)
      let words = cells[3].split(separator: " ", maxSplits: 1).map(String.init)
      #expect(abs(found.seconds - (Double(words[0]) ?? -1)) < 1e-6, place)
      #expect(found.reason == (words.count > 1 ? words[1] : ""), place)
    }
  }

  @Test func aThrottledResponseIsRetried() throws {
    let get = HTTPRequest(url: try HTTPURL(Array("http://a/".utf8)), userAgent: [])
    let body = try json(#"{"error_id":502,"error_name":"throttle_violation"}"#)
    #expect(StatusPolicy.verdict(makeHead([], status: 400), body, to: get) == .retried)
  }

  /// GitHub's secondary limit has no header field.
  @Test func tooMuchAtATimeIsRetried() throws {
    let get = HTTPRequest(url: try HTTPURL(Array("http://a/".utf8)), userAgent: [])
    let body = try json(#"{"message":"You have exceeded a secondary rate limit. Please wait."}"#)
    #expect(StatusPolicy.verdict(makeHead([], status: 403), body, to: get) == .retried)
    #expect(StatusPolicy.verdict(makeHead([], status: 404), body, to: get) == .final)
  }
}

extension StringProtocol {
  var trimmingSpaces: SubSequence {
    let head = drop { $0 == " " }
    return head[..<(head.lastIndex { $0 != " " }.map { head.index(after: $0) } ?? head.startIndex)]
  }
}
