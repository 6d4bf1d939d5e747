import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP

/// A feed with scripted connections, on a clock that only the test moves.
@Suite struct FollowerTests {
  struct Feed: Followed {
    /// How the connections end, each after this many events.
    var endings: [(ConnectionEnding, events: Int)]
    var count = 0
    var connections = 0
    var flushes = 0
    var wasAbandoned = false
    var asksToWait: Double?
    var closing: (code: Int?, reason: String?)?
    /// An error that ends the first connection.
    var failure: ToolFailure?
    /// What was printed, with marks for flushes.
    var notes: [String] = []

    mutating func connect(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding {
      let (ending, events) = endings[connections]
      connections += 1
      count += events
      if events > 0 { try follower.open(&self, at: "http://y/") }
      if let asksToWait { follower.setDelay(asksToWait) }
      if let failure { throw failure }
      return ending
    }

    mutating func print(_ note: Note) throws(ToolFailure) {
      let members = [note.code.map { "\($0)" }, note.delay.map { "\(Int($0.rounded())) s" }, note.reason]
      notes.append(([note.kind.rawValue, note.url] + members.compactMap(\.self)).joined(separator: " | "))
    }

    mutating func flush() throws(ToolFailure) {
      flushes += 1
      if !notes.isEmpty, notes.last != "flush" { notes.append("flush") }
    }
    mutating func abandon() { wasAbandoned = true }
  }

  /// The result of a run, the length of each wait, and the messages.
  private func run(
    _ feed: inout Feed, interruption: Interruption? = nil, _ change: (inout ConnectionOptions) -> Void = { _ in }
  ) throws -> (result: Swift.Result<FeedCore.ExitStatus, ToolFailure>, waits: [Int], words: String) {
    final class Clockwork { var waits: [Int] = [] }
    let clockwork = Clockwork()
    let pipe = Child.pipe()
    let (reading, writing) = (Descriptor(pipe.read), Descriptor(pipe.write))
    var rules = ConnectionOptions()
    change(&rules)
    var follower = Follower(
      rules, HTTPOptions(), Reconnection(rules, FollowedFeed("http://x/", missing: "feed"), random: { 0 }),
      StandardStreams(program: "tool", error: writing), Interrupts(.standardOutput)
    ) { deadline throws(ToolFailure) in
      clockwork.waits.append(Int((deadline - Clock.monotonic()).rounded()))
      return interruption
    }
    let result: Swift.Result<FeedCore.ExitStatus, ToolFailure>
    do throws(ToolFailure) { result = .success(try follower.run(&feed)) } catch { result = .failure(error) }
    try writing.close()
    let words = try ByteReader.readAll(reading, limit: 1 << 16)
    return (result, clockwork.waits, String(decoding: words, as: UTF8.self))
  }

  private let lost = ConnectionEnding.lost(HTTPError(.transient, "connection lost"))
  private let failed = ConnectionEnding.failed(HTTPError(.transient, "connection refused"))

  @Test func itConnectsUntilAllIsDone() throws {
    var feed = Feed(endings: [(failed, 0), (lost, 2), (.closed, 1), (.finished, 1)])
    let (result, waits, words) = try run(&feed)
    #expect(result == .success(.yes) && waits == [3, 3, 3] && feed.count == 4)
    #expect(feed.flushes == 4 && !feed.wasAbandoned && words == "")
  }

  @Test func aFailureIsToldAndNothingGoodIsLost() throws {
    var feed = Feed(endings: [(lost, 1), (failed, 0), (failed, 0)])
    let (result, waits, words) = try run(&feed) { $0.retries = 1 }
    #expect(
      result
        == .failure(.failed(.remote, "connection refused; gave up after 2 attempts", source: "http://x/")))
    #expect(waits == [3, 3] && feed.wasAbandoned)
    #expect(words == "tool: http://x/: connection refused; reconnecting in 3 s\n")
  }

  @Test func allIsToldWhenAskedTo() throws {
    var feed = Feed(endings: [(.closed, 1), (.stopped(status: 204), 0)])
    let (_, _, words) = try run(&feed) { $0.isVerbose = true }
    #expect(
      words.split(separator: "\n").map { $0.dropFirst("tool: http://x/: ".count) } == [
        "connecting", "open", "closed by the server; reconnecting in 3 s", "connecting",
        "the server asks to stop (HTTP 204)",
      ])
  }

  @Test func theFeedSaysHowLongToWait() throws {
    var feed = Feed(endings: [(.closed, 1), (.closed, 1), (.finished, 0)], asksToWait: 7200)
    let (_, waits, words) = try run(&feed)
    #expect(waits == [7200, 7200])
    #expect(words == "tool: http://x/: the stream asks to wait 7200 s before each reconnection ('retry')\n")
  }

  /// No wait goes beyond the deadline.
  @Test func theTimeIsUpInAWait() throws {
    var feed = Feed(endings: [(failed, 0)])
    let (result, waits, _) = try run(&feed) {
      $0.maxTime = 2
      $0.delay = 60
    }
    #expect(waits == [2])
    let text = "no feed within 2 s: connection refused"
    #expect(result == .failure(.failed(.tryAgain, text, source: "http://x/")))
  }

  @Test func aReaderThatHasGoneEndsIt() throws {
    var feed = Feed(endings: [(.interrupted(.hangUp), 1)])
    #expect(try run(&feed).result == .failure(.brokenPipe))
    #expect(feed.wasAbandoned && feed.flushes == 0)
    var waiting = Feed(endings: [(.closed, 1)])
    #expect(try run(&waiting, interruption: .hangUp).result == .failure(.brokenPipe))
  }

  // MARK: Notes

  private func refusal(_ status: Int) throws -> ConnectionEnding {
    var head = HTTPHead()
    _ = head.take(Array("HTTP/1.1 \(status) X\r\n".utf8))
    let request = HTTPRequest(url: try HTTPURL(Array("http://x/".utf8)), userAgent: [])
    return .refused(Refusal(head, body: Array("not now".utf8), to: request))
  }

  /// Each note is written out before the next wait, and -v does not change them.
  @Test(arguments: [false, true]) func notesTellWhatBecomesOfTheConnections(_ isVerbose: Bool) throws {
    var feed = Feed(endings: [(failed, 0), (lost, 2), (try refusal(503), 0), (.closed, 1), (.stopped(status: 204), 0)])
    let (result, waits, words) = try run(&feed) {
      $0.printsNotes = true
      $0.isVerbose = isVerbose
    }
    #expect(result == .success(.yes) && waits.count == 4 && words.contains("open") == isVerbose)
    #expect(
      feed.notes == [
        "retrying | http://x/ | 3 s | connection refused", "flush",
        "open | http://y/", "flush",
        "closed | http://y/ | connection lost", "retrying | http://x/ | 3 s | connection lost", "flush",
        "closed | http://x/ | 503 | HTTP 503: not now",
        "retrying | http://x/ | 3 s | HTTP 503: not now", "flush",
        "open | http://y/", "flush",
        "closed | http://y/ | closed by the server",
        "retrying | http://x/ | 3 s | closed by the server", "flush",
        "closed | http://x/ | 204 | the server asks to stop (HTTP 204)", "flush",
      ])
  }

  @Test func thereAreNoNotesUnlessTheyAreWanted() throws {
    var feed = Feed(endings: [(failed, 0), (lost, 2), (try refusal(503), 0), (.closed, 1), (.stopped(status: 204), 0)])
    _ = try run(&feed)
    #expect(feed.notes.isEmpty)
  }

  /// The words of a close frame replace ours.
  @Test func aNoteHasWhatTheOtherEndSaid() throws {
    var feed = Feed(endings: [(.closed, 1), (.finished, 1)], closing: (code: 1001, reason: "restart"))
    _ = try run(&feed) { $0.printsNotes = true }
    #expect(
      feed.notes.filter { $0.hasPrefix("closed") } == Array(repeating: "closed | http://y/ | 1001 | restart", count: 2))
    feed = Feed(endings: [(failed, 0), (.closed, 1), (.finished, 1)], closing: (code: nil, reason: nil))
    _ = try run(&feed) { $0.printsNotes = true }
    #expect(
      feed.notes.filter { $0.hasPrefix("closed") } == [
        "closed | http://y/ | closed by the server", "closed | http://y/",
      ])
  }

  /// An open connection is also noted as closed if the tool fails.
  @Test func anErrorClosesWhatIsOpen() throws {
    let failure = ToolFailure.failed(.remote, "event 2: too long", source: "http://x/")
    var feed = Feed(endings: [(.closed, 1)], failure: failure)
    #expect(try run(&feed) { $0.printsNotes = true }.result == .failure(failure))
    #expect(feed.notes == ["open | http://y/", "closed | http://y/ | event 2: too long"] && feed.wasAbandoned)
  }

  /// There is no reader for it.
  @Test func aReaderThatHasGoneGetsNoNote() throws {
    var feed = Feed(endings: [(.interrupted(.hangUp), 1)])
    #expect(try run(&feed) { $0.printsNotes = true }.result == .failure(.brokenPipe))
    #expect(feed.notes == ["open | http://y/"])
  }
}
