import Foundation
import TestSupport
import Testing

/// `examples/tweets`: statuses with coordinates from an XML stream, against its own server.
@Suite(.enabled(if: Repository.has("python3") && Repository.has("curl")))
struct TweetsTests {
  let folder = Command.quote(Repository.path("examples/tweets"))
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// The start of the offline run's output.
  static let first = """
    Night train is in. Coffee, http://trains.example.com/night?from=BER&to=MMA, then sleep.
      name   Ada Lindqvist
      url    http://adalq.example.com/
      image  http://images.example.com/1001/adalq_normal.jpg
      link   http://trains.example.com/night?from=BER&to=MMA
      point  52.5211 13.4105

    """

  /// The rest, byte for byte. Left out: notices, statuses without a point or with an empty one, a retweet of one with a
  /// point, and statuses that do not match.
  static let rest = """
    Köfte & çay am Ufer 😀 (http://cay.example.com/wiki/Tee_(Getränk))
      name   Çiğdem Aksu
      url    http://cigdemaksu.example.com/
      image  http://images.example.com/1003/cigdemaksu_normal.jpg
      link   http://cay.example.com/wiki/Tee_(Getränk)
      point  52.4930 13.3900
    One foot in tomorrow
      name   Emre Takahashi
      image  http://images.example.com/1005/emretaka_normal.jpg
      point  -16.8000 179.9800
    And here it is still yesterday: HTTP://Taveuni.example.com/today!
      name   Farida Okonjo-Rask
      url    http://faridaor.example.com/
      image  http://images.example.com/1006/faridaor_normal.jpg
      link   HTTP://Taveuni.example.com/today
      point  -16.9500 -179.7500
    </text><delete><status><geo><georss:point>0 0</georss:point></geo></status> & so on is only text
      name   Gull Watch
      url    http://gullwatch.example.com/
      image  http://images.example.com/1007/gullwatch_normal.jpg
      point  59.3300 18.0700
    @gullwatch three, “hungry” ones: “http://birds.example.com/3”...
      name   Ola <o> O'Nygård
      url    http://olaonygard.example.com/
      image  http://images.example.com/1008/olaonygard_normal.jpg
      link   http://birds.example.com/3
      point  59.3200 18.1000
    At the very corner of the box
      name   Bo Ferreira
      image  http://images.example.com/1002/boferreira_normal.jpg
      point  53.0000 13.9000
    TRAIN delays all #NIGHT long, see http://. or rather https://oebb.example.com/?a=1;b#c…
      name   Dov & Daughters
      url    http://dovbakes.example.com/
      image  http://images.example.com/1004/dovbakes_normal.jpg
      link   https://oebb.example.com/?a=1;b#c
      point  48.2082 16.3738
    Ferry: 9:15 \\t 10:45 11:151m C:\\new
      name   Emre Takahashi
      image  http://images.example.com/1005/emretaka_normal.jpg
      point  47.4979 19.0402
    フェリー ferry http://sendai.example.com/船　がんばれ
      name   Farida Okonjo-Rask
      url    http://faridaor.example.com/
      image  http://images.example.com/1006/faridaor_normal.jpg
      link   http://sendai.example.com/船
      point  38.2682 141.0200
    Gone fishing, http://gulls.example.com/a?b&c>
      name   Gull Watch
      url    http://gullwatch.example.com/
      image  http://images.example.com/1007/gullwatch_normal.jpg
      link   http://gulls.example.com/a?b&c
      point  59.3400 18.0600

    """

  /// The server breaks the connection once, within a document (a status or a notice), and ends the last one.
  static func tellsOneBreak(_ error: String, of status: Bool) -> Bool {
    let lines = error.split(separator: "\n")
    let breaks = lines.count { $0.hasSuffix("connection closed before the end of the response; reconnecting at once") }
    let cuts = lines.count { $0.contains(": the document was cut off inside ") }
    let ends = lines.count { $0.hasSuffix("closed by the server; reconnecting at once") }
    return breaks == 1 && ends <= 1 && lines.count == breaks + cuts + ends && (status ? cuts == 1 : cuts <= 1)
  }

  /// Every installed awk gives the same output; `awk` is the system's default.
  @Test(arguments: ["awk", "mawk", "gawk", "busybox"])
  func offline(_ awk: String) throws {
    let result = try Command.shell(
      """
      program=$(command -v \(awk)) || exit 77
      ln -s "$program" awk
      PATH=$PWD:$PATH PAUSE=0 \(folder)/tweets
      """, in: scratch.path)
    if result.status == 77 { return }
    #expect(result.status == 0 && Self.tellsOneBreak(result.error, of: true), "\(result.error)")
    #expect(result.text == Self.first + Self.rest)
  }

  /// Searches by text, user or place, and how many statuses with a point match.
  @Test(arguments: [
    ("-t 'train NIGHT'", 2), ("-t night,train", 2), ("-t 'ferry foot,gone fishing'", 1), ("-t foot -t fishing", 2),
    ("-t fish", 0), ("-t 'empty point'", 0), ("-f 1007", 3), ("-f 1007,1003 -f 1", 5), ("-l 13.4,52.5", 3),
    ("-l 13.4,52.5001", 4),
    ("-l 13.3999,52.5", 2), ("-l 180,-16.8", 2), ("-l -180,-16.8", 2), ("-l 179.4,-16.8", 0), ("-l 179.6,-16.8", 1),
    ("-l -179.6,-16.8", 2), ("-l 180,-16.8 -f 1001 -t bread", 4),
  ])
  func filters(_ options: String, _ count: Int) throws {
    let result = try Command.shell("\(folder)/tweets \(options)", environment: ["PAUSE": "0"])
    #expect(result.text.split(separator: "\n").count { $0.hasPrefix("  point  ") } == count, "\(result.text)")
    #expect(result.status == 0 || count == 0, "\(result.status)")
    #expect(result.error.isEmpty || Self.tellsOneBreak(result.error, of: false), "\(result.error)")
  }

  /// The longitude and latitude of a place, and the boxes around it.
  @Test(arguments: [
    ("13.4 52.5", "12.9,52,13.9,53"), ("-122.39 37.78", "-122.89,37.28,-121.89,38.28"), ("0.5 -.5", "0,-1,1,0"),
    ("100 +10.", "99.5,9.5,100.5,10.5"), ("0.12345678 1", "-0.3765432,0.5,0.6234568,1.5"),
    // The date line: no box across it, one that ends at it, two around it.
    ("179.5 0", "179,-0.5,180,0.5"), ("-179.5 0", "-180,-0.5,-179,0.5"),
    ("179.75 0", "179.25,-0.5,180,0.5,-180,-0.5,-179.75,0.5"),
    ("-179.75 0", "179.75,-0.5,180,0.5,-180,-0.5,-179.25,0.5"),
    ("180 0", "179.5,-0.5,180,0.5,-180,-0.5,-179.5,0.5"), ("-180 0", "179.5,-0.5,180,0.5,-180,-0.5,-179.5,0.5"),
    ("179.50000001 0", "179,-0.5,180,0.5"),
    // The poles.
    ("0 89.5", "-0.5,89,0.5,90"), ("0 89.8", "-0.5,89.3,0.5,90"), ("0 90", "-0.5,89.5,0.5,90"),
    ("0 -90", "-0.5,-90,0.5,-89.5"), ("180 -90", "179.5,-90,180,-89.5,-180,-90,-179.5,-89.5"),
  ])
  func boxes(_ place: String, _ box: String) throws {
    let result = try Command.shell("\(folder)/box \(place)")
    #expect(result.text == box + "\n" && result.status == 0 && result.error.isEmpty, "\(result.text)\(result.error)")
  }

  @Test(arguments: [
    ("", "usage: box LON LAT"), ("13", "usage: box LON LAT"), ("1 2 3", "usage: box LON LAT"),
    ("181 0", "box: LON is a number of degrees from -180 to 180"),
    ("1e2 0", "box: LON is a number of degrees from -180 to 180"),
    ("'' 0", "box: LON is a number of degrees from -180 to 180"),
    ("nan 0", "box: LON is a number of degrees from -180 to 180"),
    ("0 -90.0000001", "box: LAT is a number of degrees from -90 to 90"),
    ("0 '1 2'", "box: LAT is a number of degrees from -90 to 90"),
    ("0 0x1", "box: LAT is a number of degrees from -90 to 90"),
    ("0 .", "box: LAT is a number of degrees from -90 to 90"),
  ])
  func noBoxes(_ place: String, _ message: String) throws {
    let result = try Command.shell("\(folder)/box \(place)")
    #expect(
      result.text.isEmpty && result.status == 2 && result.error == message + "\n", "\(result.text)\(result.error)")
  }

  @Test(arguments: [
    "-x", "-t", "-l 13.4", "-t a b c", "http://127.0.0.1:1/",
  ])
  func wrongUsage(_ arguments: String) throws {
    let result = try Command.shell("\(folder)/tweets \(arguments)")
    #expect(result.text.isEmpty && result.status == 2)
    #expect(result.error == "usage: tweets [-t WORDS] [-f IDS] [-l LON,LAT] [URL]\n")
  }

  /// With a URL: the right password, a wrong one, a file without one, none.
  @Test func passwords() throws {
    let result = try Command.shell(
      """
      mkfifo port
      PAUSE=0 \(folder)/server >port & server=$!
      read -r port <port
      url=http://127.0.0.1:$port/statuses/filter.xml
      export NETRC=netrc TMPDIR=$PWD
      echo "machine 127.0.0.1 login reader password larkspur" >netrc
      \(folder)/tweets -t 'night train' $url | head -n 1
      echo "machine 127.0.0.1 login reader password wrong" >netrc
      \(folder)/tweets -t 'night train' $url && echo what || echo $?
      echo "machine other.example.com login reader password larkspur" >netrc
      \(folder)/tweets -t 'night train' $url && echo what || echo $?
      rm netrc
      \(folder)/tweets -t 'night train' $url && echo what || echo $?
      kill $server
      wait
      rm port
      ls
      """, in: scratch.path)
    #expect(result.text.hasSuffix("then sleep.\n3\n3\n2\n"), "\(result.text)")
    let lines = result.error.split(separator: "\n").filter {
      !$0.contains("; reconnecting ") && !$0.contains("cut off")
    }
    #expect(lines.count == 3, "\(result.error)")
    #expect(lines.count { $0.hasSuffix(": HTTP 401: Wrong name or password") } == 2)
    #expect(lines.last == "tweets: no file netrc with a name and a password")
  }

  /// The server requires a filter, and boxes of at most a degree.
  @Test func refusals() throws {
    let result = try Command.shell(
      """
      mkfifo port
      \(folder)/server >port & server=$!
      read -r port <port
      echo "machine 127.0.0.1 login reader password larkspur" >netrc
      for form in a=b locations=1,2,3 locations=1,2,2.1,3 locations=2,1,1,2 follow=x; do
        curl -s --netrc-file netrc -w '%{http_code}\\n' -o response -d $form http://127.0.0.1:$port/statuses/filter.xml
      done
      kill $server
      """, in: scratch.path)
    #expect(result.text == String(repeating: "406\n", count: 5))
  }

  /// Input that is not XML gives status 2; a refusal by the server gives status 3.
  @Test(arguments: [("200 OK", 2), ("404 Not Found", 3)])
  func noStreams(_ response: String, _ status: Int32) throws {
    let result = try Command.shell(
      """
      mkfifo port
      python3 -c '
      import socket
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      client, _ = server.accept()
      client.recv(65536)
      client.sendall(b"HTTP/1.1 \(response)\\r\\nContent-Length: 12\\r\\n\\r\\n<status></x>")
      while client.recv(65536): pass
      ' >port &
      read -r port <port
      NETRC=/dev/null \(folder)/tweets -t x http://127.0.0.1:$port/
      """, in: scratch.path)
    #expect(result.status == status, "\(result.error)")
    #expect(result.error.contains(status == 2 ? "xml-split: -:1:" : ": HTTP 404: <status></x>"), "\(result.error)")
  }

  /// A status is shown while the server holds back the next one. A signal then ends everything silently, and leaves no
  /// processes or files. No command line contains the password.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func endsAtASignal(_ signal: Int32) throws {
    let run = try Interrupted(
      "\(folder)/tweets", by: signal, after: "  point  52.5211 13.4105\n", in: scratch.path,
      environment: ["PAUSE": "60", "TMPDIR": scratch.path]
    ) {
      guard Repository.has("ps") else { return }
      let shown = try Command.shell("ps -A -o args | grep '^http-cat .*/statuses/filter'").text
      #expect(shown.contains("--netrc") && !shown.contains("larkspur"))
    }
    #expect(run.status == 128 + signal)
    #expect(run.text == Self.first)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  /// If nobody reads any more, the next status ends it.
  @Test func endsWithItsReader() throws {
    let result = try Command.shell(
      "\(folder)/tweets | head -n 1; ls", in: scratch.path, environment: ["PAUSE": "1", "TMPDIR": scratch.path])
    #expect(result.text == Self.first.prefix { $0 != "\n" } + "\n" && result.error.isEmpty, "\(result.error)")
  }
}
