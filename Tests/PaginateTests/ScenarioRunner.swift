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
      let run = ScenarioRun(options)
      let fetcher = ScenarioFetcher(
        feed, step["exchanges"] as? [[String: Any]] ?? step["gets"] as? [[String: Any]] ?? [],
        retries: options["retries"] as? Int ?? 2, comment)
      let picture: StorePicture
      switch kind {
      case .memory:
        let store = try #require(memories[name])
        try run.run(store, feed.options(options), fetcher)
        picture = store.picture
      case .sqlite:
        let file = try StoreFile(path)
        let record = try file.add(Array(name.utf8), url: Array(feed.url.utf8))
        try run.run(try file.open(record), feed.options(options), fetcher)
        #expect(try file.damage() == [], "\(comment)")
        picture = try StorePicture(path, feed: record.number)
      }
      picture.checkInvariants(comment)
      let result = ScenarioResult(comment: comment, expected: step["expect"] as? [String: Any] ?? [:])
      result.check(run, fetcher)
      result.check(picture)
    }
  }
}

/// The expected results of one run.
private struct ScenarioResult {
  let comment: String
  let expected: [String: Any]

  func check(_ run: ScenarioRun, _ fetcher: ScenarioFetcher) {
    if run.status != 137 { #expect(fetcher.restCount == 0, "\(comment): requests that were not made") }
    if let expected = expected["waits"] as? [Double] { #expect(fetcher.waits == expected, "\(comment): waits") }
    if let expected = words(expected["stdout"]) { #expect(run.lines == expected, "\(comment): stdout") }
    if let expected = expected["exit"] as? Int { #expect(run.status == expected, "\(comment): exit") }
    if let expected = words(expected["notes"]) { #expect(run.notes == expected, "\(comment): notes") }
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
    if let expected = store["runs"] as? [Any] {
      #expect(picture.stretches == expected.compactMap(words), "\(comment): runs")
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
