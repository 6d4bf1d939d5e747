import FeedCore
import TestSupport
import Testing

@testable import paginate

/// Cases that scenarios of a few requests do not cover.
@Suite struct FeedSessionTests {
  /// Responses by a function of the request's number, from 0.
  private final class Server: PageFetcher {
    let response: (Int) -> FeedResponse
    private(set) var requests: [String] = []

    init(_ response: @escaping (Int) -> FeedResponse) { self.response = response }

    func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
      requests.append(String(decoding: request, as: UTF8.self))
      return response(requests.count - 1)
    }
  }

  private func page(_ ids: [String], next: String? = nil, total: Int? = nil) -> FeedResponse {
    let items = ids.map { id in
      FeedItem(id: Array(id.utf8), data: Array("\"\(id)\"".utf8))
    }
    return .page(FeedPage(items: items, next: next.map { Array($0.utf8) }, total: total, etag: nil))
  }

  private final class Output {
    var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private func session(
    _ server: Server, _ store: some FeedStorage, _ output: Output, _ change: (inout FeedOptions) -> Void = { _ in }
  ) -> FeedSession<Server> {
    var options = FeedOptions(firstRequest: Array("/feed".utf8))
    change(&options)
    let printer = FeedPrinter { bytes, _ in
      for index in bytes.indices { output.bytes.append(bytes[index]) }
      return (bytes.count, nil)
    }
    return FeedSession(store, options, server, printer)
  }

  /// A cursor that is always new.
  @Test(arguments: [[], ["a"]]) func endless(_ ids: [String]) throws {
    let server = Server { self.page(ids, next: "/feed?c=\($0)") }
    var session = session(server, MemoryStorage(), Output())
    let outcome = try session.run()
    #expect(outcome.failure == FeedFailure(status: .remote, message: "1000 pages without a new item"))
    #expect(server.requests.count <= 1001)
  }

  /// The waiting items are enough: no request is made.
  @Test func enoughWaits() throws {
    let store = MemoryStorage()
    let first = Output()
    var one = session(Server { _ in self.page(["a", "b", "c"]) }, store, first)
    one.printer.remaining = 1
    one.printer.form = .record(RecordStamp())
    _ = try one.run()
    #expect(first.text == "{\"event\":\"item\",\"id\":\"a\",\"data\":\"\\\"a\\\"\"}\n")

    let second = Output()
    let server = Server { _ in self.page([]) }
    var two = session(server, store, second)
    two.printer.remaining = 2
    #expect(try two.run() == FeedOutcome(hasOpenGap: false))
    #expect(second.text == "\"b\"\n\"c\"\n" && server.requests == [])
  }

  /// If no page of a numbered feed shows the tail, the feed is read again from page 1.
  @Test func noPageShowsTheTail() throws {
    let store = MemoryStorage()
    var one = session(Server { _ in self.page(["b", "a"], next: "/feed?page=1") }, store, Output()) {
      $0.maxPages = 1
    }
    _ = try one.run()
    let server = Server { self.page($0 == 0 ? ["x", "b"] : [], next: "/feed?page=1") }
    var two = session(server, store, Output()) {
      $0.command = .more
      $0.proof = 1
      $0.numbering = .pages
      $0.numberedRequest = { Array("/feed?page=\($0)".utf8) }
    }
    let outcome = try two.run()
    #expect(outcome.status == .no && outcome.hasOpenGap)
    #expect(server.requests == ["/feed", "/feed?page=1", "/feed?page=0", "/feed", "/feed?page=1"])
  }

  @Test func versions() {
    for (text, expected) in [("", "cbf29ce484222325"), ("foobar", "85944171f73967e8")] {
      let bytes = Array(text.utf8)
      let version = ItemVersion.of(bytes.span)
      #expect(version == Array(expected.utf8))
    }
  }

  /// A run that is inserted above others, joined and extended has its items in the right places.
  @Test func positionsOfRuns() {
    var runs = FeedRuns([
      FeedRun(number: 1, top: 0, bottom: 9, lowerEnd: .end), FeedRun(number: 2, top: -20, bottom: -11, lowerEnd: .open),
    ])
    #expect(runs.head?.number == 2 && runs.nextNumber == 3)
    #expect(runs.index(of: -20) == 0 && runs.index(of: -11) == 0 && runs.index(of: 9) == 1)
    #expect(runs.index(of: -10) == nil && runs.index(of: -21) == nil && runs.index(of: 10) == nil)
    #expect(runs.printable == Int.min...(-1))
    runs.replace([1], with: [FeedRun(number: 2, top: -20, bottom: 9, lowerEnd: .end)])
    #expect(runs.all.count == 1 && runs.printable == Int.min...Int.max)
  }
}
