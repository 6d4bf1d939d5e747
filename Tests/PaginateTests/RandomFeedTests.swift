import FeedCore
import Foundation
import TestSupport
import Testing

@testable import paginate

/// A feed that changes at random while it is read, by runs that are killed at random: nothing is printed twice, and
/// after all gaps are closed nothing is missing. Readers with their own place get everything in one order.
@Suite struct RandomFeedTests {
  /// How many histories of each order and style, of which there are three.
  static let count = Dice.rolls(20)

  @Test(arguments: SimulatedFeed.Style.allCases, 1...count)
  func inMemory(_ style: SimulatedFeed.Style, _ seed: Int) throws {
    for order in [FeedOrder.newestFirst, .oldestFirst] {
      let store = MemoryStorage()
      _ = try RandomRuns(style, order, seed: seed).run {
        store.picture
      } on: {
        store
      }
    }
  }

  @Test(arguments: SimulatedFeed.Style.allCases, 1...Dice.rolls(6))
  func inFile(_ style: SimulatedFeed.Style, _ seed: Int) throws {
    try inFile(style, .newestFirst, seed)
    try inFile(style, .oldestFirst, seed)
  }

  private func inFile(_ style: SimulatedFeed.Style, _ order: FeedOrder, _ seed: Int) throws {
    let folder = try ScratchFolder()
    let path = Array(folder.file("so.db").utf8)
    let file = try StoreFile(path)
    let feed = try file.add(Array("so".utf8), url: Array("/feed".utf8))
    let printed = try RandomRuns(style, order, seed: seed).run {
      try KnownViewTests.check(try StoreFile(path).open(feed), "\(style), seed \(seed)")
      return try StorePicture(path, feed: feed.number)
    } on: {
      // Each run opens the file again, like a new process.
      try StoreFile(path).open(feed)
    }
    #expect(try file.damage() == [])
    let memory = MemoryStorage()
    let other = try RandomRuns(style, order, seed: seed).run {
      memory.picture
    } on: {
      memory
    }
    #expect(printed == other, "the stores differ")
  }
}

/// One simulated feed, and everything that happens to it.
private final class RandomRuns {
  private let feed: SimulatedFeed
  private var random: SeededGenerator
  private let comment: String
  private var printed: [String] = []
  /// The items that each reader with a checkpoint has taken; the last one is in the checkpoint.
  private var taken: [[String]] = [[], []]
  /// The checkpoints of the readers. The second also keeps `seq`.
  private var checkpoints: [(id: String, seq: Int?)?] = [nil, nil]
  /// Items that may be printed twice, because they were uncertain and requested again.
  private var doubtful: Set<String> = []
  private var isCalm = false
  /// The place from which the second reader last got items, and how often it had been there before.
  private var lastPlace = 0
  private var rewinds = 0
  /// The same for all runs.
  private let proof: Int
  private let printsChanged: Bool

  init(_ style: SimulatedFeed.Style, _ order: FeedOrder, seed: Int) {
    random = SeededGenerator(seed: UInt64(seed))
    feed = SimulatedFeed(style, order, perPage: Int.random(in: 1...5, using: &random))
    proof = seed % 5 == 1 ? 1 : 2
    printsChanged = seed % 3 == 2
    comment = "\(order), \(style), seed \(seed)"
  }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  /// - Returns: the ids that were printed, in order; then those that each reader took.
  func run(_ picture: () throws -> StorePicture, on store: () throws -> some FeedStorage) throws -> [String] {
    for _ in 0..<pick(20) { feed.insert() }
    for round in 0..<25 {
      for _ in 0..<pick(4) { change() }
      for _ in 0..<[0, 0, 1, 3, 12][pick(5)] { feed.insert() }
      if feed.order == .oldestFirst, pick(6) == 0 { feed.deleteMany(pick(30), oldest: pick(2) == 0) }
      if feed.order == .oldestFirst, pick(6) == 0 { feed.deleteMany(pick(30), oldest: pick(2) == 0) }
      let before = try picture()
      try runOnce(try store(), "\(comment), round \(round)")
      let after = try picture()
      after.checkInvariants("\(comment), round \(round)")
      #expect(Set(before.items.map(\.id)).isSubset(of: after.items.map(\.id)), "\(comment): an item was forgotten")
    }

    isCalm = true
    // An empty page proves nothing, so a gap stays open as long as the feed is empty.
    if feed.ids.isEmpty { feed.insert() }
    var options = feed.options
    for command in [FeedOptions.FeedCommand.refresh, .more, .refresh] {
      options.command = command
      options.maxPages = command == .more ? 1000 : nil
      try run(options, try store(), killAfter: nil, room: nil, redelivers: false, "\(comment), calm \(command)")
    }
    let found = try picture()
    found.checkInvariants("\(comment), at the end")
    #expect(!found.runs.hasOpenGap, "\(comment): a gap stays open")
    let known = Set(feed.ids)
    #expect(found.waiting == [] && found.intended == nil, "\(comment): something still waits")
    let visible = found.visible.filter(known.contains)
    let difference = visible.difference(from: feed.ids)
    #expect(difference.isEmpty, "\(comment): what is known of the feed")
    let all = Set(printed + found.uncertain)
    #expect(known.subtracting(all) == [], "\(comment): never printed")
    for (id, count) in Dictionary(printed.map { ($0, 1) }, uniquingKeysWith: +)
    where count > 1 && !printsChanged {
      #expect(doubtful.contains(id), "\(comment): \(id) was printed \(count) times")
    }

    options.command = .full
    options.maxPages = nil
    try run(options, try store(), killAfter: nil, room: nil, redelivers: false, comment)
    #expect(try picture().visible.difference(from: feed.ids).isEmpty, "\(comment): after a full walk")
    try checkReaders(options, store)
    return printed + taken.joined()
  }

  /// Each reader gets every release, in order, and none twice. The exceptions are items that were printed again, and
  /// for a reader with only its id, everything after those.
  private func checkReaders(_ options: FeedOptions, _ store: () throws -> some FeedStorage) throws {
    let all = try store().released(after: 0, lines: .max, bytes: .max).map { String(decoding: $0.id, as: UTF8.self) }
    for reader in taken.indices {
      let comment = "\(comment), reader \(reader)"
      try run(options, try store(), killAfter: nil, room: nil, redelivers: false, reader: reader, comment)
      let found = printsChanged ? lastOfEach(taken[reader]) : taken[reader]
      #expect(found == all, "\(comment)")
      #expect(reader == 0 || rewinds == 0, "\(comment) was given something again")
    }
  }

  private func lastOfEach(_ ids: [String]) -> [String] {
    var seen: Set<String> = []
    return ids.reversed().filter { seen.insert($0).inserted }.reversed()
  }

  /// Changes the feed between two requests.
  private func change() {
    switch pick(feed.style == .cursor ? 5 : 4) {
    case 0: feed.delete(pick)
    case 1: feed.edit(pick)
    case 2, 3: feed.insert()
    default: feed.bump(pick)
    }
  }

  /// Changes the feed once, or deletes several items too. A page of new items at once would get a wrong place in a
  /// numbered feed.
  private func changeSome() {
    let before = feed.ids
    change()
    for _ in 0..<[0, 0, 1, 4][pick(4)] { feed.delete(pick) }
    // If new items come at the end, a total that stays the same hides what was deleted.
    let hides = feed.order == .oldestFirst && feed.style != .cursor && feed.ids.count == before.count
    if hides, feed.ids != before { feed.insert() }
  }

  private func runOnce(_ store: some FeedStorage, _ comment: String) throws {
    var options = feed.options
    options.command = [.refresh, .refresh, .more, .full][pick(4)]
    options.maxPages = [nil, nil, 1, 2, 3][pick(5)]
    let reader = [nil, nil, 0, 1][pick(4)]
    try run(
      options, store, killAfter: pick(3) == 0 ? pick(30) : nil, room: pick(5) == 0 ? pick(200) : nil,
      redelivers: reader == nil && pick(6) == 0, reader: reader, comment)
  }

  private func run(
    _ options: FeedOptions, _ store: some FeedStorage, killAfter: Int?, room: Int?, redelivers: Bool,
    reader: Int? = nil, _ comment: String
  ) throws {
    var options = options
    options.printsChanged = printsChanged
    options.proof = proof
    var output: [UInt8] = []
    var printer = FeedPrinter { bytes, _ in
      let count = min(bytes.count, room.map { max(0, $0 - output.count) } ?? .max)
      for index in 0..<count { output.append(bytes[index]) }
      return (count, count < bytes.count ? .brokenPipe : nil)
    }
    printer.chunkLines = 1 + pick(4)
    if let reader {
      printer.form = .record(RecordStamp())
      var place = 0
      if let (id, seq) = checkpoints[reader] {
        place = try store.releaseNumber(of: Array(id.utf8), again: seq) ?? -1
        #expect(place > 0, "\(comment): the store does not know \(id)")
      }
      if reader == 1, place < lastPlace { rewinds += 1 }
      if reader == 1 { lastPlace = place }
      printer.place = place
    }
    var moments = 0
    let interrupted = InterruptedStorage(store) { _ in
      moments += 1
      return moments - 1 == killAfter
    }
    var session = FeedSession(interrupted, options, Fetcher(runs: self), printer)
    session.redelivers = redelivers
    if redelivers, let memory = store as? MemoryStorage { note(memory.picture) }
    if redelivers, let file = store as? FeedStore { note(try file.picture()) }
    do {
      let outcome = try session.run()
      if isCalm { #expect(outcome.failure == nil, "\(comment)") }
    } catch {
      guard error == InterruptedStorage.interruption else { throw error }
    }
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
    guard let reader else {
      printed += lines.filter { $0.hasSuffix("}") }.map { String($0.split(separator: "\"")[3]) }
      return
    }
    let records = try lines.filter { $0.hasSuffix("}}") }.map { try JSONDocument(parsing: Array($0.utf8)).root }
      .map { (String(decoding: $0.member("id")?.string ?? [], as: UTF8.self), $0.member("seq").map { $0.text }) }
    // A reader that is killed has taken fewer items than it was given.
    let some = records.prefix(isCalm || pick(2) == 0 ? records.count : pick(records.count + 1))
    taken[reader] += some.map(\.0)
    guard let last = some.last else { return }
    checkpoints[reader] = (last.0, reader == 0 ? nil : last.1.flatMap { Int(String(decoding: $0, as: UTF8.self)) })
  }

  /// Records the items that will be printed again.
  private func note(_ picture: StorePicture) {
    doubtful.formUnion(picture.uncertain)
    for item in picture.items where picture.intended?.contains(item.position) ?? false { doubtful.insert(item.id) }
  }

  /// Requests pages from the feed, which may have changed, and may not answer.
  private struct Fetcher: PageFetcher {
    let runs: RandomRuns

    func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
      if !runs.isCalm {
        if runs.pick(3) == 0 { runs.changeSome() }
        if runs.pick(20) == 0 { return .failed(FeedFailure(status: .remote, message: "lost")) }
      }
      return runs.feed.response(request, ifNoneMatch: ifNoneMatch)
    }
  }
}

extension FeedStore {
  fileprivate func picture() throws -> StorePicture { try StorePicture(database, feed: feed) }
}
