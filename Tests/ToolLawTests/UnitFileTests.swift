import Foundation
import TestSupport
import Testing

/// `examples/systemd` and `examples/cron`, as far as they can be tested without systemd and cron.
@Suite struct UnitFileTests {
  static let examples = Repository.path("examples")
  static let units = [
    "feed-ingest@.service", "feed-poll@.service", "feed-serve@.service", "feed-stream@.service", "feed-stream@.socket",
  ]

  /// The setting of a unit as a shell command line: in our units, systemd's quotes mean the same.
  static func command(_ setting: String, of unit: String, instance: String) throws -> String {
    let lines = try Repository.contents("examples/systemd/" + unit).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix(setting + "=") })
    return String(line.dropFirst(setting.count + 1)).replacing("$$", with: "$").replacing("%i", with: instance)
      .replacing("/opt/feedutils/examples", with: examples)
  }

  @Test(.enabled(if: Repository.has("systemd-analyze")), arguments: units)
  func systemdTakesThem(_ unit: String) throws {
    let file = Command.quote(Self.examples + "/systemd/" + unit)
    let result = try Command.shell("systemd-analyze verify --man=no \(file)")
    #expect(result.status == 0 && result.text.isEmpty && result.error.isEmpty, "\(result.text)\(result.error)")
    guard unit.hasSuffix(".service") else { return }
    // On a scale to 10: higher means more rights.
    let exposure = try Command.shell("systemd-analyze security --offline=true --threshold=25 \(file)")
    #expect(exposure.status == 0, "\(exposure.text)")
  }

  /// Starts from the checkpoint each time, and the end of the pipe does not hide a failing source.
  @Test(.enabled(if: Repository.has("python3")))
  func aFeedIsBroughtIn() throws {
    let start = try Self.command("ExecStart", of: "feed-ingest@.service", instance: "test")
    let result = try Command.shell(
      #"""
      serve-script '[{"body":"id: 1\ndata: a\n\n"},{"body":"id: 2\ndata: b\n\n"}]' -- \
        env 'SOURCE=sse-cat --no-reconnect {0}/a' SINK='tee -a arrived' sh -c 'eval "$START"; eval "$START"' >seen
      cat arrived state requests
      export SOURCE=false SINK=cat; eval "$START"; echo $?
      """#, environment: ["START": start])
    #expect(
      result.text == """
        {"event":"message","id":"1","data":"a"}
        {"event":"message","id":"2","data":"b"}
        {"event":"data","id":"2","data":null}
        0 GET /a
        0 GET /a last-event-id=1
        1

        """, "\(result.text)\(result.error)")
  }

  /// systemd sends SIGTERM to the main process (KillMode=mixed): what the sink has begun, it ends.
  @Test func aStopLetsTheSinkEnd() throws {
    let unit = try Repository.contents("examples/systemd/feed-ingest@.service")
    #expect(unit.contains("\nKillMode=mixed\n"))
    let start = try Self.command("ExecStart", of: "feed-ingest@.service", instance: "test")
    let result = try Command.shell(
      #"""
      printf '#!/bin/sh\ncat >began; sleep 0.5; cat began\n' >sink; chmod +x sink
      echo '{"event":"a","id":"1","data":1}' | sse-serve --plain --keep-serving --port-file port 0 & server=$!
      until [ -s port ]; do sleep 0.02; done
      SOURCE="sse-cat --last-event-id 0 http://127.0.0.1:$(cat port)/" SINK=./sink; export SOURCE SINK
      eval "exec $START" & unit=$!
      until [ -s began ]; do sleep 0.02; done
      kill $unit; wait $unit; echo $?; kill $server
      cat state
      """#, environment: ["START": start])
    #expect(
      result.text == """
        {"event":"a","id":"1","data":"1"}
        143
        {"event":"data","id":"1","data":null}

        """, "\(result.text)\(result.error)")
  }

  @Test(.enabled(if: Repository.has("python3")))
  func aPollIsAppended() throws {
    let start = try Self.command("ExecStart", of: "feed-poll@.service", instance: "test")
    let result = try Command.shell(
      #"""
      serve-script '[{"type":"application/json","body":"1"},{"type":"application/json","body":"2"}]' -- \
        env 'SOURCE=http-cat --records --checkpoint state "${BASE}"/a' BASE='{0}' sh -c '(eval "$START"); (eval "$START")'
      cut -d, -f1,3 records.ndjson
      """#, environment: ["START": start])
    #expect(result.text.split(separator: "\n").count == 2, "\(result.text)\(result.error)")
  }

  /// The unit is ready when a client gets the document.
  @Test(.enabled(if: ["redis-server", "redis-cli", "curl", "setsid"].allSatisfy(Repository.has)))
  func aServerIsUpWhenItIsReady() throws {
    let start = try Self.command("ExecStart", of: "feed-serve@.service", instance: "0")
    let isUp = try Self.command("ExecStartPost", of: "feed-serve@.service", instance: "0")
    let result = try Command.shell(
      #"""
      export REDIS_SOCKET=$PWD/socket STREAM=feed
      redis-server --port 0 --unixsocket socket --save '' >log & server=$!
      until redis-cli -s socket XADD feed 1-1 record '{"event":"data","id":"1","data":{"n":1}}' >>log 2>&1; do sleep 0.02; done
      setsid sh -c "$START" & unit=$!
      export MAINPID=$unit
      eval "$IS_UP"
      curl -sS "http://127.0.0.1:$(cat port)/snapshot"
      kill $server; kill -- -$unit; wait
      """#, environment: ["START": start, "IS_UP": isUp])
    #expect(result.text == "{\"n\":1}\n", "\(result.text)\(result.error)")
  }

  /// systemd's own program passes the socket to the shell of the unit: the first client starts it, and is answered.
  @Test(.enabled(if: ["systemd-socket-activate", "python3", "curl"].allSatisfy(Repository.has)))
  func aStreamIsServedOnThePassedSocket() throws {
    let start = try Self.command("ExecStart", of: "feed-stream@.service", instance: "test")
    let result = try Command.shell(
      #"""
      printf '%s\n' '{"event":"data","id":"1","data":{"n":1}}' '{"note":"live"}' >records; mkfifo more
      python3 -c 'import socket
      notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      notices.bind("notify")
      for _ in range(2): print(notices.recv(100).decode())' >notices & manager=$!
      until [ -S notify ]; do sleep 0.02; done
      eval "exec systemd-socket-activate -E NOTIFY_SOCKET=$PWD/notify -E 'SOURCE=cat records more' -E 'OPTIONS=-v --wait-ready' \
        -l $PWD/feed.sock $START" 2>messages & unit=$!
      until grep -q '^Listening' messages; do sleep 0.02; done
      curl -sS --unix-socket feed.sock http://localhost/snapshot
      : >more; wait $unit; echo $?; wait $manager
      cat notices; sed -n "s|$PWD/||; /^sse-serve/p" messages
      """#, environment: ["START": start])
    #expect(
      result.text == """
        {"n":1}
        0
        READY=1
        STOPPING=1
        sse-serve: not listening until the note 'live' comes
        sse-serve: listening on unix:feed.sock
        sse-serve: unix:1: GET /snapshot 200

        """, "\(result.text)\(result.error)")
  }

  /// systemd does not end ExecStartPost when the server that it waits for has ended.
  @Test func aServerThatCannotStartIsNotWaitedFor() throws {
    let isUp = try Self.command("ExecStartPost", of: "feed-serve@.service", instance: "0")
    let result = try Command.shell(
      #"""
      sleep 0.5 & export MAINPID=$!
      (eval "timeout 20 $IS_UP" 2>/dev/null; echo $?) & post=$!
      wait $MAINPID; wait $post
      """#, environment: ["IS_UP": isUp])
    #expect(result.text == "1\n", "\(result.text)\(result.error)")
  }

  /// The statuses of a job in order, and the resulting mails.
  @Test(arguments: [
    ("0 0 1 0", ""), ("3 3 3 3 0", "3,1 3,2 3,4 again"), ("4 4 4 0 4", ""), ("4 4 4 4 4 0", "4,4 again"),
    ("2 3 0 0", "2,1 3,1 again"), ("127", "127,1"),
  ])
  func whatMattersIsMailed(_ statuses: String, _ mails: String) throws {
    let result = try Command.shell(
      """
      for status in \(statuses); do
        \(Command.quote(Self.examples))/cron/mails-what-matters job sh -c "echo out; echo why >&2; exit $status" || :
      done
      """)
    let told = result.error.split(separator: "\n").filter { $0 != "why" }.map { line in
      line.contains("works again")
        ? "again" : line.dropFirst("job: status ".count).replacing(" in a row:", with: "").replacing(", ", with: ",")
    }
    #expect(told.joined(separator: " ") == mails, "\(result.error)")
    #expect(result.text.split(separator: "\n").count == statuses.split(separator: " ").count)
    #expect(result.error.count { $0 == "w" } >= told.count)
  }

  /// A count that cannot be read is none, and hides nothing.
  @Test(arguments: ["", "3", "3 x", "3 08", "x 1", "3 99999999999999999999", "3 1 2"])
  func aDamagedCountHidesNothing(_ count: String) throws {
    let result = try Command.shell(
      """
      for status in 3 0; do
        echo '\(count)' >job.failures
        \(Command.quote(Self.examples))/cron/mails-what-matters job sh -c "echo why >&2; exit $status"; echo $?
      done
      """)
    #expect(result.text == "3\n0\n" && result.error == "job: status 3, 1 in a row:\nwhy\n", "\(result.error)")
  }

  /// The jobs of the table, as cron would run them.
  @Test(.enabled(if: Repository.has("python3")))
  func theJobsRun() throws {
    let table = try Repository.contents("examples/cron/crontab").split(separator: "\n")
    let jobs = table.filter { $0.first?.isNumber == true || $0.hasPrefix("*") }
    #expect(jobs.count == 2)
    for job in jobs {
      let fields = job.split(separator: " ", maxSplits: 5)
      #expect(fields[..<5].allSatisfy { $0.wholeMatch(of: /[0-9*\/,-]+/) != nil } && !job.contains("%"), "\(job)")
      let command = String(fields[5]).replacing(/https:\/\/[a-z.]*/, with: "'{0}'")
      let page = #"{"items":[{"question_id":7}],"has_more":false}"#
      let script = Command.quote(#"[{"type":"application/json","body":\#(page.debugDescription)}]"#)
      let result = try Command.shell(
        "mkdir feeds; serve-script \(script) -- sh -c \(Command.quote(command)); cat feeds/*.ndjson",
        environment: ["TOOLS": Self.examples])
      #expect(result.status == 0 && result.error.isEmpty, "\(job): \(result.error)")
      #expect(result.text.contains(#"{"question_id":7}"#), "\(result.text)")
    }
  }

  @Test(.enabled(if: Repository.has("logrotate")))
  func logrotateTakesIt() throws {
    let result = try Command.shell("logrotate --debug \(Command.quote(Self.examples))/cron/logrotate")
    #expect(result.status == 0 && !result.error.contains("error:"), "\(result.error)")
  }
}
