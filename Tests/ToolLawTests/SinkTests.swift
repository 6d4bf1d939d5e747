import TestSupport
import Testing

/// `sse-cat | deliver -- SINK` into real engines, killed with them at random. `make soak` does it for longer.
@Suite(.enabled(if: Repository.has("python3") && Repository.hasOnLinux("pgrep")))
struct SinkTests {
  let soak = Command.quote(Repository.path("Tests/Pipeline/soak-deliver"))

  /// A sink, and the programs that it needs.
  static let sinks: [(name: String, programs: [String], kills: Int)] = [
    ("redis", ["redis-server", "redis-cli"], 8), ("redis-seen", ["redis-server", "redis-cli"], 5),
    ("sqlite", ["sqlite3"], 8), ("webhook", ["curl"], 8), ("kcat", ["kcat"], 5),
    ("mosquitto", ["mosquitto", "mosquitto_pub", "mosquitto_sub"], 3),
  ]

  @Test(arguments: sinks.filter { $0.programs.allSatisfy(Repository.has) }.map { "--kills \($0.kills) \($0.name)" })
  func nothingIsLost(_ arguments: String) throws {
    let result = try Command.shell("\(soak) --seed 7 \(arguments)")
    #expect(result.status == 0 && result.text.contains(" kills: lost 0, "), "\(result.text)\(result.error)")
  }

  /// The checkpoint of a source that stands in front of another program says nothing of that program.
  @Test(.enabled(if: Repository.has("redis-server")))
  func aCheckpointInFrontLoses() throws {
    let result = try Command.shell("\(soak) --in-front --seed 7 --kills 15 redis")
    #expect(result.status == 1 && result.text.contains(" kills: lost "), "\(result.text)\(result.error)")
    #expect(!result.text.contains(" kills: lost 0, "))
  }
}
