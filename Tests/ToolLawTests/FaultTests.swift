import Foundation
import TestSupport
import Testing

/// A part of `make soak`: Tests/Faults says what is tested and how it is judged.
@Suite(.enabled(if: Repository.areReleased && Repository.hasOnLinux("strace") && Repository.hasOnLinux("python3")))
struct FaultTests {
  private static let disks = Dice.rolls(300)

  @Test func aCallThatFailsIsTroubleThatIsTold() throws {
    let result = try Command.shell(
      Repository.path("Tests/Faults/every-call") + " --sample \(Dice.rolls(600)) --seed 1", environment: Command.bare)
    #expect(result.status == 0, "\(result.text) \(result.error)")
    #expect(result.text.contains(" runs over "))
  }

  @Test(.enabled(if: Repository.hasOnLinux("cc")))
  func aPowerCutLeavesOldOrNew() throws {
    let result = try Command.shell(
      Repository.path("Tests/Faults/power-cut") + " --sample \(Self.disks) --seed 1", environment: Command.bare)
    #expect(result.status == 0, "\(result.text) \(result.error)")
    #expect(result.text.contains("\(Self.disks) disks of "))
  }

  /// Otherwise the test above would prove nothing.
  @Test(.enabled(if: Repository.hasOnLinux("cc")))
  func aCutWithoutSyncsIsNoticed() throws {
    let driver = Repository.path("Tests/Faults/power-cut") + " --tool jpatch --scenario place --unsynced"
    let result = try Command.shell(driver, environment: Command.bare)
    #expect(result.status == 1 && result.text.contains("neither old nor new"), "\(result.text) \(result.error)")
  }
}
