import TestSupport
import Testing

/// deliver as a process: with bad COMMANDs, and random kills.
@Suite struct KillTests {
  private func script(_ name: String) -> String { Command.quote(Repository.path("Tests/Pipeline/\(name)")) }

  @Test(.enabled(if: Repository.has("python3") && Repository.has("strace")))
  func commandsThatBehaveBadly() throws {
    let result = try Command.shell(script("deliver-commands"), environment: Command.bare)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text == "41 checks\n")
  }

  @Test(.enabled(if: Repository.has("python3")))
  func nothingIsLost() throws {
    // `make soak` runs it for longer.
    let rounds = Dice.rolls(40)
    let result = try Command.shell(script("deliver-kills") + " \(rounds) 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.contains(" lost 0, ") && result.text.contains("\(rounds) rounds"))
  }
}
