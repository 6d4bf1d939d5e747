import FeedCore
import Testing

struct ErrorTextTests {
  /// The first letter of a message is small, but not that of an abbreviation or a name.
  @Test(arguments: [
    ("No such file", "no such file"), ("OpenSSL SSL_connect: x", "OpenSSL SSL_connect: x"),
    ("SSL failed", "SSL failed"),
    ("A value", "a value"), ("GnuTLS, handshake", "GnuTLS, handshake"), ("", ""), ("X", "x"), ("Ok", "ok"),
  ])
  func firstLetters(_ text: String, _ expected: String) {
    #expect(text.lowercasedFirst == expected)
  }
}
