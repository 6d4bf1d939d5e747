import Foundation
import TestSupport
import Testing

/// Past one machine: the scripts of `examples/` that put an engine between the tools, with the real engines.
@Suite struct EngineTests {
  static let examples = Command.quote(Repository.path("examples"))
  static let pipeline = Command.quote(Repository.path("Tests/Pipeline"))

  static func has(_ programs: String...) -> Bool { programs.allSatisfy(Repository.has) }

  /// A demo, the programs that it needs, what it prints first, and what it prints.
  static let demos: [(command: String, programs: [String], begins: String, text: String)] = [
    (
      "kafka/kafka 100", ["kcat", "pkill"], "-- the broker is away",
      #"""
      -- the broker is away
      -- deliver is killed
      -- the consumer is killed
      -- 100 records, lost 0, doubled N
      -- the last of them, as an event stream
      {"event":"message","id":"N","data":{"event":"item","id":"98","data":{"n":98}}}
      {"event":"message","id":"N","data":{"event":"item","id":"99","data":{"n":99}}}
      {"event":"message","id":"N","data":{"event":"item","id":"100","data":{"n":100}}}

      """#
    ),
    (
      "mqtt/mqtt 100", ["mosquitto", "mosquitto_pub", "mosquitto_sub"], "-- the broker is restarted",
      """
      -- the broker is restarted
      -- deliver is killed
      -- the consumer is away, and so is the broker for a while
      -- 100 records, lost 0, doubled N

      """
    ),
    (
      "fan-out/fan-out 2 3", ["redis-server", "redis-cli", "nginx", "pkill"], "-- server 1 is killed",
      """
      -- server 1 is killed
      -- server 2 is killed
      -- server 1 is killed
      -- the client has the last document: 0 steps back, 0 gaps, 0 twice

      """
    ),
  ]
  static var runnable: [Int] { demos.indices.filter { demos[$0].programs.allSatisfy(Repository.has) } }

  /// Some records may come twice, and then offsets are others.
  @Test(arguments: runnable)
  func offline(_ demo: Int) throws {
    let demo = Self.demos[demo]
    let scratch = try ScratchFolder()
    let result = try Command.shell("\(Self.examples)/\(demo.command)", environment: ["TMPDIR": scratch.path])
    #expect(result.status == 0, "\(result.error)")
    let text = result.text.replacing(/doubled [0-9]+/, with: "doubled N").replacing(/"message","id":"[0-9]+"/) { _ in
      #""message","id":"N""#
    }
    #expect(text == demo.text)
    #expect(result.error.isEmpty, "\(result.error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test(arguments: runnable, [SIGINT, SIGTERM])
  func endsAtASignal(_ demo: Int, _ signal: Int32) throws {
    let demo = Self.demos[demo]
    let scratch = try ScratchFolder()
    let run = try Interrupted(
      "\(Self.examples)/\(demo.command)", by: signal, after: demo.begins, in: scratch.path,
      environment: ["TMPDIR": scratch.path])
    #expect(run.status == 128 + signal, "\(run.text)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  /// kcat would read from 0 instead, and a shell takes 010 for 8.
  @Test(
    .enabled(if: Repository.has("kcat")),
    arguments: [
      ("feed 0 x", "x: no offset"), ("feed 0 5-", "5-: no offset"), ("feed 0 ''", ": no offset"),
      ("--resume-from state feed 0", "state: no offset in it"),
    ])
  func whatIsNoOffsetIsRefused(_ arguments: String, _ words: String) throws {
    let result = try Command.shell(
      """
      echo '{"event":"data","id":"010","data":null}' >state
      KAFKA_BROKERS=127.0.0.1:9 timeout 3 \(Self.examples)/kafka/follow \(arguments)
      """)
    #expect(result.status == 2 && result.error == "follow: \(words)\n", "\(result.status): \(result.error)")
  }

  /// The proofs, in short; `make soak` runs them for longer.
  @Test(
    .enabled(if: Repository.has("python3") && Repository.hasOnLinux("pgrep") && Repository.has("sqlite3")),
    arguments: [
      ("redis", ["redis-server", "redis-cli"]), ("kafka", ["kcat"]),
      ("mqtt", ["mosquitto", "mosquitto_pub", "mosquitto_sub"]),
    ].filter { $0.1.allSatisfy(Repository.has) }.map(\.0))
  func nothingIsLostBetweenBothEnds(_ engine: String) throws {
    let result = try Command.shell("\(Self.pipeline)/engines --seconds 0.5 \(engine)")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.contains(": lost 0, ") && result.text.contains("at the consumer lost 0, "), "\(result.text)")
  }

  @Test(.enabled(if: has("python3", "redis-server", "redis-cli", "nginx")))
  func serversAreKilledAndNoDocumentGoesBack() throws {
    let result = try Command.shell("\(Self.pipeline)/fan-out --clients 10 --seconds 8")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.hasSuffix(": 0 steps back, 0 gaps, 0 doubled, 0 torn\n"), "\(result.text)")
  }
}
