import FeedCore
import Testing

@testable import FeedHTTP

/// The cookies that a client keeps.
@Suite struct CookieTests {
  /// The cookies for `url` after responses with these Set-Cookie fields.
  /// - Parameter source: the URL that answers; nil for `url`.
  private func cookies(_ fields: [String], from source: String? = nil, for url: String) throws -> [String] {
    try orderedCookies(fields, from: source, for: url).sorted()
  }

  private func orderedCookies(_ fields: [String], from source: String? = nil, for url: String) throws -> [String] {
    let client = try HTTPClient(keepsCookies: true)
    for field in fields {
      var head = HTTPHead()
      for line in ["HTTP/1.1 101 x", "Set-Cookie: \(field)"] { _ = head.take(Array((line + "\r\n").utf8)) }
      client.keepCookies(of: head, from: try HTTPURL(Array((source ?? url).utf8)))
    }
    return try client.cookies(for: HTTPURL(Array(url.utf8))).map { String(decoding: $0, as: UTF8.self) }
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

  /// A cookie of one URL, for another one.
  @Test(arguments: [
    // Without a domain: only for the host, whatever its port.
    ("a=b; Path=/", "http://host.x.example/", "http://host.x.example:81/", true),
    ("a=b; Path=/", "http://x.example/", "http://host.x.example/", false),
    ("a=b; Path=/", "http://host.x.example/", "http://x.example/", false),
    ("a=b; Path=/", "http://127.0.0.1/", "http://localhost/", false),
    ("a=b; Path=/", "http://[::1]/", "http://[::1]:8080/", true),
    ("a=b; Path=/", "http://one/", "http://one.own-host.invalid/", false),
    ("a=b; Path=/", "http://one/", "http://x.one.own-host.invalid/", false),
    // With a domain: only for a domain of the host that sets it.
    ("a=b; Path=/; Domain=x.example", "http://host.x.example/", "http://other.x.example/", false),
    ("a=b; Path=/; Domain=x.example", "http://host.x.example/", "http://host.x.example/", true),
    ("a=b; Path=/; Domain=.org", "http://a.org/", "http://b.org/", false),
    ("a=b; Path=/; Domain=co.uk", "http://a.co.uk/", "http://b.co.uk/", false),
    ("a=b; Path=/; Domain=.X.example", "http://x.example/", "http://other.x.example/", true),
    ("a=b; Path=/; Domain=x.example", "http://host.x.example/", "http://ax.example/", false),
    ("a=b; Path=/; Domain=y.example", "http://host.x.example/", "http://y.example/", false),
    ("a=b; Path=/; domain = y.example", "http://host.x.example/", "http://y.example/", false),
    ("a=b; Path=/; Domain\t=y.example", "http://host.x.example/", "http://y.example/", false),
    ("a=b; Path=/; Domain=x.example; Domain=y.example", "http://host.x.example/", "http://y.example/", false),
    ("a=b; Path=/; Domain=other.x.example", "http://host.x.example/", "http://other.x.example/", false),
    ("a=b; Path=/; Domain=other.example.own-host.invalid", "http://x.example/", "http://other.example/", false),
    ("a=b; Path=/; Domain=0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", false),
    ("a=b; Path=/; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", true),
    // Without a valid path: for the folder of the URL.
    ("a=b", "http://host/p/q?r/s", "http://host/p/t", true), ("a=b", "http://host/p/q", "http://host/t", false),
    ("a=b; Path=x", "http://host/p/q", "http://host/t", false), ("a=b", "http://host", "http://host/t", true),
    ("a=b", "http://host/p;q/r", "http://host/p;q/s", true), ("a=b; Path=/", "http://host/p/q", "http://host/t", true),
    // Only a response over TLS sets a cookie for TLS.
    ("a=b; Path=/; Secure", "http://host/", "https://host/", false),
    ("a=b; Path=/", "http://host/", "https://host/", true),
    ("a=b; Path=/; Secure", "https://host/", "http://host/", false),
    ("a=b; Path=/; Secure=x", "https://host/", "http://host/", false),
    ("a=b; Path=/; Secure=x", "https://host/", "https://host/", true),
    ("a=b; Path=/; Secure=x", "http://host/", "http://host/", false),
    // Names whose prefix promises something.
    ("__Secure-a=b; Path=/; Secure", "https://host/", "https://host/", true),
    ("__Secure-a=b; Path=/", "https://host/", "https://host/", false),
    ("__Host-a=b; Path=/; Secure", "https://host/", "https://host/", true),
    ("__Host-a=b; Path=/; Secure", "https://host/", "https://x.host/", false),
    ("__Host-a=b; Path=/", "https://host/", "https://host/", false),
    ("__Host-a=b; Secure", "https://host/", "https://host/", false),
    ("__host-a=b; Path=/; Secure; Domain=host", "https://host/", "https://host/", false),
  ])
  func forWhomItIs(_ field: String, _ source: String, _ url: String, _ isMeant: Bool) throws {
    #expect(try cookies([field], from: source, for: url) == (isMeant ? [String(field.prefix { $0 != ";" })] : []))
  }

  /// Servers that take the first of two values with one name expect that of the longer path.
  @Test func longerPathsComeFirst() throws {
    let found = try orderedCookies(
      ["s=1; Path=/", "s=3; Path=/p/q", "s=2; Path=/p"], for: "http://host.x.example/p/q")
    #expect(found == ["s=3", "s=2", "s=1"])
  }

  @Test func aRequestHasOnlySoMany() throws {
    let many = (0..<300).map { "c\($0)=1; Path=/" }
    #expect(try cookies(many, for: "http://host.x.example/").count == 150)
    let large = (0..<20).map { "c\($0)=\(String(repeating: "x", count: 1000)); Path=/" }
    #expect(try cookies(large, for: "http://host.x.example/").count == 8)
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
    client.keepCookies(of: head, from: try HTTPURL(Array("http://host/".utf8)))
    #expect(try client.cookies(for: HTTPURL(Array("http://host/".utf8))).isEmpty && client.cookieValues.isEmpty)
  }
}
