import TestSupport
import Testing

@testable import FeedCore
@testable import sse_serve

/// The request parser: Tests/Fixtures/http/requests.txt, each request whole, byte by byte and cut at every place; and
/// the limits: a request at a limit is accepted, one above it is refused.
@Suite struct RequestParserTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let number: Int
    let text: String
    let request: [UInt8]
    /// The bytes after the request.
    let rest: [UInt8]
    let expected: String

    var testDescription: String { "line \(number): \(text)" }

    init?(_ number: Int, _ line: String) {
      guard let mark = line.range(of: " => ", options: .backwards) else { return nil }
      self.number = number
      text = line
      let parts = line[..<mark.lowerBound].split(separator: "|", omittingEmptySubsequences: false).map {
        Fixtures.bytes($0)
      }
      request = parts[0]
      rest = parts.count > 1 ? parts[1] : []
      expected = String(line[mark.upperBound...])
    }
  }

  static let cases: [Case] = ((try? Fixtures.lines("http/requests.txt")) ?? []).compactMap(Case.init)

  /// The result for pieces that end at the given places, and how many bytes it used.
  static func verdict(_ bytes: [UInt8], endingAt ends: [Int]) -> (text: String, taken: Int) {
    var parser = RequestParser()
    var start = 0
    for end in ends {
      let piece = Array(bytes[start..<end])
      var index = 0
      do {
        if let request = try parser.next(piece.span, from: &index) { return (words(request), start + index) }
      } catch {
        return ("\(error.status) \(error.reason)", 0)
      }
      start = end
    }
    return ("more", bytes.count)
  }

  static func words(_ request: ClientRequest) -> String {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    func field(_ name: String, _ value: [UInt8]?) -> [String] { value.map { ["\(name)=\(text($0))"] } ?? [] }
    let target =
      request.method == .other ? "-" : text(request.path) + (request.query.isEmpty ? "" : "?" + text(request.query))
    var words = ["\(request.method)", target, request.keepsAlive ? "keep" : "close"]
    if request.hasBody { words.append("body") }
    words += field("id", request.lastEventID.isEmpty ? nil : request.lastEventID)
    words += field("auth", request.authorization) + field("match", request.ifNoneMatch)
    words += field("origin", request.origin)
    if request.isPreflight { words.append("preflight") }
    return words.joined(separator: " ")
  }

  @Test func thereAreCases() { #expect(Self.cases.count > 60) }

  @Test(arguments: cases)
  func whateverTheCuts(_ item: Case) {
    let bytes = item.request + item.rest
    let whole = Self.verdict(bytes, endingAt: [bytes.count])
    #expect(whole.text == item.expected)
    if !item.rest.isEmpty { #expect(whole.taken == item.request.count) }
    #expect(Self.verdict(bytes, endingAt: Array(1...bytes.count)) == whole, "byte by byte")
    for cut in 1..<max(2, bytes.count) where cut < bytes.count {
      #expect(Self.verdict(bytes, endingAt: [cut, bytes.count]) == whole, "cut at \(cut)")
    }
  }

  static func request(target: Int, headers: Int) -> [UInt8] {
    let line = "GET /" + String(repeating: "a", count: target - 1) + " HTTP/1.1"
    let host = "Host: x\r\n"
    let more = "X: " + String(repeating: "b", count: headers - host.utf8.count - 2 - 5) + "\r\n"
    return Array((line + "\r\n" + host + more + "\r\n").utf8)
  }

  @Test(arguments: [
    (0, 0, "get"), (1, 0, "414"), (0, 1, "431"), (1, 1, "414"),
  ])
  func theLimits(_ line: Int, _ headers: Int, _ expected: String) {
    // Without the CR and LF at its end.
    let target = RequestParser.maxRequestLine - "GET  HTTP/1.1".utf8.count + line
    let bytes = Self.request(target: target, headers: RequestParser.maxHeaders + headers)
    let whole = Self.verdict(bytes, endingAt: [bytes.count]).text
    #expect(whole.hasPrefix(expected), "\(whole.prefix(40))")
    let lineEnd = target + 14
    for cut in Array(lineEnd - 5...lineEnd + 5) + Array(bytes.count - 5..<bytes.count) {
      #expect(Self.verdict(bytes, endingAt: [cut, bytes.count]).text == whole, "cut at \(cut)")
    }
  }

  /// A line without an end is refused as soon as it is too long.
  @Test func endlessLines() {
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: RequestParser.maxRequestLine + 1)
    #expect(Self.verdict(line, endingAt: [line.count]).text == "414 URI too long")
    #expect(Self.verdict(line.dropLast(), endingAt: [line.count - 1]).text == "more")
    let head = Array("GET / HTTP/1.1\r\n".utf8)
    let field = [UInt8](repeating: UInt8(ascii: "a"), count: RequestParser.maxHeaders + 1)
    #expect(Self.verdict(head + field, endingAt: [head.count + field.count]).text.hasPrefix("431"))
    #expect(Self.verdict(head + field.dropLast(), endingAt: [head.count + field.count - 1]).text == "more")
  }

  private static func verdict(_ bytes: ArraySlice<UInt8>, endingAt ends: [Int]) -> (text: String, taken: Int) {
    verdict(Array(bytes), endingAt: ends)
  }

  // MARK: Routing

  @Test func tokensAreCompared() {
    let router = Router(token: Array("secret".utf8))
    func route(_ authorization: String?, _ path: String = "/", _ method: ClientRequest.Method = .get) -> Route {
      var request = ClientRequest()
      request.method = method
      request.path = Array(path.utf8)
      request.authorization = authorization.map { Array($0.utf8) }
      return router.route(request)
    }
    #expect(route("Bearer secret") == .stream(nil, after: []))
    #expect(route("bEARER   secret") == .stream(nil, after: []))
    for wrong in [
      nil, "", "secret", "Basic secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secretx", "Bearer Secret",
    ] {
      #expect(route(wrong) == .refused(401, "unauthorized"), "\(wrong ?? "none")")
      // Nobody can find out which paths exist.
      #expect(route(wrong, "/other") == .refused(401, "unauthorized"))
    }
    #expect(route(nil, "/healthz") == .health)
    #expect(route(nil, "/", .options) == .methods)
    #expect(route(nil, "/", .other) == .refused(405, "method not allowed"))
    #expect(
      route("Bearer secret", "/other") == .refused(404, "not found: there are /, /snapshot, /metrics and /healthz"))
    #expect(route("Bearer secret", "/metrics") == .metrics)
    #expect(route(nil, "/metrics") == .refused(401, "unauthorized"))
  }

  /// Paths with several streams. Names are percent-encoded; only an encoded slash is part of one.
  @Test(arguments: [
    ("/", "list"), ("/streams/a", "stream a"), ("/streams/a%2Fb", "stream a/b"),
    ("/streams/%3Cscript%3E", "stream <script>"),
    ("/streams/metrics", "stream metrics"), ("/metrics", "metrics"), ("/streams/a/snapshot", "snapshot a"),
    ("/streams/snapshot/snapshot", "snapshot snapshot"), ("/streams/%E2%82%AC", "stream €"), ("/streams/+", "stream +"),
    ("/streams/a/b", "404"), ("/streams", "404"), ("/streams/", "404"), ("/streams//snapshot", "404"),
    ("/snapshot", "404"), ("/streams/a/snapshot/", "404"), ("/a", "404"),
  ])
  func severalStreams(_ path: String, _ expected: String) {
    var request = ClientRequest()
    request.path = Array(path.utf8)
    let found =
      switch Router(token: nil, isMany: true).route(request) {
      case .list: "list"
      case .metrics: "metrics"
      case .stream(let name, _): "stream " + String(decoding: name ?? [], as: UTF8.self)
      case .snapshot(let name): "snapshot " + String(decoding: name ?? [], as: UTF8.self)
      case .refused(let status, _): "\(status)"
      default: "other"
      }
    #expect(found == expected)
  }

  @Test(arguments: [
    ("access_token=secret", nil, true), ("x=1&access_token=secr%65t", nil, true), ("access_token=no", nil, false),
    ("access_token=no", "Bearer secret", false), ("", "Bearer secret", true), ("", nil, false),
  ])
  func tokensInTheQuery(_ query: String, _ authorization: String?, _ isAllowed: Bool) {
    var request = ClientRequest()
    request.path = Array("/".utf8)
    request.query = Array(query.utf8)
    request.authorization = authorization.map { Array($0.utf8) }
    let token = Array("secret".utf8)
    let isHere = Router(token: token, takesTokenFromQuery: true).route(request) == .stream(nil, after: [])
    #expect(isHere == isAllowed)
    // Without the option the query has no token.
    #expect((Router(token: token).route(request) == .stream(nil, after: [])) == (authorization == "Bearer secret"))
  }

  /// The host is checked before anything else, so that a foreign page learns nothing.
  @Test func hostsAreCompared() {
    func route(_ host: String?, _ hosts: HostList?, _ change: (inout ClientRequest) -> Void = { _ in }) -> Int? {
      var request = ClientRequest()
      request.path = Array("/healthz".utf8)
      request.host = host.map { Array($0.utf8) }
      change(&request)
      guard case .refused(let status, _) = Router(token: nil, hosts: hosts).route(request) else { return nil }
      return status
    }
    let names = ["Feed.Example", "feed2.example.", "::2", "[FE80::1]", "127.0.0.2"]
    let hosts = HostList(names.compactMap { HostList.name(ofAddress: Array($0.utf8)) })
    for known in [
      "localhost", "LOCALHOST", "localhost.", "localhost:", "localhost:0", "localhost.:8080", "127.0.0.1",
      "127.0.0.1:80",
      "[::1]", "[::1]:80", "feed.example", "FEED.example.:1", "feed2.example", "[::2]:80", "[fe80::1]", "127.0.0.2",
    ] { #expect(route(known, hosts) == nil, "\(known)") }
    for unknown in [
      "evil.example", "", ".", ":80", "localhost..", "localhost.evil.example", "xlocalhost", "localhost:80:80",
      "localhost:x",
      "::1", "[::1", "[::1]x", "[localhost]", "127.0.0.10", "127.1", "0.0.0.0", "[::]", "feed.example,localhost",
    ] { #expect(route(unknown, hosts) == 421, "\(unknown)") }
    #expect(route(nil, hosts) == nil)
    #expect(route("evil.example", nil) == nil)
    #expect(route("evil.example", hosts) { $0.method = .options } == 421)
    #expect(route("evil.example", hosts) { $0.method = .other } == 421)
  }

  @Test(arguments: ["", ".", "a:80", "[::1]:80", "[::1", "http://a", "a/", "*.a", "a b", "[]", "é"])
  func whatIsNoHost(_ text: String) { #expect(HostList.name(ofAddress: Array(text.utf8)) == nil) }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
    ("0.0.0.0", false), ("::", false), ("::2", false), ("::ffff:10.0.0.1", false), ("10.127.0.0", false),
  ])
  func loopback(_ text: String, _ isLoopback: Bool) throws {
    let addresses = try SocketAddress.resolve(host: Array(text.utf8), port: 7)
    #expect(!addresses.isEmpty && addresses.allSatisfy { $0.isLoopback == isLoopback })
  }

  /// The host in a target that is a complete URL replaces the header's (RFC 9112 §3.2.2).
  @Test func theHostOfTheTarget() throws {
    var parser = RequestParser()
    var index = 0
    let bytes = Array("GET http://evil.example:80/a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    let request = try parser.next(bytes.span, from: &index)
    #expect(request?.host == Array("evil.example:80".utf8))
  }

  @Test(arguments: [
    ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), (" \"a\"\t", true), ("\"b\"", false),
    ("a", false), ("", false), ("\"b\",W/\"c\"", false),
  ])
  func entityTags(_ field: String, _ isMatch: Bool) {
    #expect(Router.matches(Array(field.utf8), Array("\"a\"".utf8)) == isMatch)
    #expect(!Router.matches(nil, Array("\"a\"".utf8)))
  }

  @Test func datesAreThoseOfHTTP() {
    #expect(ResponseHead.date(784_111_777_000_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(ResponseHead.date(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(ResponseHead.date(951_782_399_000_000) == "Mon, 28 Feb 2000 23:59:59 GMT")
  }
}
