import Foundation
import TestSupport
import Testing

/// feedutils-pipelines(7): runs every command line of the page, and every program of its table of buffers.
@Suite struct CookbookTests {
  private static func page() throws -> String { try Repository.contents("man/feedutils-pipelines.7") }

  // MARK: Lines

  /// A line of the page, the programs that it needs, the script around it, and what that prints. `begin` starts the
  /// line in the background, and `run` waits for its end. Servers run on this machine, on free ports.
  struct Line: CustomTestStringConvertible, Sendable {
    let text: String
    let programs: [String]
    let script: String
    let output: String

    var testDescription: String { text }
    var isRunnable: Bool { (programs + ["python3", "bash"]).allSatisfy(Repository.has) }
  }

  static let lines = [
    Line(
      text: #"parallel -j0 --line-buffer -a feeds --colsep '\t' sse-cat --source {1} {2}"#,
      programs: ["parallel", "jq"],
      script: #"""
        # More feeds than processors, none of which ends before all have begun, and records longer than a pipe takes whole.
        for name in 1 2 3 4 5 6 7 8 9 10; do mkfifo $name; printf '%s\t%s\n' $name "$PWD/$name"; done >feeds
        awk 'BEGIN { for (n = 0; n < 20; n++) printf "data: {\"n\":%d,\"w\":\"%09000d\"}\n\n", n, n }' >wire
        begin
        for name in 1 2 3 4 5 6 7 8 9 10; do eval "exec 1$name>$name"; done
        for name in 1 2 3 4 5 6 7 8 9 10; do cat wire >$name & done
        for name in 1 2 3 4 5 6 7 8 9 10; do eval "exec 1$name>&-"; done
        wait
        jq -r 'select(.data.w | length == 9000) | .source' printed | sort -n | uniq -c | awk '{ print $2, $1 }' | xargs
        """#, output: "1 20 2 20 3 20 4 20 5 20 6 20 7 20 8 20 9 20 10 20\n"),
    Line(
      text: "http-cat --urls feeds --as json --every 60 --records | jdiff -f --records-in --by /source"
        + " | jpatch -f --by /source --records",
      programs: [],
      script: #"""
        mkdir www; for name in a b; do echo '{"n":1,"name":"'$name'"}' >www/$name.json; done
        # The server compares whole seconds.
        touch -d 2026-01-01 www/*
        python3 -u -m http.server --bind 127.0.0.1 --directory www 0 >log 2>&1 & others="$others $!"
        wait_for grep -qs 'port [0-9]' log; port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' log)
        for name in a b; do printf '%s\thttp://127.0.0.1:%s/%s.json\n' $name $port $name; done >feeds
        begin; wait_for grep -qs '"b"' printed; wait_for grep -qs '"a"' printed
        echo '{"n":2,"name":"b"}' >www/b.new; mv www/b.new www/b.json; wait_for grep -qs '"n":2' printed; sort printed | number-ids
        """#,
      output: """
        {"event":"data","id":"1","data":{"n":1,"name":"a"},"source":"a"}
        {"event":"data","id":"2","data":{"n":1,"name":"b"},"source":"b"}
        {"event":"data","id":"3","data":{"n":2,"name":"b"},"source":"b"}

        """),
    Line(
      text: #"sse-cat --resume-from state "$url" | deliver --checkpoint state -- examples/sqlite/sink feed.db"#,
      programs: ["sqlite3"],
      script:
        "served run; cp state old; served run; cp old state; served run; sqlite3 feed.db 'SELECT id, data FROM record'",
      output: "1|{\"n\":1}\n2|{\"n\":2}\n"),
    Line(
      text:
        #"sse-cat --resume-from state "$url" | deliver --raw --batch 1 --checkpoint state -- examples/webhook/sink "$hook""#,
      programs: ["curl"],
      script: "served run; sed -n '/POST/s/ accept.*idem/ idem/p' requests | grep -o '{.*'",
      output: "{\"n\":1}\n{\"n\":2}\n"),
    Line(
      text: #"sse-cat --resume-from state "$url" | deliver --checkpoint state -- examples/redis/sink feed"#,
      programs: ["redis-server", "redis-cli"],
      script: "redis; served run; ask XRANGE feed - + | grep '^{'",
      output: #"{"event":"message","id":"1","data":{"n":1}}"# + "\n" + #"{"event":"message","id":"2","data":{"n":2}}"#
        + "\n"),
    Line(
      text: "examples/redis/follow feed | sse-serve --wait-ready 8080", programs: ["redis-server", "redis-cli"],
      script: #"redis; ask XADD feed 1-1 record '{"event":"data","id":"1","data":{"n":1}}' >log; begin; client 1"#,
      output: #"{"event":"data","id":"1","data":{"n":1}}"# + "\n"),
    Line(
      text: #"sse-cat --resume-from in "$url" | deliver --checkpoint in -- examples/kafka/sink feed 0"#,
      programs: ["kcat"], script: "kafka; served run; kcat -C -q -u -b $brokers -t feed -p 0 -o beginning -c 2",
      output: #"{"event":"message","id":"1","data":{"n":1}}"# + "\n" + #"{"event":"message","id":"2","data":{"n":2}}"#
        + "\n"),
    Line(
      text: "examples/kafka/follow --resume-from out feed 0 | deliver --checkpoint out -- ./sink", programs: ["kcat"],
      script: #"""
        kafka; printf '#!/bin/sh\ncat >>taken\n' >sink; chmod +x sink
        echo '{"n":1}' | kcat -P -b $brokers -t feed -p 0; begin; wait_for grep -qs . taken; cat taken
        """#, output: #"{"event":"message","id":"0","data":{"n":1}}"# + "\n"),
    Line(
      text:
        #"sse-cat --resume-from state "$url" | deliver --checkpoint state -- examples/mqtt/sink -L mqtts://broker/feed"#,
      programs: ["mosquitto", "mosquitto_pub", "mosquitto_sub"],
      script: """
        mqtt; mosquitto_sub --unix socket -t feed -q 1 -c -i NAME -E; served run
        mosquitto_sub --unix socket -t feed -q 1 -c -i NAME -C 2
        """,
      output: #"{"event":"message","id":"1","data":{"n":1}}"# + "\n" + #"{"event":"message","id":"2","data":{"n":2}}"#
        + "\n"),
    Line(
      text: "mosquitto_sub -L mqtts://broker/feed -q 1 -c -i NAME | sse-serve --plain 8080",
      programs: ["mosquitto", "mosquitto_pub", "mosquitto_sub"],
      script: #"""
        mqtt; mosquitto_sub --unix socket -t feed -q 1 -c -i NAME -E
        echo '{"event":"a","id":"1","data":{"n":1}}' | mosquitto_pub --unix socket -t feed -q 1 -l; begin; client 1
        """#, output: #"{"event":"a","id":"1","data":{"n":1}}"# + "\n"),
    Line(
      text: "sse-cat http://upstream:8080/ | sse-serve 8080", programs: [],
      script: #"""
        mkfifo feed; sse-serve --plain --replay 9 --port-file upstream 0 <feed & others="$others $!"; exec 3>feed
        wait_for test -s upstream; upstream=127.0.0.1:$(cat upstream); begin; wait_for test -s port
        # What comes while a client waits: the relay gets what is new.
        (client 0 >got) & client=$!; n=0
        until grep -qs . got; do echo '{"event":"a","id":"'$((n += 1))'","data":{}}' >&3; sleep 0.05; done
        wait $client; sed 's/[0-9][0-9]*/N/' got
        """#, output: #"{"event":"a","id":"N","data":{}}"# + "\n"),
    Line(
      text: "http-cat --urls feeds --as json --every 60 --records"
        + " | jdiff -f --records-in --by /source --checkpoint state | sse-serve --stream-from /source --wait-ready --catch-up 2m 8080",
      programs: [],
      script: #"""
        mkdir www; for name in a b; do echo '{"n":1,"name":"'$name'"}' >www/$name.json; done
        touch -d 2026-01-01 www/*
        python3 -u -m http.server --bind 127.0.0.1 --directory www 0 >log 2>&1 & others="$others $!"
        wait_for grep -qs 'port [0-9]' log; web=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' log)
        for name in a b; do printf '%s/%s\thttp://127.0.0.1:%s/%s.json\n' $name $name $web $name; done >feeds
        found() { wait_for test -s port; curl -sf http://127.0.0.1:$(cat port)/streams/b%2Fb/snapshot | grep -q "$1"; }
        begin; wait_for found '"n":1'; kill -9 -- -$line; wait $line; rm port
        # After a kill, all start again with the checkpoint.
        echo '{"n":2,"name":"b"}' >www/b.new; mv www/b.new www/b.json; begin; wait_for found '"n":2'
        client '' streams/b%2Fb | number-ids
        """#, output: #"{"event":"data","id":"1","data":{"n":2,"name":"b"}}"# + "\n"),
  ]

  @Test func everyLineOfThePageIsRun() throws {
    let found = try Self.page().matches(of: /\.Dl ([^\n]+)/).map {
      String($0.1).replacingOccurrences(of: #"\(dq"#, with: "\"").replacingOccurrences(of: #"\e"#, with: #"\"#)
    }
    #expect(found.count >= 10, "the page is not read")
    #expect(found.sorted() == Self.lines.map(\.text).sorted())
  }

  private static let around = #"""
    ln -s "$EXAMPLES" examples
    others= upstream=
    ask() { redis-cli -s socket --raw "$@"; }
    # Not for ever, as what is lost never comes.
    wait_for() { tries=0; until "$@"; do [ $((tries += 1)) -lt 1000 ] || { echo "not within time: $*"; return 1; }; sleep 0.02; done; }
    local_line() {
      printf %s "$LINE" | sed -e 's/ 8080$/ --port-file port 0/' -e 's/--every 60/--every 1/' -e "s/upstream:8080/$upstream/" \
        -e 's,-L mqtts://broker/feed,--unix socket -t feed,'
    }
    run() { bash -c "$(local_line)" >printed; }
    begin() { set -m; bash -c "$(local_line)" >printed & line=$!; set +m; }
    served() {
      # A feed of two events, which then is over, and a server that takes what is posted.
      serve-script '[{"body":"id: 1\ndata: {\"n\":1}\n\nid: 2\ndata: {\"n\":2}\n\n"}]' '[{},{}]' -- \
        env url={0}/ hook={1}/ bash -c "$(local_line)"
    }
    redis() {
      export REDIS_SOCKET=$PWD/socket
      redis-server --port 0 --unixsocket socket --save '' >log & others="$others $!"
      wait_for sh -c 'redis-cli -s socket PING 2>&1 | grep -q PONG'
    }
    kafka() {
      mkfifo nothing; exec 4<>nothing
      kcat -P -b mock -t feed -X test.mock.num.brokers=1 -d mock <nothing 2>mock & others="$others $!"
      wait_for grep -qs 'bootstrap\.servers=' mock
      brokers=$(sed -n 's/.*bootstrap\.servers=\([^ ]*\).*/\1/p' mock | head -n 1)
      export brokers KAFKA_BROKERS="$brokers"
    }
    mqtt() {
      { echo "listener 0 $PWD/socket"; echo "allow_anonymous true"; echo "user $(id -un)"; } >conf
      mosquitto -c conf 2>log & others="$others $!"
      # The socket is there before somebody listens.
      wait_for python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("socket")' 2>>log
    }
    client() { wait_for test -s port; sse-cat -n 1 ${1:+--last-event-id 0} --max-time 20 "http://127.0.0.1:$(cat port)/${2-}"; }
    line=
    trap '{ [ -z "$line" ] || kill -KILL -- -$line; for other in $others; do kill -KILL $other; done; } 2>/dev/null' EXIT

    """#

  @Test(arguments: lines.filter(\.isRunnable))
  func aLineRuns(_ line: Line) throws {
    let scratch = try ScratchFolder()
    try scratch.write("script", Self.around + line.script + "\n")
    let result = try Command.shell(
      "timeout 60 bash script", in: scratch.path,
      environment: ["LINE": line.text, "EXAMPLES": Repository.path("examples")])
    #expect(result.text == line.output, "\(result.text)\(result.error)")
  }

  // MARK: Buffers

  /// A program, what the table says about it, and commands that pass on each line at once because of that.
  static let live: [(program: String, how: String, commands: [String])] = [
    ("jq", "--unbuffered", ["jq --unbuffered -c .id"]),
    ("grep", "--line-buffered", ["grep --line-buffered id"]),
    ("sed", "-u", ["sed -u s/id/x/"]),
    (
      "awk", "fflush() after print; and in mawk, -W interactive",
      ["mawk -W interactive '{ print; fflush() }'", "original-awk '{ print; fflush() }'"]
    ),
    ("tee", "as it is", ["tee copy"]),
    (
      "python3", "-u, or flush=True in print()",
      [
        "python3 -u -c 'import sys\nfor line in sys.stdin: print(line)'",
        "python3 -c 'import sys\nfor line in sys.stdin: print(line, flush=True)'",
      ]
    ),
    ("sqlite3", "as it is: at the end of each statement", ["sqlite3"]),
    ("mlr", "--records-per-batch 1 --fflush", ["mlr --records-per-batch 1 --fflush --ijsonl --ojsonl cat"]),
    (
      "others", "stdbuf -oL, if they use the buffers of the C library: tr, cut, uniq",
      ["stdbuf -oL tr a b", "stdbuf -oL cut -c 1-9", "stdbuf -oL uniq"]
    ),
  ]
  static var liveCommands: [String] {
    live.flatMap(\.commands).filter { Repository.has(String($0.prefix { $0 != " " })) }
  }

  @Test func everyRowOfBuffersIsTried() throws {
    let page = try Self.page()
    let section = try #require(page.firstMatch(of: /\.Ss Programs in between\n([\s\S]*?)\n\.El/)).1
    let rows = section.matches(of: /\.It (?:Xr )?(\S+) (?:1 )?Ta ([^\n]+)/).map { "\($0.1): \($0.2)" }
    #expect(rows.filter { !$0.hasPrefix("Sy") } == Self.live.map { "\($0.program): \($0.how)" })
  }

  /// A record comes through at once, while the pipe stays open.
  @Test(arguments: liveCommands)
  func aRecordComesThrough(_ command: String) throws {
    let scratch = try ScratchFolder()
    let record = command == "sqlite3" ? "SELECT 'id';" : #"{"event":"a","id":"1"}"#
    let result = try Command.shell(
      #"""
      unset PYTHONUNBUFFERED
      mkfifo in
      \#(command) <in >out & program=$!
      exec 3>in
      printf '%s\n' "$RECORD" >&3
      tries=0
      until [ -s out ] || [ $((tries += 1)) -gt 500 ]; do sleep 0.02; done
      [ -s out ] && echo live
      exec 3>&-
      wait $program
      """#, in: scratch.path, environment: ["RECORD": record])
    #expect(result.text == "live\n", "\(result.text)\(result.error)")
  }
}
