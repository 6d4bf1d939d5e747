import Foundation
import TestSupport
import Testing

/// `sse-cat | deliver -- SINK` with real engines and random kills. `make soak` does it for longer.
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

  @Test func aSlowSinkStopsTheReading() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/slow-sink")) + " 1")
    #expect(result.status == 0 && result.text.hasPrefix("the server stopped at "), "\(result.text)\(result.error)")
  }

  /// The checkpoint of a source covers only the source, not a program after it in the pipe.
  @Test(.enabled(if: Repository.has("redis-server")))
  func aCheckpointInFrontLoses() throws {
    // Whether a kill hits what is in the pipe is chance.
    let command = "for seed in 7 8 9 10; do \(soak) --in-front --seed $seed --kills 15 redis || exit; done"
    let result = try Command.shell(command)
    #expect(result.status == 1 && result.text.contains(" kills: lost "), "\(result.text)\(result.error)")
  }
}

/// The statuses of each sink of `examples/`: 0 taken, 65 refused, 126 cannot run, 75 not now.
@Suite struct SinkStatusTests {
  static let folder = Command.quote(Repository.path("examples"))

  /// A response, as `serve-script` plays it, and the expected status.
  @Test(
    .enabled(if: Repository.has("curl") && Repository.has("python3")),
    arguments: [
      (#""status":200"#, 0), (#""status":204"#, 0), (#""status":301,"headers":{"Location":"{0}/b"}"#, 75),
      (#""status":307,"headers":{"Location":"{0}/b"}"#, 75), (#""status":400"#, 65), (#""status":401"#, 65),
      (#""status":404"#, 65), (#""status":408"#, 75), (#""status":409"#, 65), (#""status":413"#, 65),
      (#""status":425"#, 75), (#""status":429"#, 75), (#""status":500"#, 75), (#""status":503"#, 75),
      // curl accepts a head that breaks off after its status line.
      (#""end":"head""#, 0), (#""end":"cut","body":"x""#, 75), (#""end":"stall","body":"x""#, 75),
      (#""end":"bare","body":"no HTTP\n""#, 75),
    ])
  func webhook(_ response: String, _ status: Int32) throws {
    let sink = Self.folder + "/webhook/sink --max-time 2 {0}/a"
    let result = try Command.shell(
      "echo '{\"n\":1}' >data; serve-script '[{\(response)}]' -- sh -c '\(sink) <data'; s=$?; cat requests; exit $s",
      environment: ["FEED_COUNT": "1", "FEED_LAST_ID": "a 1\u{e9}"])
    #expect(result.status == status, "\(result.error)")
    #expect(result.error.hasPrefix("HTTP status ") || result.error.hasPrefix("curl: ") || status == 0)
    // One request only, and none to the place that the response names; an id that cannot be a header is sent in another
    // way.
    #expect(result.text.split(separator: "\n").count == 1, "\(result.text)")
    #expect(result.text.contains(" POST /a ") && result.text.contains(#"{"n":1}"#), "\(result.text)")
    #expect(result.text.contains("hex-612031c3a9"), "\(result.text)")
  }

  @Test(.enabled(if: Repository.has("curl")), arguments: ["", "--nosuch x", "nosuch://x", "--config nosuch"])
  func webhookCannotRun(_ arguments: String) throws {
    let result = try Command.shell("echo 1 | \(Self.folder)/webhook/sink \(arguments)")
    #expect(result.status == 126 && !result.error.isEmpty, "\(result.error)")
  }

  /// A record that is refused or cannot be written now leaves nothing behind; one that was written is skipped.
  @Test(.enabled(if: Repository.has("sqlite3")))
  func sqlite() throws {
    let result = try Command.shell(
      #"""
      sink() { \#(Self.folder)/sqlite/sink "$@" 2>>errors; echo $?; }
      printf '%s\n' '{"event":"a","id":"1","data":"it'"'"'s \u0000"}' '{"event":"a","id":"2","data":{"x":1e400}}' >two
      sink q.db <two
      sink q.db <two
      { cat two; echo '{"event":"a","id":"3"}'; echo '{"event":'; } | sink q.db
      sink nosuch/q.db <two
      sqlite3 q.db 'SELECT line FROM record' | cmp - two
      sqlite3 q.db 'SELECT id, event, data FROM record'
      { echo 'CREATE TABLE record (line NOT NULL CHECK (length(line) < 20));' | sqlite3 other.db; sink other.db <two; }
      echo garbage >no.db; yes garbage | head -c 4096 >>no.db; sink no.db <two
      echo '{"x":1}' | sink raw.db
      sink
      for name in '' :memory: -readonly; do sink "$name" <two; done
      """#)
    #expect(
      result.text == """
        0
        0
        65
        75
        1|a|"it's \\u0000"
        2|a|{"x":1e400}
        65
        75
        65
        126
        126
        126
        126

        """, "\(result.text)\(result.error)")
  }

  /// Every string comes back as it was: with NUL, halves of surrogate pairs, quotes, backslashes and line ends.
  @Test(.enabled(if: Repository.has("psql")))
  func postgres() throws {
    let result = try Command.shell(
      #"""
      cat >script <<'END'
      sink() { FEED_COUNT=$1 \#(Self.folder)/postgres/sink 2>>errors; echo $?; }
      ask() { psql -qAt -c "$1"; }
      cat >lines <<'.'
      {"event":"a","id":"1","data":"it's \u0000\u0000 \\u0000 \\\u0000 '; DROP TABLE record; -- \\. $$ :count"}
      {"event":"a","id":"1","data":"it's \u0000\ufffd \\u0000 \\\u0000 '; DROP TABLE record; -- \\. $$ :count"}
      {"event":"a","id":"2","data":{"x":1e400,"s":"\ud83d\ude00 \ud800 \ude00 \\ud800"}}
      {"event":"é","id":"\u0000","data":"a\\nb\tc\"\\\\.\n","time":"t"}
      .
      printf '{"event":"b",\t"data":1}\n{"event":"b","data":1}\n' >plain
      echo '{"event":"a","id":"3","data":{"n":1,"m":2},"time":"t"}' >timed
      sink 4 <lines; sink 4 <lines; cat lines plain timed | sink 7; sed 's/"t"/"u"/' lines timed | sink 5
      ask 'SELECT line FROM record ORDER BY number' >back; cat lines plain timed | cmp - back
      ask "SELECT record ->> 'data' FROM record WHERE number < 5 ORDER BY number" | head -n 2
      ask "SELECT record #>> '{data,s}' FROM record WHERE record ->> 'id' = '2'"
      for text in '{"event":' '{"x":1}' '\.' '{"event":"\377"}' '{"event":"a","data":"\000"}'; do
        printf "$text\n" | sink 1
      done
      head -n 3 lines | sink 4
      jq -nc '{event: "a", id: "large", data: ("x" * 3000000)}' | sink 1
      PGPORT=1 sink 1 <timed
      ask 'SELECT count(*) FROM record'; grep -c '^22P02: invalid' errors
      echo '{"event":"a","data":1e400000}' | sink 1; tail -n 1 errors
      END
      with-postgres sh script
      """#)
    #expect(
      result.text == """
        0
        0
        0
        0
        it's \u{FFFD}\u{FFFD} \\u0000 \\\u{FFFD} '; DROP TABLE record; -- \\. $$ :count
        it's \u{FFFD}\u{FFFD} \\u0000 \\\u{FFFD} '; DROP TABLE record; -- \\. $$ :count
        \u{1F600} \u{FFFD} \u{FFFD} \\ud800
        65
        65
        65
        65
        65
        75
        0
        75
        8
        3
        65
        22003: value overflows numeric format

        """, "\(result.text)\(result.error)")
  }

  /// mosquitto_pub alone ends with 0 in each of these cases.
  @Test(.enabled(if: ["mosquitto", "mosquitto_pub", "mosquitto_sub"].allSatisfy(Repository.has)))
  func whatTheBrokerHasForASubscriberIsTaken() throws {
    let result = try Command.shell(
      #"""
      printf 'topic read #\ntopic write feed\n' >acl; chmod 600 acl
      {
        echo "listener 0 $PWD/socket"; echo "acl_file $PWD/acl"; echo "user $(id -un)"
        echo allow_anonymous true; echo message_size_limit 1000
      } >conf
      mosquitto -c conf 2>log & broker=$!
      until python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("socket")' 2>>log; do sleep 0.02; done
      sink() { FEED_COUNT=$1; export FEED_COUNT; shift; \#(Self.folder)/mqtt/sink --unix socket "$@" 2>>words; echo $?; }
      seq 3 | sink 3 -t feed
      seq 3 | sink 3 -t feed -r
      mosquitto_sub --unix socket -t '#' -q 1 -c -i reader -E
      seq 3 | sink 3 -t feed
      seq 3 | sink 4 -t feed
      seq 3 | sink 3 -t other
      { seq 2; printf '%02000d\n' 0; } | sink 3 -t feed
      kill $broker; wait $broker
      seq 3 | sink 3 -t feed
      grep -v : words; grep -c nobody words
      """#)
    #expect(
      result.text == """
        75
        0
        0
        75
        75
        65
        75
        3 of 4 messages are taken
        0 of 3 messages are taken
        the broker takes no message of this length
        0 of 3 messages are taken
        1

        """, "\(result.text)\(result.error)")
  }

  /// kcat alone ends with 0 when SIGTERM makes it throw away what the broker has not acknowledged.
  @Test(.enabled(if: Repository.has("kcat") && Repository.has("pkill")))
  func whatKafkaAcknowledgesIsTaken() throws {
    let result = try Command.shell(
      #"""
      mkfifo nothing; exec 9<>nothing
      kcat -P -b mock -t feed -X test.mock.num.brokers=1 -d mock <nothing 2>mock & broker=$!
      until grep -qs 'bootstrap\.servers=' mock; do sleep 0.02; done
      KAFKA_BROKERS=$(sed -n 's/.*bootstrap\.servers=\([^ ]*\).*/\1/p' mock | head -n 1); export KAFKA_BROKERS
      sink() { FEED_COUNT=$1 \#(Self.folder)/kafka/sink $2 0 2>>words; echo $?; }
      seq 3 | sink 3 feed
      seq 3 | sink 4 feed
      printf '%01000001d\n' 0 | sink 1 feed
      kill -STOP $broker
      seq 3 | sink 3 frozen & sink=$!
      sleep 0.5; until pkill -TERM -f -- "-b $KAFKA_BROKERS -t frozen"; do sleep 0.02; done
      wait $sink
      kill -KILL $broker
      tail -n 1 words
      """#)
    #expect(result.text == "0\n75\n65\n75\n0 of 3 records are acknowledged\n", "\(result.text)\(result.error)")
  }

  @Test(.enabled(if: Repository.has("redis-server") && Repository.has("redis-cli")))
  func redis() throws {
    let result = try Command.shell(
      #"""
      export REDIS_SOCKET=$PWD/socket
      ask() { redis-cli -s socket --raw "$@"; }
      sink() { FEED_COUNT=$1; export FEED_COUNT; shift; \#(Self.folder)/redis/sink "$@" 2>>errors; echo $?; }
      sink 1 feed </dev/null
      redis-server --port 0 --unixsocket socket --save '' >log & server=$!
      until [ "$(ask PING 2>&1)" = PONG ]; do sleep 0.02; done
      printf '%s\n' '{"event":"a","id":"1","data":"\u0000 \"'"'"' é"}' '{"data":1,"id":"18","event":"b"}' >two
      sink 2 feed <two
      sink 2 feed <two
      sink 3 feed <two
      head -c 80 two | head -c -3 | sink 2 feed
      ask XRANGE feed - + | sed -n '3p;6p' | cmp - two
      echo '{"event":"a","id":"17","data":1}' | sink 1 feed
      echo '{"event":"a","id":"x","data":1}' | sink 1 feed
      printf '%s\n' '{"event":"a","id":"18","data":2}' '{"event":"a","id":"18","data":2,"time":"t"}' | sink 2 feed
      sink 2 other seen <two
      sink 2 other seen <two
      echo '{"event":"a","data":1}' | sink 1 other seen
      printf '%s\n' '{"event":"a","id":"5","data":{"n":1,"time":"1"}}' '{"event":"a","id":"5","data":{"n":1,"time":"2"}}' \
        '{"event":"a","id":"5","data":[],"time":"t","source":"s"}' >timed
      for stream in timed "others seen2"; do
        sink 3 $stream <timed
        sed 's/"t"/"u"/' timed | sink 3 $stream
      done
      echo $(ask XLEN timed) $(ask XLEN others)
      ask CONFIG SET maxmemory 1 >config
      echo '{"event":"a","id":"30","data":1}' | sink 1 feed
      ask CONFIG SET maxmemory 0 >config
      ask SET string 1 >config
      sink 2 string <two
      echo $(ask XLEN feed) $(ask XLEN other)
      sink 2 <two
      kill $server; wait
      """#)
    #expect(
      result.text.split(separator: "\n").joined(separator: " ")
        == "75 0 0 75 75 65 65 0 0 0 0 0 0 0 0 3 3 75 75 3 3 126",
      "\(result.text)\(result.error)")
  }

  /// The demo, with Redis killed, and deliver.
  @Test(.enabled(if: Repository.has("redis-server") && Repository.has("redis-cli")))
  func redisOffline() throws {
    let scratch = try ScratchFolder()
    let result = try Command.shell(Self.folder + "/redis/redis 400", environment: ["TMPDIR": scratch.path])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text == "-- Redis is killed\n-- deliver is killed\n-- 400 records, 400 entries\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test(
    .enabled(if: Repository.has("redis-server") && Repository.has("redis-cli")), arguments: [SIGINT, SIGTERM, SIGHUP])
  func redisEndsAtASignal(_ signal: Int32) throws {
    let scratch = try ScratchFolder()
    let run = try Interrupted(
      Self.folder + "/redis/redis 4000", by: signal, after: "-- Redis is killed\n", in: scratch.path,
      environment: ["TMPDIR": scratch.path])
    #expect(run.status == 128 + signal, "\(run.text)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  /// The other recipes: the statuses that they rely on.
  @Test(.enabled(if: Repository.has("logger")), arguments: [("on", Int32(1)), ("off", 0)])
  func loggerSaysOnlyIfAsked(_ word: String, _ status: Int32) throws {
    let result = try Command.shell("echo x | logger --socket-errors=\(word) --socket nosuch 2>errors")
    #expect(result.status == status)
  }
}
