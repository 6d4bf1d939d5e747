import Foundation
import TestSupport
import Testing

/// Several machines: the scripts of `examples/` that put an engine between the tools, with the real engines.
@Suite struct EngineTests {
  static let examples = Command.quote(Repository.path("examples"))
  static let pipeline = Command.quote(Repository.path("Tests/Pipeline"))

  static func has(_ programs: String...) -> Bool { programs.allSatisfy(Repository.has) }

  /// A demo, the programs that it needs, the start of its output, and all of its output.
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

  /// Some records may come twice; then the offsets are different.
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

  /// kcat would start at 0 instead, and a shell reads 010 as 8.
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

  /// The proofs, shortened; `make soak` runs them for longer.
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

  /// An EventSource that is answered anything but 200 never comes back. A snapshot or a check of health must not be told 200.
  @Test(.enabled(if: Repository.has("nginx") && Repository.has("curl")))
  func whereNoServerIsOnlyAStreamIsAnswered() throws {
    let result = try Command.shell(
      #"""
      echo '{"event":"data","id":"1","data":1}' | sse-serve --max-clients 1 --keep-serving --port-file port 0 & server=$!
      until [ -s port ]; do sleep 0.02; done
      sed -e '/127.0.0.1:808[13] /d' -e "s|127.0.0.1:8082|127.0.0.1:$(cat port)|" -e "s|listen 8080|listen unix:$PWD/socket|" \
        \#(Self.examples)/fan-out/nginx-upstream.conf >upstream
      {
        echo "daemon off; pid $PWD/pid; error_log $PWD/log; events {} http { access_log off;"
        for name in client_body proxy fastcgi uwsgi scgi; do echo "${name}_temp_path $PWD/$name;"; done
        echo "include $PWD/upstream; }"
      } >conf
      nginx -p "$PWD" -c "$PWD/conf" 2>>log & nginx=$!
      until [ -S socket ]; do sleep 0.02; done
      ask() { curl -sN --max-time 10 --unix-socket socket -o got -w "$1 %{http_code}\n" http://localhost/feed/$1; grep retry got; }
      curl -sN --unix-socket socket http://localhost/feed/ >first & client=$!
      until [ -s first ]; do sleep 0.02; done
      ask; ask snapshot
      kill $client $server; wait $client $server
      ask; ask snapshot; ask healthz
      kill $nginx
      """#)
    #expect(
      result.text == " 200\nretry: 1000\nsnapshot 200\n 200\nretry: 1000\nsnapshot 502\nhealthz 502\n",
      "\(result.text)\(result.error)")
  }

  @Test(.enabled(if: has("python3", "redis-server", "redis-cli", "nginx")))
  func serversAreKilledAndNoDocumentGoesBack() throws {
    let result = try Command.shell("\(Self.pipeline)/fan-out --clients 10 --seconds 8")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.hasSuffix(": 0 steps back, 0 gaps, 0 doubled, 0 torn\n"), "\(result.text)")
  }
}
