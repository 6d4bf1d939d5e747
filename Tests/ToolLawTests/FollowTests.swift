import Foundation
import TestSupport
import Testing

/// `examples/redis/follow`, and the sink that trims the stream.
@Suite(.enabled(if: Repository.has("redis-server") && Repository.has("redis-cli")))
struct FollowTests {
  /// `redis-server`, which `server` and `stop` start and stop, and the two scripts.
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

  /// Existing entries, the note, and new entries; any bytes; across a restart of the server.
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
      # So that it misses the server for sure.
      stop; wait_for grep -q follow words; server
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

  /// More entries than one response has.
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
      (follow feed 42); echo $?
      stop
      """)
    #expect(result.text == "3\n2\n2\n", "\(result.text)")
    #expect(
      result.error == """
        follow: what comes after entry 0 is no record of the sink
        follow: WRONGTYPE Operation against a key holding the wrong kind of value
        follow: expected the id of an entry, such as 42-1
        follow: expected the id of an entry, such as 42-1

        """)
  }

  /// When its reader is gone, it ends, even if no entry comes.
  @Test func endsWithItsReader() throws {
    let result = try run("server\n(follow none) | head -n 1; stop")
    #expect(result.text == "{\"note\":\"live\"}\n", "\(result.error)")
  }

  /// Only entries before a document of a minute ago are removed; repeated ones are recognised, and late ones refused.
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

  /// jdiff continues from the stream, whatever its own checkpoint says: here the checkpoint is older.
  @Test func theStreamSaysWhereJdiffGoesOn() throws {
    let result = try run(
      #"""
      server
      bring() {
        jdiff -f --checkpoint state | deliver --records-in -- \#(EngineTests.examples)/redis/sink --trim feed 2>>errors
      }
      # Long, so that a change is sent as a patch.
      document() { printf '{"n":%d,"text":"%0200d"}\n' $1 0; }
      resume() { \#(EngineTests.examples)/redis/resume feed state; echo $? $(cut -c 1-20 state); }
      document 1 | bring; cp state old
      document 2 | bring
      cp old state; document 3 | bring; echo $?
      resume
      document 4 | bring; echo $?
      (follow --once feed) | jpatch -f -p /n
      stop
      """#)
    #expect(result.text == "3\n0 {\"event\":\"data\",\"id\"\n0\n1\n2\n2\n4\n", "\(result.text)\(result.error)")
  }

  /// A document of which the rest cannot be read is no place to go on from.
  @Test func aStreamThatIsNotReadToItsEndMakesNoCheckpoint() throws {
    let result = try run(
      #"""
      server
      add() { ask XADD "$1" "$2-1" "$3" "$4" >>log; }
      document='{"event":"data","id":"1","data":{"n":1}}'
      change='{"event":"patch","id":"2","data":[{"op":"remove","path":"/x"}]}'
      add foreign 1 record "$document"; add foreign 2 other 1; add bad 1 record "$document"; add bad 2 record "$change"
      add patch 2 record "$change"
      for stream in foreign bad patch empty; do
        touch state; \#(EngineTests.examples)/redis/resume $stream state 2>>errors; echo $?
        [ ! -e state ] || cat state
      done
      stop
      """#)
    #expect(result.text == "3\n1\n2\n0\n", "\(result.text)\(result.error)")
  }

  /// redis-cli has something to say of that, which is not a response. A path that is empty is none.
  @Test func aPasswordMayBeInTheURL() throws {
    let result = try run(
      #"""
      server
      port=$((10000 + $$ % 20000))
      ask CONFIG SET requirepass pw port $port >>log
      export REDIS_SOCKET= REDIS_URL=redis://default:pw@127.0.0.1:$port
      echo '{"event":"a","id":"1","data":1}' | sink 1 feed; echo $?
      (follow --once feed); echo $?
      stop
      """#)
    #expect(
      result.text == """
        0
        {"event":"a","id":"1","data":1}
        {"note":"live"}
        0

        """, "\(result.text)\(result.error)")
  }
}
