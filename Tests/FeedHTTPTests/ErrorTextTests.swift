import FeedCore
import Testing

struct ErrorTextTests {
  /// A message begins in lower case, unless with an abbreviation or a name.
  @Test(arguments: [
    ("No such file", "no such file"), ("OpenSSL SSL_connect: x", "OpenSSL SSL_connect: x"),
    ("SSL failed", "SSL failed"),
    ("A value", "a value"), ("GnuTLS, handshake", "GnuTLS, handshake"), ("", ""), ("X", "x"), ("Ok", "ok"),
  ])
  func firstLetters(_ text: String, _ expected: String) {
    #expect(text.lowercasedFirst == expected)
  }
}
