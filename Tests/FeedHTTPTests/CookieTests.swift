import FeedCore
import Testing

@testable import FeedHTTP

/// The cookies that ws-cat keeps from a handshake. For its own transfers, libcurl decides.
@Suite struct CookieTests {
  /// The cookies for `url` after answers with these Set-Cookie fields.
  private func cookies(_ fields: [String], for url: String) throws -> [String] {
    let client = try HTTPClient(keepsCookies: true)
    for field in fields {
      var head = HTTPHead()
      for line in ["HTTP/1.1 101 x", "Set-Cookie: \(field)"] { _ = head.take(Array((line + "\r\n").utf8)) }
      client.keepCookies(of: head)
    }
    return try client.cookies(for: HTTPURL(Array(url.utf8))).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  @Test(arguments: [
    ("a=b", true), ("a=b; HttpOnly; SameSite=Lax", true), ("a=b; Domain=", true), ("a=b; domain=HOST.x.example", true),
    ("a=b; Domain=.x.example", true), ("a=b; Domain=w.x.example", false),
    ("a=b; Domain=other.example", false), ("a=b; Domain=ost.x.example", false),
    ("a=b; Path=/", true), ("a=b; Path=/p", true), ("a=b; Path=/p/", true), ("a=b; Path=/p/q", true),
    ("a=b; Path=/p/qu", false), ("a=b; Path=/P", false), ("a=b; Path=/p/q/r", false), ("a=b; path=p", true),
    ("a=b; Max-Age=1000", true), ("a=b; Max-Age=0", false), ("a=b; Max-Age=-1", false),
    ("a=b; Expires=Thu, 01 Jan 1970 00:00:10 GMT", false), ("a=b; Expires=Fri, 01 Jan 2100 00:00:00 GMT", true),
    ("a=b; Secure", false), ("=b", false), ("", false), ("a", false),
  ])
  func whatIsMeant(_ field: String, _ isMeant: Bool) throws {
    let found = try cookies([field], for: "http://host.x.example/p/q?r")
    #expect(found == (isMeant ? ["a=b"] : []))
  }

  @Test func secureOnesGoOverTLS() throws {
    #expect(try cookies(["a=b; Secure"], for: "https://host/") == ["a=b"])
  }

  @Test func aNewOneTakesThePlaceOfTheOld() throws {
    #expect(try cookies(["a=1", "b=2", "a=3"], for: "http://host/") == ["a=3", "b=2"])
    #expect(try cookies(["a=1", "a=; Max-Age=0"], for: "http://127.0.0.1/") == [])
  }

  @Test func theyAreBounded() throws {
    let many = (0...(CookieJar.limit + 10)).map { "c\($0)=x" }
    #expect(
      try cookies(many, for: "http://host/").sorted() == (CookieJar.limit + 1...CookieJar.limit + 10).map { "c\($0)=x" }
    )
  }

  @Test func aClientThatKeepsNone() throws {
    let client = try HTTPClient()
    var head = HTTPHead()
    for line in ["HTTP/1.1 101 x", "Set-Cookie: a=b"] { _ = head.take(Array((line + "\r\n").utf8)) }
    client.keepCookies(of: head)
    #expect(try client.cookies(for: HTTPURL(Array("http://host/".utf8))).isEmpty && client.cookieValues.isEmpty)
  }
}
