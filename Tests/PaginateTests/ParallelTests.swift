import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// Which pages `--parallel` requests early, and whether two pages fit together.
struct ParallelTests {
  private static func request(_ query: String) -> PageRequest { PageRequest(url: "https://a/?\(query)".bytes) }

  private static func read(_ text: String, _ head: [String] = [], total: String = "/total") throws -> Page {
    var options = WalkOptions()
    options.items = try ItemPlace("/items".bytes)
    options.id = try JSONPointer("/id".bytes)
    options.total = try TotalPlace(total.bytes)
    return try Shape(options).read(try json(text), makeHead(head))
  }

  /// The rule, the page that was read, the next one, what the first one said, and the requests ahead of it.
  @Test(arguments: [
    ("p=+1", "x=1", "x=1&p=2", #"{"items":[{"id":1},{"id":2}],"total":9}"#, "p=3 p=4 p=5"),
    ("p=+1", "p=3", "p=4", #"{"items":[{"id":1},{"id":2}],"total":9}"#, "p=5"),
    ("p=+1", "p=3", "p=4", #"{"items":[{"id":1},{"id":2}],"total":8}"#, ""),
    ("p=+1@0", "p=0", "p=1", #"{"items":[{"id":1},{"id":2}],"total":9}"#, "p=2 p=3 p=4"),
    ("p=+1@0", "p=0", "p=1", #"{"items":[{"id":1},{"id":2}],"total":6}"#, "p=2"),
    ("o=+items", "", "o=2", #"{"items":[{"id":1},{"id":2}],"total":7}"#, "o=4 o=6"),
    ("o=+items", "", "o=2", #"{"items":[{"id":1},{"id":2}],"total":6}"#, "o=4"),
    ("o=+items@1", "o=1", "o=3", #"{"items":[{"id":1},{"id":2}],"total":6}"#, "o=5"),
    // Nothing is known, or nothing counts.
    ("p=+1", "", "p=2", #"{"items":[{"id":1}]}"#, ""),
    ("p=+1", "", "p=2", #"{"items":[{"id":1}],"total":0}"#, ""),
    ("p=+1", "", "p=2", #"{"items":[{"id":1}],"total":99999999999999999999}"#, ""),
    ("p=+1", "p=2", "p=2", #"{"items":[{"id":1}],"total":9}"#, ""),
    ("p=+1", "p=9223372036854775806", "p=9223372036854775807", #"{"items":[{"id":1}],"total":9}"#, ""),
    ("o=+items", "o=x", "o=2", #"{"items":[{"id":1}],"total":9}"#, ""),
  ])
  func whatIsAhead(_ rule: String, _ here: String, _ next: String, _ body: String, _ wanted: String) throws {
    let numbers = try #require(NumberedPages(NextRules(typed: rule)))
    let page = try Self.read(body)
    let end = numbers.end(page.counts, size: page.items.count)
    let ahead = end.map { numbers.requests(after: Self.request(next), from: Self.request(here), before: $0, atMost: 3) }
    let found = (ahead ?? []).map { String(text($0.url).split(whereSeparator: { "?&".contains($0) }).last ?? "") }
    #expect(found.joined(separator: " ") == wanted)
  }

  @Test func aPageCountIsTheEnd() throws {
    let numbers = try #require(NumberedPages(NextRules(typed: "p=+1")))
    let fromZero = try #require(NumberedPages(NextRules(typed: "p=+1@0")))
    let body = #"{"items":[{"id":1}],"pages":5}"#
    let counts = try Self.read(body, total: "/pages").counts
    #expect(numbers.end(counts, size: 1) == 6 && fromZero.end(counts, size: 1) == 5)
    let told = try Self.read(body, ["X-Total-Pages: 7"], total: "/none").counts
    #expect(numbers.end(told, size: 1) == 8 && told.items == nil)
  }

  @Test(arguments: ["link", "/next", "c=/c", "p=+1@99999999999999999999"])
  func whatIsNotNumbered(_ rule: String) throws { #expect(NumberedPages(NextRules(typed: rule)) == nil) }

  @Test func continuity() throws {
    var continuity = PageContinuity(depth: 2)
    func page(_ ids: String, _ total: String) throws -> Page {
      try Self.read(
        "{\"items\":[\(ids.split(separator: " ").map { "{\"id\":\($0)}" }.joined(separator: ","))],\"total\":\(total)}")
    }
    let first = try page("9 8 7", "9")
    continuity.add(first, isLast: false)
    let (good, seen, more, less) = (
      try page("6 5 4", "9"), try page("7 6 5", "9"), try page("6 5 4", "10"), try page("5 4 3", "8")
    )
    #expect(continuity.fits(good) && !continuity.overlaps(good))
    #expect(!continuity.fits(seen) && continuity.overlaps(seen))
    #expect(!continuity.fits(more) && !continuity.hasSameCounts(more))
    #expect(!continuity.fits(less) && !continuity.hasSameCounts(less))
    #expect(!continuity.hasShifted)
    continuity.add(good, isLast: false)
    let third = try page("3 2", "9")
    continuity.add(third, isLast: true)
    // The first page is too far back.
    #expect(!continuity.overlaps(first) && continuity.overlaps(good))
    #expect(continuity.largest == 3 && continuity.smallest == 3 && !continuity.hasShifted)
    continuity.add(less, isLast: true)
    #expect(continuity.hasShifted)
  }
}
