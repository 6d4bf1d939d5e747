import TestSupport
import Testing

@testable import FeedCore
@testable import sse_serve

/// Clients that have seen an event which has not come here yet.
@Suite struct WaitingTests {
  /// Compares the list with a model that checks every waiting client, with any events and any clients leaving.
  @Test(arguments: UInt64(1)...20)
  func eachGoesOnWhenItShould(_ seed: UInt64) {
    struct Waiter {
      let token: UInt64
      let id: String
      let deadline: Double
    }
    var random = SeededGenerator(seed: seed)
    var list = WaitingList()
    var model: [Waiter] = []
    for step in 0..<2000 {
      let now = Double(step)
      var expected: [WaitingList.Ready] = []
      func release(_ waiter: Waiter, _ place: Int?) {
        expected.append(.init(token: waiter.token, id: Array(waiter.id.utf8), place: place))
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        let number = Int.random(in: step...step + 200, using: &random)
        let id = Bool.random(using: &random) ? "\(number)" : "00\(number)"
        let waiter = Waiter(token: UInt64(step), id: id, deadline: now + 100)
        list.add(waiter.token, id: Array(id.utf8), number: DecimalText(number), deadline: waiter.deadline)
        model.append(waiter)
      case 4:
        // The client may also be absent.
        let token = UInt64.random(in: UInt64(max(0, step - 50))...UInt64(step), using: &random)
        list.remove(token)
        model.removeAll { $0.token == token }
      case 5:
        list.expire(now)
        for waiter in model where waiter.deadline <= now { release(waiter, nil) }
        model.removeAll { $0.deadline <= now }
      default:
        let id = Int.random(in: 0..<6, using: &random) == 0 ? "x" : "\(step + Int.random(in: 0..<50, using: &random))"
        list.take(Array(id.utf8)[...], endingAt: step)
        guard let number = Int(id) else { break }
        for waiter in model where Int(waiter.id) ?? 0 <= number { release(waiter, waiter.id == id ? step : nil) }
        model.removeAll { Int($0.id) ?? 0 <= number }
      }
      let ready = list.takeReady()
      #expect(ready.sorted { $0.token < $1.token } == expected)
      #expect(list.count == model.count && Set(list.tokens) == Set(model.map(\.token)))
      // A client that has left may have had an earlier one.
      #expect(list.nextDeadline <= model.first?.deadline ?? .infinity)
    }
    list.expire(.infinity)
    let rest = list.takeReady()
    #expect(Set(rest.map(\.token)) == Set(model.map(\.token)))
    let more = list.takeReady()
    #expect(list.count == 0 && list.nextDeadline == .infinity && more.isEmpty)
  }

  static let records = (3...5).map { #"{"event":"merge","id":"\#($0)","data":{"n":\#($0)}}"# }.joined(separator: "\n")

  /// Which clients wait, for a stream whose newest id is 5.
  @Test(arguments: [
    ("6", true), ("06", true), (" 7 ", true), ("99999999999999999999999", true),
    ("5", false), ("05", false), ("4", false), ("2", false), ("0", false), ("-6", false), ("6.0", false), ("+6", false),
    ("six", false), ("", false), (String(repeating: "9", count: 4096), true),
    (String(repeating: "9", count: 4097), false),
  ])
  func aGreaterNumberIsAwaited(_ id: String, _ waits: Bool) throws {
    var publisher = try StreamTests().publisher(Self.records, plain: true)
    let response = publisher.wait(1, for: Array(id.utf8), until: 10)
    #expect(response == waits && publisher.waiting.count == (waits ? 1 : 0))
  }

  @Test func theNewestIDDecides() throws {
    func waits(_ id: String, _ records: String) throws -> Bool {
      var publisher = try StreamTests().publisher(records, plain: true)
      return publisher.wait(1, for: Array(id.utf8), until: 10)
    }
    // Nothing has come, so every id is ahead.
    #expect(try waits("1", ""))
    #expect(try waits("1", #"{"note":"live"}"#))
    #expect(try !waits("1", #"{"event":"x","data":1}"#))
    // An event without an id changes nothing.
    #expect(try waits("6", Self.records + #"{"event":"x","data":1}"#))
    #expect(try !waits("6", Self.records + #"{"event":"x","id":"a6","data":1}"#))
    // Ids that go back: an event that is here is not waited for.
    let back = Self.records + #"{"event":"x","id":"9","data":1}{"event":"x","id":"2","data":1}"#
    #expect(try !waits("9", back) && waits("8", back))
  }

  /// The text for a client that waits for an id, while records come in one piece.
  func received(
    _ id: String, _ records: String, plain: Bool = true, _ change: (inout Options) -> Void = { _ in }
  ) throws -> String {
    var server = try StreamTests.Published(plain: plain, change)
    let waits = server.stream.publisher.wait(1, for: Array(id.utf8), until: 10)
    #expect(waits)
    try server.take(records)
    var publisher = server.stream.publisher
    let ready = publisher.waiting.takeReady()
    #expect(ready.count == 1)
    let beginning = publisher.begin(after: ready[0].id, at: ready[0].place, in: publisher.logs[0])
    return StreamTests.text(from: beginning, publisher.logs[0])
  }

  @Test func itGoesOnRightAfterItsEvent() throws {
    let fifth = "event: merge\nid: 5\ndata: {\"n\":5}\n\n"
    #expect(try received("4", Self.records) == fifth)
    #expect(try received("5", Self.records) == "")
    // This also works if the event has left the window.
    #expect(try received("4", Self.records) { $0.replay = .events(0) } == fifth)
    let document = #"{"event":"data","id":"2","data":{"n":2}}"# + Self.records
    #expect(try received("4", document, plain: false) == fifth)
    #expect(try received("4", document, plain: false) { $0.replay = .events(0) } == fifth)
  }

  @Test func aGreaterNumberThatComesInsteadEndsTheWait() throws {
    let document = #"{"event":"data","id":"1","data":{"n":1}}{"event":"merge","id":"7","data":{"n":7}}"#
    #expect(try received("6", document, plain: false) == "id: 7\nevent: data\ndata: {\"n\":7}\n\n")
    #expect(try received("07", document, plain: false) == "id: 7\nevent: data\ndata: {\"n\":7}\n\n")
    #expect(try received("6", document).hasPrefix(": the event to resume after is no longer known\n\nid\n\n"))
  }

  /// The document if the event occurs twice; plain events are repeated rather than lost.
  @Test func anEventThatStandsTwice() throws {
    let document = #"{"event":"data","id":"1","data":{}}{"event":"merge","id":"4","data":{"n":3}}"#
    let twice = document + #"{"event":"merge","id":"4","data":{"n":4}}"#
    #expect(try received("4", twice, plain: false) == "id: 4\nevent: data\ndata: {\"n\":4}\n\n")
    #expect(try received("4", twice) == "event: merge\nid: 4\ndata: {\"n\":4}\n\n")
  }

  /// Only the note says that the input is up to date.
  @Test(arguments: [
    (#"{"note":"live"}"#, true), (#"{"time":"","note":"l\u0069ve","x":1}"#, true), (#"{"note":"open"}"#, false),
    (#"{"note":["live"]}"#, false), (#"{"comment":"live"}"#, false), (#"{"event":"x","note":"live","data":1}"#, false),
  ])
  func theNote(_ record: String, _ isLive: Bool) throws {
    var server = try StreamTests.Published(plain: true)
    try server.take(record)
    #expect(server.input.isLive == isLive)
  }
}
