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

  // MARK: Access and routes

  /// The status with which a request is refused; nil if it is not.
  private static func refusal(_ access: ClientAccess, _ request: ClientRequest, needsToken: Bool = true) -> Int? {
    do { try access.check(request, needsToken: needsToken) } catch { return error.status }
    return nil
  }

  @Test func tokensAreCompared() {
    let access = ClientAccess(token: Array("secret".utf8))
    func refusal(
      _ authorization: String?, needsToken: Bool = true, _ method: ClientRequest.Method = .get
    ) -> Int? {
      var request = ClientRequest()
      request.method = method
      request.authorization = authorization.map { Array($0.utf8) }
      return Self.refusal(access, request, needsToken: needsToken)
    }
    #expect(refusal("Bearer secret") == nil)
    #expect(refusal("bEARER   secret") == nil)
    for wrong in [
      nil, "", "secret", "Basic secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secretx", "Bearer Secret",
    ] { #expect(refusal(wrong) == 401, "\(wrong ?? "none")") }
    #expect(refusal(nil, needsToken: false) == nil)
    #expect(refusal(nil, .options) == nil)
    #expect(refusal(nil, .other) == 405)
  }

  /// The paths without a token, and those of one stream.
  @Test func theTableOfRoutes() {
    let routes = Route.all(Options())
    #expect(routes.filter { !$0.needsToken }.map(\.path) == ["/healthz"])
    #expect(routes.map(\.path) == ["/", "/snapshot", "/metrics", "/healthz"])
    #expect(routes.allSatisfy { $0.name(in: Array($0.path.utf8)) == [] })
  }

  /// Paths with several streams. Names are percent-encoded; only an encoded slash is part of one.
  @Test(arguments: [
    ("/", "/"), ("/streams/a", "/streams/NAME a"), ("/streams/a%2Fb", "/streams/NAME a/b"),
    ("/streams/%3Cscript%3E", "/streams/NAME <script>"), ("/streams/NAME", "/streams/NAME NAME"),
    ("/streams/metrics", "/streams/NAME metrics"), ("/metrics", "/metrics"),
    ("/streams/a/snapshot", "/streams/NAME/snapshot a"),
    ("/streams/snapshot/snapshot", "/streams/NAME/snapshot snapshot"), ("/streams/%E2%82%AC", "/streams/NAME €"),
    ("/streams/+", "/streams/NAME +"),
    ("/streams/a/b", ""), ("/streams", ""), ("/streams/", ""), ("/streams//snapshot", ""),
    ("/snapshot", ""), ("/streams/a/snapshot/", ""), ("/a", ""), ("", ""), ("//", ""),
  ])
  func severalStreams(_ path: String, _ expected: String) throws {
    let arguments = ["--stream-from", "/source", "0"].map { Array($0.utf8) }
    let options = try Options(sseServe.parse(arguments), StandardStreams(program: "sse-serve"))
    let found = Route.all(options).compactMap { route -> String? in
      let name = route.name(in: Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) }
      return name.map { $0.isEmpty ? route.path : "\(route.path) \($0)" }
    }
    #expect(found == (expected.isEmpty ? [] : [expected]))
  }

  @Test(arguments: [
    ("access_token=secret", nil, true), ("x=1&access_token=secr%65t", nil, true), ("access_token=no", nil, false),
    ("access_token=no", "Bearer secret", false), ("", "Bearer secret", true), ("", nil, false),
  ])
  func tokensInTheQuery(_ query: String, _ authorization: String?, _ isAllowed: Bool) {
    var request = ClientRequest()
    request.query = Array(query.utf8)
    request.authorization = authorization.map { Array($0.utf8) }
    let token = Array("secret".utf8)
    #expect((Self.refusal(ClientAccess(token: token, takesTokenFromQuery: true), request) == nil) == isAllowed)
    // Without the option the query has no token.
    #expect((Self.refusal(ClientAccess(token: token), request) == nil) == (authorization == "Bearer secret"))
  }

  /// The host is checked before anything else, so that a foreign page learns nothing.
  @Test func hostsAreCompared() {
    func refusal(_ host: String?, _ hosts: HostList?, _ method: ClientRequest.Method = .get) -> Int? {
      var request = ClientRequest()
      request.method = method
      request.host = host.map { Array($0.utf8) }
      return Self.refusal(ClientAccess(token: nil, hosts: hosts), request)
    }
    let names = ["Feed.Example", "feed2.example.", "::2", "[FE80::1]", "127.0.0.2"]
    let hosts = HostList(names.compactMap { HostList.name(ofAddress: Array($0.utf8)) })
    for known in [
      "localhost", "LOCALHOST", "localhost.", "localhost:", "localhost:0", "localhost.:8080", "127.0.0.1",
      "127.0.0.1:80",
      "[::1]", "[::1]:80", "feed.example", "FEED.example.:1", "feed2.example", "[::2]:80", "[fe80::1]", "127.0.0.2",
    ] { #expect(refusal(known, hosts) == nil, "\(known)") }
    for unknown in [
      "evil.example", "", ".", ":80", "localhost..", "localhost.evil.example", "xlocalhost", "localhost:80:80",
      "localhost:x",
      "::1", "[::1", "[::1]x", "[localhost]", "127.0.0.10", "127.1", "0.0.0.0", "[::]", "feed.example,localhost",
    ] { #expect(refusal(unknown, hosts) == 421, "\(unknown)") }
    #expect(refusal(nil, hosts) == nil)
    #expect(refusal("evil.example", nil) == nil)
    #expect(refusal("evil.example", hosts, .options) == 421)
    #expect(refusal("evil.example", hosts, .other) == 421)
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
    var request = ClientRequest()
    #expect(!request.isCurrent("\"a\""))
    request.ifNoneMatch = Array(field.utf8)
    #expect(request.isCurrent("\"a\"") == isMatch)
  }

  @Test func datesAreThoseOfHTTP() {
    #expect(Response.date(784_111_777_000_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(Response.date(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(Response.date(951_782_399_000_000) == "Mon, 28 Feb 2000 23:59:59 GMT")
  }
}
