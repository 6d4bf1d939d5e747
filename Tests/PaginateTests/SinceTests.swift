import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// `--since`: random histories of a feed that is asked only for what is newer, by runs that do not end; and the values.
@Suite struct SinceTests {
  /// By which order the server sends its items.
  struct Order: CaseIterable, Sendable, CustomStringConvertible {
    /// The value that they are sorted by.
    enum Key: CaseIterable { case updated, created }

    let key: Key
    let order: FeedOrder
    /// Whether the request for a page says how many items come before it, not which.
    var isNumbered = false

    static let allCases = [
      Order(key: .updated, order: .newestFirst), Order(key: .created, order: .newestFirst),
      Order(key: .updated, order: .oldestFirst), Order(key: .created, order: .oldestFirst),
      Order(key: .updated, order: .oldestFirst, isNumbered: true),
    ]

    var description: String { "\(key), \(order.rawValue)\(isNumbered ? ", numbered" : "")" }
  }

  @Test(arguments: Order.allCases, 1...RandomFeedTests.count * 3 / 5)
  func nothingIsLeftOut(_ order: Order, _ seed: Int) throws {
    let store = MemoryStorage()
    try SinceHistory(order, seed).run("\(order), seed \(seed)") {
      (store, store.mark, store.picture)
    }
  }

  @Test(arguments: Order.allCases, 1...5)
  func nothingIsLeftOutInAFile(_ order: Order, _ seed: Int) throws {
    let folder = try ScratchFolder()
    let path = Array(folder.file("so.db").utf8)
    let feed = try StoreFile(path).add(Array("so".utf8), url: Array("/feed".utf8))
    try SinceHistory(order, seed).run("\(order), seed \(seed)") {
      // Each run opens the file again, like a new process.
      let store = try StoreFile(path).open(feed)
      return (store, try store.mark(), try StorePicture(store.database, feed: feed.number))
    }
  }

  /// Two values, the first smaller than the second.
  @Test(
    arguments: [
      ("9", "10"), ("-10", "-9"), ("1.5", "15e-1001"), ("99999999999999999999.5", "99999999999999999999.51"),
      ("0.1", "1e2"), (#""2024-01-01T00:00:00+01:00""#, #""2023-12-31T23:00:00.000000001Z""#),
      (#""1969-12-31T23:59:58.5Z""#, #""1969-12-31T23:59:58.75Z""#),
      (#""1969-12-31T23:59:59.75Z""#, #""1970-01-01T00:00:00Z""#), (#""a""#, #""aa""#), (#""Z""#, #""a""#),
      (#""2016-12-31T23:59:59.9Z""#, #""2016-12-31T23:59:60Z""#), ("9007199254740992", "9007199254740993"),
      ("-5e-1", "-0.4"), (#""5""#, "6"), (#""2024-06-01T12:00:00.5""#, #""2024-06-01 12:00:01""#),
      (#""9""#, #""10""#),
    ])
  func valuesAreCompared(_ left: String, _ right: String) throws {
    func value(_ text: String) throws -> SinceValue? {
      let value = try JSONDocument(parsing: Array(text.utf8)).root
      return JSONText.scalar(value).flatMap { SinceValue($0, isNumber: value.kind == .number, as: nil) }
    }
    guard let smaller = try value(left), let greater = try value(right) else {
      // An exponent that would need more digits than anyone sends.
      #expect(right.contains("1001"))
      return
    }
    #expect(smaller.isBelow(greater) && !greater.isBelow(smaller) && smaller.kind == greater.kind)
  }
}

/// A feed whose items are added and edited, and the runs on it.
private final class SinceHistory {
  private struct Entry {
    let id: Int
    var updated: Int
  }

  private let order: SinceTests.Order
  private var random: SeededGenerator
  private let perPage: Int
  private var entries: [Entry] = []
  private var clock = 0
  private var isCalm = false
  private var printed: [String] = []

  init(_ order: SinceTests.Order, _ seed: Int) {
    self.order = order
    random = SeededGenerator(seed: UInt64(seed))
    perPage = Int.random(in: 1...4, using: &random)
  }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private func change() {
    clock += 1
    if entries.isEmpty || pick(2) == 0 {
      entries.append(Entry(id: entries.count, updated: clock))
    } else {
      entries[pick(entries.count)].updated = clock
    }
  }

  private func data(_ entry: Entry) -> [UInt8] { Array("{\"id\":\"q\(entry.id)\",\"at\":\(entry.updated)}".utf8) }

  /// - Parameter open: the store, its mark and its contents.
  func run(_ comment: String, _ open: () throws -> (any FeedStorage, SinceMark?, StorePicture)) throws {
    for round in 0..<25 {
      for _ in 0..<[0, 1, 3, 9][pick(4)] { change() }
      let (store, mark, _) = try open()
      let maxPages = [nil, nil, 1, 2][pick(4)]
      try run(store, mark, maxPages: maxPages, killAfter: pick(3) == 0 ? pick(12) : nil)
      try open().2.checkInvariants("\(comment), round \(round)")
    }
    isCalm = true
    for command in [FeedOptions.FeedCommand.refresh, .more, .refresh, .refresh] {
      let (store, mark, _) = try open()
      try run(store, mark, maxPages: 1000, killAfter: nil, command)
    }
    let (_, mark, picture) = try open()
    picture.checkInvariants(comment)
    #expect(!picture.runs.hasOpenGap && picture.gone == [], "\(comment)")
    let known = Dictionary(uniqueKeysWithValues: picture.items.map { ($0.id, $0.data) })
    for entry in entries { #expect(known["q\(entry.id)"] == data(entry), "\(comment): item \(entry.id)") }
    #expect(Set(printed).count == printed.count, "\(comment): printed twice")
    #expect(Set(printed + picture.uncertain).count == entries.count, "\(comment): not printed")
    #expect(mark?.covered?.text ?? [] == (entries.isEmpty ? [] : Array("\(clock)".utf8)), "\(comment): the mark")
  }

  private func run(
    _ store: any FeedStorage, _ mark: SinceMark?, maxPages: Int?, killAfter: Int?,
    _ command: FeedOptions.FeedCommand = .refresh
  ) throws {
    let asksForNewer = command == .refresh || command == .more && order.order == .oldestFirst
    let since = !asksForNewer ? nil : mark?.covered.map { String(decoding: $0.text, as: UTF8.self) }
    var options = FeedOptions(firstRequest: Array("/feed?since=\(since ?? "0")".utf8))
    options.order = order.order
    options.since = .init(isFiltered: since != nil, mayShift: order.isNumbered)
    options.maxPages = maxPages
    options.command = command
    let printer = FeedPrinter { [self] bytes, ends in
      var text: [UInt8] = []
      for index in bytes.indices { text.append(bytes[index]) }
      printed += String(decoding: text, as: UTF8.self).split(separator: "\n").map {
        String($0.split(separator: "\"")[3])
      }
      return (bytes.count, nil)
    }
    var moments = 0
    let interrupted = InterruptedStorage(store) { moment in
      // What was being printed is another matter.
      guard case .afterCommit = moment else { return false }
      moments += 1
      return moments - 1 == killAfter
    }
    var session = FeedSession(interrupted, options, Fetcher(history: self, mark: mark), printer)
    do {
      let outcome = try session.run()
      if isCalm { #expect(outcome == FeedOutcome(hasOpenGap: false)) }
    } catch {
      guard error == InterruptedStorage.interruption else { throw error }
    }
  }

  private struct Fetcher: PageFetcher {
    let history: SinceHistory
    var mark: SinceMark?

    mutating func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
      if !history.isCalm, history.pick(20) == 0 { return .failed(FeedFailure(status: .remote, message: "lost")) }
      // In the other order, an item may be edited on a page that was read already, which only an overlap finds.
      // Nor is an item found that has moved up from a page of the first walk to the one before it.
      let mayChange = history.order.key == .updated && (!history.order.isNumbered || mark?.covered != nil)
      if !history.isCalm, mayChange, history.pick(3) == 0 { history.change() }
      return .page(history.page(request, &mark))
    }
  }

  private func page(_ request: [UInt8], _ mark: inout SinceMark?) -> FeedPage {
    let numbers = String(decoding: request, as: UTF8.self).split { !$0.isNumber }.compactMap { Int($0) }
    func key(_ entry: Entry) -> Int {
      (order.key == .updated ? entry.updated : entry.id) * (order.order == .newestFirst ? -1 : 1)
    }
    var found = entries.filter { $0.updated > numbers[0] }.sorted { key($0) < key($1) }
    let place = numbers.dropFirst().first ?? 0
    if order.isNumbered {
      found = Array(found.dropFirst(place))
    } else if numbers.count > 1 {
      found = found.filter { key($0) > (order.order == .newestFirst ? -place : place) }
    }
    var page = FeedPage(items: [])
    for entry in found.prefix(perPage) {
      guard let value = SinceValue(Array("\(entry.updated)".utf8), as: .number) else { continue }
      let text = data(entry)
      page.items.append(
        FeedItem(
          id: Array("q\(entry.id)".utf8), orderKey: value.text, data: text,
          isNewer: mark?.covered?.isBelow(value) ?? false))
      if mark == nil { mark = SinceMark(source: Array("/at".utf8), greatest: value) }
      if mark?.greatest.isBelow(value) == true { mark?.greatest = value }
    }
    page.mark = mark
    if found.count > perPage {
      let next = order.isNumbered ? place + perPage : abs(key(found[perPage - 1]))
      page.next = Array("/feed?since=\(numbers[0])&after=\(next)".utf8)
    }
    return page
  }
}
