import Testing

@testable import FeedHTTP

struct NetrcTests {
  private static func found(_ text: String, _ host: String = "a.example") -> String? {
    Netrc.entry(for: Array(host.utf8), in: Array(text.utf8)).map { entry in
      String(decoding: entry.login, as: UTF8.self) + ":" + String(decoding: entry.password ?? [], as: UTF8.self)
    }
  }

  @Test(arguments: [
    "machine a.example login me password secret",
    "machine b login x password y machine A.Example\n\tlogin me\n password secret",
    "default login me password secret", "machine b login x password y\ndefault login me password secret",
    "# machine a.example login x\nmachine a.example login me account z password secret machine a.example login x",
    "machine a.example login \"me\" password \"sec\\ret\"",
    "macdef init\nmachine a.example login x\n\nmachine a.example password secret login me",
  ])
  func entries(_ text: String) {
    let expected = text.contains("\\r") ? "me:sec\ret" : "me:secret"
    #expect(Self.found(text) == expected)
  }

  @Test(arguments: [
    "", "machine", "machine b login x password y", "login x password y", "machine a.example.org login x",
  ])
  func none(_ text: String) { #expect(Self.found(text) == nil) }
}
