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

/// `examples/redis/follow`, and the sink that trims what it reads.
@Suite(.enabled(if: Repository.has("redis-server") && Repository.has("redis-cli")))
struct FollowTests {
  /// `redis-server`, which `server` and `stop` begin and end, and the two scripts.
  static let start = """
    export REDIS_SOCKET=$PWD/socket
    ask() { redis-cli -s socket --raw "$@"; }
    server() {
      redis-server --port 0 --unixsocket socket --save '' --appendonly yes --appendfsync always >>log & server=$!
      until [ "$(ask PING 2>&1)" = PONG ]; do sleep 0.02; done
    }
    stop() { kill -KILL $server; wait $server 2>>log || :; }
    sink() { FEED_COUNT=$1; export FEED_COUNT; shift; \(EngineTests.examples)/redis/sink "$@" 2>>errors; }
    follow() { exec \(EngineTests.examples)/redis/follow "$@"; }
    wait_for() { until "$@"; do sleep 0.02; done; }

    """

  private func run(_ script: String) throws -> TestSupport.Result { try Command.shell(Self.start + script) }

  /// What was there, the note, and what comes; any bytes; through a restart of the server.
  @Test func followsTheStream() throws {
    let result = try run(
      #"""
      server
      printf '%s\n' '{"event":"a","id":"1","data":"\u0000 '"'"' $x `y` é"}' '{"event":"a","id":"2","data":{}}' >one
      sink 2 feed <one
      (follow feed >got 2>words) & follower=$!
      wait_for grep -q note got
      echo '{"event":"a","id":"3","data":null}' >two; sink 1 feed <two
      wait_for grep -q '"3"' got
      stop; server
      echo '{"event":"a","id":"4","data":null}' >three; sink 1 feed <three
      wait_for grep -q '"4"' got
      kill $follower
      { cat one; echo '{"note":"live"}'; cat two three; } >wanted; grep . got | cmp - wanted
      sed 's/: .*//' words | sort -u
      (follow feed 2-1) | sed -n '/./p; /note/q'
      stop
      """#)
    #expect(
      result.text == """
        follow
        {"event":"a","id":"3","data":null}
        {"event":"a","id":"4","data":null}
        {"note":"live"}

        """, "\(result.text)\(result.error)")
  }

  /// More entries than one answer has.
  @Test func followsMany() throws {
    let result = try run(
      #"""
      server
      awk 'BEGIN { for (n = 1; n <= 1234; n++) printf "{\"event\":\"a\",\"id\":\"%d\",\"data\":%d}\n", n, n }' >all
      sink 1234 feed <all
      (follow feed) | sed -n '/./p; /note/q' >got
      { cat all; echo '{"note":"live"}'; } | cmp - got
      stop
      """#)
    #expect(result.status == 0 && result.text.isEmpty, "\(result.text)\(result.error)")
  }

  @Test func whatIsNoRecordEndsIt() throws {
    let result = try run(
      """
      server
      ask XADD feed 7-1 a b c d >>log
      (follow feed); echo $?
      ask SET text 1 >>log
      timeout 1.5 \(EngineTests.examples)/redis/follow text >empty; grep . empty
      (follow feed x); echo $?
      stop
      """)
    #expect(result.text == "3\n2\n", "\(result.text)")
    #expect(
      result.error == """
        follow: what comes after entry 0 is no record of the sink
        follow: WRONGTYPE Operation against a key holding the wrong kind of value
        follow: expected the id of an entry, found something else

        """)
  }

  /// When its reader has gone, it ends, though nothing comes.
  @Test func endsWithItsReader() throws {
    let result = try run("server\n(follow none) | head -n 1; stop")
    #expect(result.text == "{\"note\":\"live\"}\n", "\(result.error)")
  }

  /// Only what is before a document of a minute ago goes; what comes again is known, and what is late is refused.
  @Test func theSinkTrims() throws {
    let result = try run(
      #"""
      server
      awk 'BEGIN { for (n = 1; n <= 25; n++)
        printf "{\"event\":\"%s\",\"id\":\"%d\",\"data\":{}}\n", n % 10 == 1 ? "data" : "patch", n }' >all
      send() { sed -n "$1,$2p" all | sink $(($2 - $1 + 1)) --trim feed; echo $? $(ask XLEN feed); }
      send 1 5
      send 4 15
      # A minute later, in which nothing was sent; and another one.
      ask HSET feed:trim since 1 >>log
      send 16 16
      ask HSET feed:trim since 1 >>log
      send 12 25
      ask XRANGE feed - + COUNT 1 | tail -n 1
      send 10 25
      send 11 25
      stop
      """#)
    #expect(
      result.text == """
        0 5
        0 15
        0 16
        0 15
        {"event":"data","id":"11","data":{}}
        65 15
        0 15

        """, "\(result.text)\(result.error)")
  }
}
