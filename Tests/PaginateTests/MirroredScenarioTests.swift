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
      let run = Run(scenario, step)
      let before: StorePicture
      let after: StorePicture
      switch kind {
      case .memory:
        before = memory.picture
        try run.run(memory, server)
        after = memory.picture
      case .sqlite:
        let file = try StoreFile(path)
        let record = try file.add([], url: Array("/feed".utf8))
        before = try StorePicture(path, feed: record.number)
        try run.run(try file.open(record), server)
        #expect(try file.damage() == [], "\(comment)")
        after = try StorePicture(path, feed: record.number)
      }
      after.checkInvariants(comment)
      check(run, step, server, before, after, comment)
      printed += run.lines
    }
    #expect(Set(printed).count == printed.count, "\(scenario.name): printed twice")
  }

  /// One run, and what came of it.
  private final class Run {
    private let options: FeedOptions
    private let step: MirroredScenario.Step
    private var output: [UInt8] = []
    private(set) var notes: [String] = []
    private(set) var status = 0

    init(_ scenario: Scenario, _ step: MirroredScenario.Step) {
      var options = ScenarioFeed(scenario.object["feed"] as? [String: Any] ?? [:]).options(step.run)
      options.order = .oldestFirst
      self.options = options
      self.step = step
    }

    var lines: [String] {
      String(decoding: output, as: UTF8.self).split(separator: "\n").map { String($0.split(separator: "\"")[3]) }
    }

    func run(_ store: some FeedStorage, _ server: MirrorServer) throws {
      var printer = FeedPrinter { [self] bytes, ends in
        let limit = step.run["epipe_after"] as? Int ?? .max
        let end = lines.count < limit ? bytes.count : 0
        for index in 0..<end { output.append(bytes[index]) }
        return (end, end < bytes.count ? .brokenPipe : nil)
      }
      printer.chunkLines = 1
      let kill = step.run["kill"] as? [String: Any]
      let (at, key) = (kill?["at"] as? String, kill?["key"])
      let interrupted = InterruptedStorage(store) { moment in
        switch moment {
        case .beforeCommit(let page): at == "before_commit" && key as? Int == page
        case .afterCommit(let page): at == "after_commit" && key as? Int == page
        case .afterIntent(let id): at == "after_intent" && key as? String == String(decoding: id, as: UTF8.self)
        case .beforeRelease, .afterWrite: false
        }
      }
      var session = FeedSession(interrupted, options, server, printer)
      session.note = { [self] note in
        switch note {
        case .gapLost: notes.append("lost-gap")
        case .tailForgotten: notes.append("forgotten")
        case .totalUnsteady: notes.append("total-unsteady")
        case .uncertain(let count): notes.append("uncertain:\(count)")
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
  }

  private func check(
    _ run: Run, _ step: MirroredScenario.Step, _ server: MirrorServer, _ before: StorePicture, _ after: StorePicture,
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
