import FeedCore
import Foundation
import TestSupport
import Testing

@testable import paginate

/// The published scenarios as histories of a feed whose oldest items come first. What a run must print follows from the
/// feed: what is new, in its order; and there is never a gap, except where the whole known feed has aged out.
@Suite(.enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"))
struct MirroredScenarioTests {
  static let scenarios = ScenarioTests.publishedScenarios.filter { scenario in
    !MirroredScenario.withoutMirror.keys.contains { scenario.name.hasPrefix($0 + " ") }
  }

  @Test func nearlyAllHaveAMirror() {
    #expect(MirroredScenario.withoutMirror.count == 1)
    #expect(Self.scenarios.count == ScenarioTests.publishedScenarios.count - 1)
  }

  @Test(arguments: scenarios, ScenarioRunner.Kind.allCases)
  func mirrored(_ scenario: Scenario, _ kind: ScenarioRunner.Kind) throws {
    let mirror = MirroredScenario(scenario)
    let folder = try ScratchFolder()
    let path = Array(folder.file("so.db").utf8)
    let memory = MemoryStorage()
    var printed: [String] = []
    for (index, step) in mirror.steps.enumerated() {
      let comment = "\(scenario.name), run \(index + 1), \(kind)"
      let server = MirrorServer(mirror, step)
      let run = ScenarioRun(step.run)
      var options = ScenarioFeed(scenario.object["feed"] as? [String: Any] ?? [:]).options(step.run)
      options.order = .oldestFirst
      let before: StorePicture
      let after: StorePicture
      switch kind {
      case .memory:
        before = memory.picture
        try run.run(memory, options, server)
        after = memory.picture
      case .sqlite:
        let file = try StoreFile(path)
        let record = try file.add([], url: Array("/feed".utf8))
        before = try StorePicture(path, feed: record.number)
        try run.run(try file.open(record), options, server)
        #expect(try file.damage() == [], "\(comment)")
        after = try StorePicture(path, feed: record.number)
      }
      after.checkInvariants(comment)
      check(run, step, server, before, after, comment)
      printed += run.lines
    }
    #expect(Set(printed).count == printed.count, "\(scenario.name): printed twice")
  }

  private func check(
    _ run: ScenarioRun, _ step: MirroredScenario.Step, _ server: MirrorServer, _ before: StorePicture,
    _ after: StorePicture,
    _ comment: String
  ) {
    let expected = step.expected
    // Where the newest come first, a run that ends early leaves a gap. Here it leaves an end.
    let status = expected["exit"] as? Int ?? 0
    #expect(run.status == (status == 1 ? 0 : status), "\(comment): exit")
    #expect(run.notes == words(expected["notes"]), "\(comment): notes")
    if let waits = expected["waits"] as? [Double] { #expect(server.waits == waits, "\(comment): waits") }
    if !server.requests.isEmpty, !before.visible.isEmpty, before.pages.count > 1 {
      #expect(server.requests[0] != "/feed", "\(comment): a refresh begins with the page of the tail")
    }

    let feed = server.state.map(\.id)
    let known = Set(before.items.map(\.id)).subtracting(before.waiting)
    let new = feed.filter { !known.contains($0) && !after.uncertain.contains($0) }
    let isWhole = run.status == 0 && step.run["max_pages"] == nil && step.run["cmd"] as? String != "more"
    if isWhole {
      #expect(run.lines == new, "\(comment): printed")
      #expect(after.visible.filter(feed.contains) == feed, "\(comment): what is known of the feed")
      #expect(server.requests.count <= new.count + 3, "\(comment): \(server.requests)")
    } else {
      #expect(run.lines == Array(new.prefix(run.lines.count)), "\(comment): printed")
    }
    let hasLost = !(words(expected["notes"]) ?? []).filter { $0 == "lost-gap" }.isEmpty
    let hadLost = before.gaps.contains("lost")
    #expect(after.gaps == (hasLost || hadLost ? ["lost"] : []), "\(comment): gaps")
    if !hasLost { #expect(Set(before.items.map(\.id)).isSubset(of: after.items.map(\.id)), "\(comment): forgotten") }
    if step.isUnchanged { #expect(server.unchangedCount == 1, "\(comment): a condition") }
  }
}
