import FeedCore
import Testing

@testable import FeedHTTP

/// A transfer over scripted hops: no libcurl, no network.
@Suite struct HTTPTransferTests {
  /// The actions of a hop, one for each time that libcurl is asked to continue.
  enum Act {
    /// Lines of a head; the last one is empty.
    case head([String])
    case body(String)
    case bytes([UInt8])
    case end
    case fail(String)
  }

  final class Hop: HTTPHop {
    var acts: [Act]
    private(set) var head: HTTPHead?
    private(set) var isOver = false
    private(set) var failure: HTTPError?
    private var received: [UInt8] = []

    init(_ acts: [Act]) { self.acts = acts.reversed() }

    func goOn() {
      switch acts.popLast() {
      case .head(let lines)?:
        var head = HTTPHead()
        for line in lines { _ = head.take(Array((line + "\r\n").utf8)) }
        self.head = head
      case .body(let text)?: received += Array(text.utf8)
      case .bytes(let bytes)?: received += bytes
      case .end?: isOver = true
      case .fail(let message)?: (failure, isOver) = (HTTPError(.transient, message), true)
      case nil: break
      }
    }

    func take(into chunk: inout [UInt8]) -> Bool {
      guard !received.isEmpty else { return false }
      (chunk, received) = (received, [])
      return true
    }

    func resume() {}
    var wasSent: Bool { true }
  }

  /// Answers the first request with the first hop, and so on.
  final class Transport: HTTPTransport {
    private var hops: [Hop]
    private(set) var requests: [HTTPRequest] = []
    private var current: [Hop] = []
    var running: Int { current.count }
    var cookieValues: [[UInt8]] = []

    init(_ hops: [[Act]]) { self.hops = hops.map(Hop.init).reversed() }

    func begin(_ request: HTTPRequest) throws(HTTPError) -> any HTTPHop {
      requests.append(request)
      guard let hop = hops.popLast() else { throw HTTPError(.local, "no more hops") }
      current.append(hop)
      return hop
    }

    func keepCookies(of head: HTTPHead, from url: HTTPURL) {}
    func drop(_ hop: AnyObject) { current.removeAll { $0 === hop } }
    func perform() throws(HTTPError) { for hop in current { hop.goOn() } }
  }

  private func request(_ url: String) throws -> HTTPRequest {
    var request = HTTPRequest(url: try HTTPURL(Array(url.utf8)), userAgent: [])
    request.credentials.bearer = Array("token".utf8)
    return request
  }

  private let ok = Act.head(["HTTP/1.1 200 OK", "Content-Type: text/plain", ""])

  /// What a transfer returns in total, and how often it returned nothing.
  private func run(_ transport: Transport, _ url: String = "http://a/x") throws -> (
    found: [String], transfer: HTTPTransfer
  ) {
    let transfer = try HTTPTransfer(request(url), over: transport)
    var found: [String] = []
    do throws(HTTPError) {
      for _ in 0..<200 {
        switch try transfer.next() {
        case .head?: found.append("head \(transfer.head.status)")
        case .body?: found.append("body \(String(decoding: transfer.chunk, as: UTF8.self))")
        case .end?: return (found + ["end"], transfer)
        case nil: continue
        }
      }
      found.append("nothing")
    } catch {
      found.append("error: \(error.message)")
    }
    return (found, transfer)
  }

  @Test func anResponseInPieces() throws {
    let transport = Transport([[ok, .body("one"), .body("two"), .end]])
    let (found, transfer) = try run(transport)
    #expect(found == ["head 200", "body one", "body two", "end"])
    #expect(transfer.head.mediaType == "text/plain")
    transfer.cancel()
    #expect(transport.running == 0)
  }

  /// libcurl accepts it as the end of a response.
  @Test func anEndInTheHeadIsNoResponse() throws {
    #expect(
      try run(Transport([[.end]])).found == ["error: connection closed before the end of the headers"])
  }

  @Test func whatCameBeforeAFailureIsGivenOut() throws {
    #expect(
      try run(Transport([[ok, .body("one"), .fail("connection lost")]])).found
        == ["head 200", "body one", "error: connection lost"])
    #expect(try run(Transport([[.fail("refused")]])).found == ["error: refused"])
  }

  private func redirect(_ status: Int = 302, to target: String) -> Act {
    .head(["HTTP/1.1 \(status) Found", "Location: \(target)", ""])
  }

  @Test func redirectsAreFollowedAndOtherOriginsGetNoSecret() throws {
    let transport = Transport([
      [redirect(to: "/y"), .end], [redirect(307, to: "//b/z"), .end], [ok, .body("b"), .end],
    ])
    let (found, transfer) = try run(transport)
    #expect(found == ["head 200", "body b", "end"])
    #expect(transport.requests.map(\.url.text) == ["http://a/x", "http://a/y", "http://b/z"])
    #expect(transport.requests.map { $0.credentials.bearer == nil } == [false, false, true])
    #expect(transfer.request.url.text == "http://b/z" && transport.running == 1)
  }

  /// The response to the next hop may arrive as soon as its request is sent.
  @Test func aRedirectIsOverWhenItsHeadIsThere() throws {
    #expect(try run(Transport([[redirect(to: "/y")], [ok, .end]])).found == ["head 200", "end"])
  }

  @Test func redirectsEnd() throws {
    let loop = Transport(Array(repeating: [redirect(to: "/x")], count: 30))
    #expect(try run(loop).found == ["error: more than 20 redirects"])
    #expect(loop.requests.count == 21)
    #expect(
      try run(Transport([[redirect(to: "ftp://b/")]])).found == ["error: redirected to a URL of scheme 'ftp'"])
  }

  @Test func aRedirectThatLeadsNowhereIsAnResponse() throws {
    let nowhere = Transport([[.head(["HTTP/1.1 302 Found", ""]), .end]])
    #expect(try run(nowhere).found == ["head 302", "end"])
    #expect(try run(Transport([[redirect(304, to: "/y"), .end]])).found == ["head 304", "end"])
  }
}
