import Testing

@testable import FeedHTTP

struct RedirectTests {
  private func url(_ text: String) throws -> HTTPURL { try HTTPURL(Array(text.utf8)) }

  private func request(_ text: String, method: String = "GET") throws -> HTTPRequest {
    var request = HTTPRequest(url: try url(text), userAgent: Array("test".utf8))
    request.method = method
    request.body = method == "POST" ? Array("a=b".utf8) : nil
    for name in ["Authorization", "X-Key", "Cookie", "Accept", "Accept-Language", "Last-Event-ID", "Content-Type"] {
      request.headers.append(.init(name, Array("v".utf8)))
    }
    request.credentials.user = Array("me".utf8)
    request.credentials.bearer = Array("token".utf8)
    request.credentials.cookies = [Array("a=b".utf8)]
    request.route.usesNetrc = true
    return request
  }

  @Test(arguments: ["http://a/other", "http://A:80/x", "http://a/"])
  func theSameOriginGetsAll(_ target: String) throws {
    let next = try request("http://a/x").redirected(to: url(target), status: 302)
    #expect(next.credentials == (try request("http://a/x").credentials))
    #expect(next.headers.count == 7)
    #expect(next.route.usesNetrc)
  }

  @Test(arguments: ["http://b/x", "https://a/x", "http://a:8080/x", "http://a.b/x"])
  func anotherOriginGetsNoSecret(_ target: String) throws {
    let first = try request("http://a/x").redirected(to: url(target), status: 307)
    #expect(first.credentials == HTTPRequest.Credentials())
    #expect(!first.route.usesNetrc)
    #expect(first.headers.map(\.name) == ["Accept", "Accept-Language", "Last-Event-ID", "Content-Type"])
    // Not even if it leads back to the first server.
    let back = first.redirected(to: try url("http://a/x"), status: 307)
    #expect(back.credentials == HTTPRequest.Credentials())
  }

  /// Messages about the next response do not quote what the first server got.
  @Test func earlierSecretsStayHidden() throws {
    var next = try request("http://a/x?key=query")
    for target in ["http://b/y", "http://c/z"] { next = next.redirected(to: try url(target), status: 302) }
    let text = HTTPExcerpt.hidden(Array("token of a=query, but tea".utf8), for: next)
    #expect(String(decoding: text, as: UTF8.self) == "*** of a=***, but tea")
  }

  /// All headers except Host, which is that of the first server.
  @Test(arguments: ["http://b/x", "https://a/x", "http://a:8080/x"])
  func aTrustedRedirectTakesAllAlong(_ target: String) throws {
    var first = try request("http://a/x", method: "POST")
    first.trustsRedirects = true
    first.bodyWithoutSecrets = Array("a=".utf8)
    first.headers.append(.init("Host", Array("c".utf8)))
    let next = first.redirected(to: try url(target), status: 307)
    #expect(next.credentials == first.credentials && next.route.usesNetrc && next.body == first.body)
    #expect(next.headers == first.headers.dropLast())
    #expect(try first.redirected(to: url("http://a/y"), status: 307).has("Host"))
  }

  @Test(arguments: [
    ("http://a/x", "b", "http://a/x?b"), ("http://a", "b=c&d", "http://a/?b=c&d"),
    ("http://a/?x", "b", "http://a/?x&b"),
    ("http://me:pw@a/x?y#z", "b c#d", "http://a/x?y&b+c%23d"),
  ])
  func dataInTheQuery(_ first: String, _ data: String, _ whole: String) throws {
    let (first, next) = (try url(first), try url(first).adding(query: Array(data.utf8)))
    #expect(next.text == whole && next.user == first.user && next.password == first.password)
    #expect(next.origin == first.origin)
  }

  @Test(arguments: [301, 302, 303])
  func aPostBecomesAGet(_ status: Int) throws {
    let next = try request("http://a/x", method: "POST").redirected(to: url("http://a/y"), status: status)
    #expect(next.method == "GET" && next.body == nil && !next.has("content-type"))
  }

  @Test(arguments: [307, 308])
  func aPostStaysOne(_ status: Int) throws {
    let next = try request("http://a/x", method: "POST").redirected(to: url("http://a/y"), status: status)
    #expect(next.method == "POST" && next.body == Array("a=b".utf8))
  }

  @Test func urlsAreTakenApart() throws {
    let url = try url("HTTP://me:p%40ss@Example.com/a%20b/ü?key=secret#part")
    #expect(url.origin == "http://example.com:80")
    #expect(url.user == Array("me".utf8) && url.password == Array("p@ss".utf8))
    #expect(
      url.text == "http://Example.com/a%20b/%C3%BC?key=secret"
        || url.text == "http://Example.com/a%20b/%c3%bc?key=secret")
    #expect(!url.display.contains("secret") && !url.display.contains("ss@") && !url.text.contains("part"))
    #expect(try url.resolving(Array("../c?d".utf8)).text == "http://Example.com/c?d")
    #expect(try url.resolving(Array("//other/e".utf8)).origin == "http://other:80")
    #expect(throws: HTTPURL.Invalid.scheme("ftp")) { try url.resolving(Array("ftp://x/".utf8)) }
    for text in ["http://", "http://a:99999/", "http://a b/", ""] {
      #expect(throws: HTTPURL.Invalid.self) { try HTTPURL(Array(text.utf8)) }
    }
  }

  @Test(arguments: [
    ("X: y", true), ("X:", true), ("X;", true), ("X", false), ("X y: z", false), (": z", false), ("X: a\nY: b", false),
    ("X;y", false),
  ])
  func headerLines(_ line: String, _ isOne: Bool) {
    #expect((HTTPRequest.Header(line: Array(line.utf8)) != nil) == isOne)
  }
}
