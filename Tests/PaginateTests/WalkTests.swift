import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// The walks of Tests/Fixtures/paginate/walks.txt.
struct WalkTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let line: Int
    var options = ""
    var requests: [String] = []
    var responses: [FakeServer.Response] = []
    var head: [String] = []
    var printed = ""
    var found = ""
    var end = ""

    var testDescription: String { "walks.txt:\(line): \(name)" }
  }

  static func cases() throws -> [Case] {
    var cases: [Case] = []
    for (number, line) in try Fixtures.lines("paginate/walks.txt") {
      let rest = String(line.dropFirst(2))
      if line.hasPrefix("=") {
        cases.append(Case(name: rest, line: number))
        continue
      }
      let last = cases.count - 1
      switch line.first {
      case "$": cases[last].options = rest
      case ">": cases[last].requests.append(rest)
      case ":": cases[last].head.append(rest)
      case "<":
        cases[last].responses.append(.init(head: cases[last].head, body: rest))
        cases[last].head = []
      case "|": cases[last].printed = rest
      case "*": cases[last].found = rest
      case "?": cases[last].end = rest
      default: Issue.record("walks.txt:\(number): \(line)")
      }
    }
    return cases
  }

  @Test func theWalks() throws {
    let cases = try Self.cases()
    #expect(cases.count > 60)
    for item in cases {
      let options = try Options(typed: item.options)
      let walk = FakeServer.walk(options, PageRequest(line: item.requests[0]), item.responses)
      let place = Comment(rawValue: item.testDescription)
      #expect(walk.end == item.end, place)
      #expect(walk.printed.joined(separator: " ") == item.printed, place)
      if !walk.requests.isEmpty { #expect(walk.requests.map(\.line) == item.requests, place) }
      if !item.found.isEmpty { #expect(walk.shape?.found(beyond: options.walk) == item.found, place) }
      // Detected options could have been typed.
      if !item.found.isEmpty {
        let typed = try WalkOptions(typed: item.options + " " + item.found)
        #expect(typed.next == walk.shape?.next || options.walk.next != nil, place)
      }
    }
  }

  @Test func everyConventionIsOne() throws {
    for row in Convention.cursors + Convention.withoutLink {
      for isInBody in [false, true] {
        let rules = row.rules(of: PageRequest(url: "https://a.example/?scroll=5m".bytes), isInBody: isInBody).rules
        #expect(rules.count == row.next.split(separator: " ").count, "\(row.next)")
      }
      let signs = row.signs.filter { !$0.hasPrefix("header:") }.map { Convention.parts(of: $0).place }
      if let text = row.hasMore { #expect(throws: Never.self) { try HasMore(text.bytes) } }
      for text in signs + [row.items, row.total, row.id].compactMap(\.self) {
        #expect(throws: Never.self) { try JSONPointer(text.bytes) }
      }
    }
    for text in Convention.links { #expect(throws: Never.self) { try JSONPointer(text.bytes) } }
    for text in Convention.hasMore { #expect(throws: Never.self) { try HasMore(text.bytes) } }
  }

  // MARK: Without requests

  @Test func pagesOfAFileHaveNoNext() throws {
    var walker = try Walker(try WalkOptions(typed: "--items /r --id-from /id"), first: nil)
    for (body, ids) in [(#"{"r":[{"id":1},{"id":2}]}"#, ["1", "2"]), (#"{"r":[{"id":2},{"id":3}]}"#, ["2", "3"])] {
      let step = try walker.take(nil, nil, try json(body))
      #expect(step.page.items.map { text($0.id) } == ids)
      #expect(step.outcome == .end(.noNext))
    }
    #expect(walker.pages == 2)
  }

  @Test(arguments: [
    (#"{"r":[{}],"next":"https://a/2"}"#, Walker.WalkOutcome.link("https://a/2".bytes)),
    (#"{"r":[{}],"next":null}"#, .end(.noNext)),
    (
      #"{"r":[{}],"next":"/2"}"#,
      .failure(NextError.usage("a relative next link needs the page's URL: type --print-next URL FILE"))
    ),
    (
      #"{"r":[{}],"nextPageToken":"x"}"#,
      .failure(NextError.usage("the next request needs the page's URL: type --print-next URL FILE"))
    ),
  ])
  func aLinkToPrint(_ body: String, _ outcome: Walker.WalkOutcome) throws {
    var options = WalkOptions()
    options.findsLink = true
    var walker = try Walker(options, first: nil)
    let step = try walker.take(nil, nil, try json(body))
    #expect(step.outcome == outcome)
  }

  /// New cursors that bring no new items do not make a feed.
  @Test(arguments: [
    (#"{"items":[],"next":"N"}"#, "loop: 1000 pages without a new item", 1000...1001),
    (
      #"{"items":[{"id":1}],"next":"N"}"#,
      "page: the last 10 pages have only items that came before: the server does not know 'c' in the URL", 11...11
    ),
  ])
  func aWalkWithoutANewItemEnds(_ page: String, _ end: String, _ requests: ClosedRange<Int>) throws {
    let options = try Options(typed: "--items /items --id-from /id --next c=/next")
    let responses = (0..<1010).map { FakeServer.Response(body: page.replacing("N", with: "\($0)")) }
    let walk = FakeServer.walk(options, PageRequest(line: "GET https://a.example/"), responses)
    #expect(walk.end == end)
    #expect(requests.contains(walk.requests.count))
  }

  @Test func aLinkToPrintWithABase() throws {
    var walker = try Walker(WalkOptions(), first: PageRequest(url: "https://a/x".bytes))
    let step = try walker.take(nil, nil, try json(#"{"r":[{}],"next":"?p=2"}"#))
    #expect(step.outcome == .next(PageRequest(url: "https://a/x?p=2".bytes)))
  }

  @Test func graphQLComplaintsBesideItems() throws {
    let body = #"{"query":"{r(after:$c){nodes{id}}}"}"#
    let first = PageRequest(url: "https://a/".bytes, method: "POST", body: body.bytes)
    var walker = try Walker(try WalkOptions(typed: "--items /data/r/nodes"), first: first)
    let response = #"{"data":{"r":{"nodes":[{}],"pageInfo":{"hasNextPage":false}}},"errors":[{"message":"timeout"}]}"#
    let step = try walker.take(first, nil, try json(response))
    #expect(step.page.items.count == 1 && step.complaint?.hasPrefix("the response says 'timeout' (/errors)") == true)
  }

  @Test func orderKeysAreTexts() throws {
    var walker = try Walker(try WalkOptions(typed: "--items /r --order-key /t --next page=+1"), first: nil)
    let step = try walker.take(nil, nil, try json(#"{"r":[{"t":1.50},{"t":"x\n"},{},{"t":[1, 2]}]}"#))
    #expect(step.page.items.map { $0.orderKey.map { text($0) } } == ["1.50", "x\n", nil, "[1, 2]"])
  }

  @Test func errorsHaveTheirStatusAndPlace() throws {
    var walker = try Walker(try WalkOptions(typed: "--id-from /id --items /r"), first: nil)
    let body = "{\"r\":[\n{\"id\":1},\n  {\"di\":2}]}"
    let document = try json(body)
    let error = try #require(throws: NextError.self) { _ = try walker.take(nil, nil, document) }
    let local = error.failure(in: "-", page: 1, isLocal: true, body: body.bytes)
    #expect(local.status == .error)
    #expect(
      text(local.diagnostic.rendered(by: "paginate", .plain))
        == "paginate: -:3:3: page 1: item 2: no id at /id (--id-from)\n")
    #expect(error.failure(in: "https://a/", page: 1, isLocal: false, body: body.bytes).status == .remote)
    #expect(NextError.response("x").status(isLocal: true) == .error)
    #expect(NextError.usage("x").failure(in: "-", page: 1, isLocal: false) == .usage("x"))
  }
}
