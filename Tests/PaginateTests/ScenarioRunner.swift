import FeedCore
import Foundation
import TestSupport
import Testing

@testable import paginate

/// Runs a scenario on one kind of store, and checks all its expectations.
struct ScenarioRunner {
  enum Kind: CaseIterable { case memory, sqlite }

  let kind: Kind
  let scenario: Scenario

  func run() throws {
    let object = scenario.object
    let folder = try ScratchFolder()
    let path = Array(folder.file("so.db").utf8)
    // A scenario has one feed, or several that share a store.
    let feeds = object["feeds"] as? [String: [String: Any]] ?? ["": object["feed"] as? [String: Any] ?? [:]]
    let memories = feeds.mapValues { _ in MemoryStorage() }
    for (index, step) in (object["steps"] as? [[String: Any]] ?? []).enumerated() {
      let options = step["run"] as? [String: Any] ?? [:]
      let name = options["feed"] as? String ?? ""
      let comment = "\(scenario.name), run \(index + 1), \(kind)"
      let feed = ScenarioFeed(try #require(feeds[name], "\(comment): no feed '\(name)'"))
      let result = ScenarioResult(comment, step["expect"] as? [String: Any] ?? [:])
      let fetcher = ScenarioFetcher(
        feed, step["exchanges"] as? [[String: Any]] ?? step["gets"] as? [[String: Any]] ?? [],
        retries: options["retries"] as? Int ?? 2, comment)
      let picture: StorePicture
      switch kind {
      case .memory:
        let store = try #require(memories[name])
        try result.run(store, feed.options(options), options, fetcher)
        picture = store.picture
      case .sqlite:
        let file = try StoreFile(path)
        let record = try file.add(Array(name.utf8), url: Array(feed.url.utf8))
        try result.run(try file.open(record), feed.options(options), options, fetcher)
        #expect(try file.damage() == [], "\(comment)")
        picture = try StorePicture(path, feed: record.number)
      }
      picture.checkInvariants(comment)
      result.check(fetcher)
      result.check(picture)
    }
  }
}

/// One run, and its expected results.
private final class ScenarioResult {
  private let comment: String
  private let expected: [String: Any]
  private var output: [UInt8] = []
  private var notes: [String] = []
  private var status = 0

  init(_ comment: String, _ expected: [String: Any]) {
    self.comment = comment
    self.expected = expected
  }

  func run(
    _ store: some FeedStorage, _ options: FeedOptions, _ run: [String: Any], _ fetcher: ScenarioFetcher
  ) throws {
    var printer = FeedPrinter { [self] bytes, _ in write(bytes, run) }
    printer.chunkLines = run["chunk"] as? Int ?? 1
    printer.remaining = run["max_items"] as? Int
    let kill = run["kill"] as? [String: Any]
    let interrupted = InterruptedStorage(store) { moment in
      let (at, key) = (kill?["at"] as? String, kill?["key"])
      return switch moment {
      case .beforeCommit(let page): at == "before_commit" && key as? Int == page
      case .afterCommit(let page): at == "after_commit" && key as? Int == page
      case .afterIntent(let id): at == "after_intent" && key as? String == String(decoding: id, as: UTF8.self)
      case .beforeRelease: false
      case .afterWrite(let id): at == "after_write" && key as? String == String(decoding: id, as: UTF8.self)
      }
    }
    var session = FeedSession(interrupted, options, fetcher, printer)
    session.redelivers = run["redeliver"] as? Bool ?? false
    session.note = { [self] note in
      switch note {
      case .gapLost: notes.append("lost-gap")
      case .tailForgotten: notes.append("forgotten")
      case .uncertain(let count): notes.append("uncertain:\(count)")
      case .totalUnsteady: notes.append("total-unsteady")
      }
    }
    do {
      switch try session.run() {
      case .outputFailed(let error): status = error.isBrokenPipe ? 141 : 2
      case .outcome(let outcome):
        if let failure = outcome.failure { notes.append(failure.message) }
        status = Int(outcome.status.rawValue)
      }
    } catch {
      guard error == InterruptedStorage.interruption else { throw error }
      status = 137
    }
  }

  /// Accepts a number of lines or of bytes.
  private func write(_ bytes: borrowing Span<UInt8>, _ run: [String: Any]) -> (accepted: Int, error: SystemError?) {
    var accepted = 0
    while accepted < bytes.count {
      if let limit = run["epipe_after"] as? Int, output.count(where: { $0 == 10 }) >= limit {
        return (accepted, .brokenPipe)
      }
      if let limit = run["full_after"] as? Int, output.count >= limit { return (accepted, SystemError(code: ENOSPC)) }
      output.append(bytes[accepted])
      accepted += 1
    }
    return (accepted, nil)
  }

  /// The ids of the whole lines, with the version if the scenario has it.
  private var lines: [String] {
    String(decoding: output, as: UTF8.self).split(separator: "\n").filter { $0.hasSuffix("}") }.map { line in
      let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
      return object["id"] as? String ?? "?"
    }
  }

  func check(_ fetcher: ScenarioFetcher) {
    if status != 137 { #expect(fetcher.restCount == 0, "\(comment): requests that were not made") }
    if let expected = expected["waits"] as? [Double] { #expect(fetcher.waits == expected, "\(comment): waits") }
    if let expected = words(expected["stdout"]) { #expect(lines == expected, "\(comment): stdout") }
    if let expected = expected["exit"] as? Int { #expect(status == expected, "\(comment): exit") }
    if let expected = words(expected["notes"]) { #expect(notes == expected, "\(comment): notes") }
  }

  func check(_ picture: StorePicture) {
    guard let store = expected["store"] as? [String: Any] else { return }
    func ids(_ name: String, _ found: [String]) {
      guard let expected = words(store[name]) else { return }
      #expect(found == expected, "\(comment): \(name)")
    }
    ids("visible", picture.visible)
    ids("gaps", picture.gaps)
    ids("pending", picture.waiting)
    ids("uncertain", picture.uncertain)
    ids("gone", picture.gone)
    ids("unplaced", picture.unplaced)
    if let expected = store["runs"] as? [Any] {
      #expect(picture.placed == expected.compactMap(words), "\(comment): runs")
    }
    if let expected = store["tail"] as? String { #expect(picture.tail == expected, "\(comment): tail") }
    if let expected = store["versions"] as? [String: Int] {
      var versions: [String: Int] = [:]
      for item in picture.items where !item.isGone {
        let object = (try? JSONSerialization.jsonObject(with: Data(item.data))) as? [String: Any] ?? [:]
        if let version = object["v"] as? Int, version != 1 { versions[item.id] = version }
      }
      #expect(versions == expected, "\(comment): versions")
    }
  }
}
