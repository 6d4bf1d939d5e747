import FeedCore
import Foundation
import TestSupport
import Testing

@testable import paginate

/// Every scenario on every kind of store.
@Suite struct ScenarioTests {
  static let ownScenarios: [Scenario] = {
    let folder = Repository.path("Tests/Fixtures/paginate")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().flatMap { name in
      (try? Scenario.read("\(folder)/\(name)")) ?? [Scenario(name: "\(name) cannot be read", text: Data())]
    }
  }()

  /// Without those of a store that forgets what is below a gap, which ours never does.
  static let publishedScenarios: [Scenario] = {
    let all = Repository.conformance.flatMap { try? Scenario.read("\($0)/paginate-scenarios.json") } ?? []
    return all.filter { ($0.object["feed"] as? [String: Any])?["on_gap"] == nil }
  }()

  @Test func ownScenariosAreFound() { #expect(Self.ownScenarios.count >= 60) }

  @Test(arguments: ownScenarios, ScenarioRunner.Kind.allCases)
  func own(_ scenario: Scenario, _ kind: ScenarioRunner.Kind) throws {
    #expect(!scenario.object.isEmpty, "\(scenario.name)")
    try ScenarioRunner(kind: kind, scenario: scenario).run()
  }

  @Test(
    .enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"),
    arguments: publishedScenarios, ScenarioRunner.Kind.allCases)
  func published(_ scenario: Scenario, _ kind: ScenarioRunner.Kind) throws {
    try ScenarioRunner(kind: kind, scenario: scenario).run()
  }

  @Test(.enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"))
  func allWereRead() { #expect(Self.publishedScenarios.count >= 30) }
}
