import TestSupport
import Testing

/// Histories by seed. The simulator is built before the suites (`make simulator`).
@Suite struct SimulationTests {
  private static let simulate = Command.quote(Repository.path("Tests/Simulation/simulate")) + " --built"

  @Test(arguments: ["follow", "serve", "paginate", "deliver", "poll", "next"])
  func noHistoryBreaksAPromise(pipeline: String) throws {
    let count = Dice.rolls(2000)
    let result = try Command.shell("\(Self.simulate) --pipeline \(pipeline) --count \(count)")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.hasPrefix("\(pipeline): \(count) histories "))
  }

  @Test func eachPlantedFaultIsFound() throws {
    let result = try Command.shell("\(Self.simulate) --planted --count 500")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.split(separator: "\n").count == 17)
  }
}
