import FeedCore
import Testing

@testable import FeedHTTP

struct AuthoritiesTests {
  private func chosen(_ option: String?, _ variables: [String: String]) -> Authorities {
    Authorities(option: option.map { Array($0.utf8) }) { name in variables[name].map { Array($0.utf8) } }
  }

  @Test func anOptionWinsOverTheEnvironment() {
    let all = ["CURL_CA_BUNDLE": "b", "SSL_CERT_FILE": "f", "SSL_CERT_DIR": "d"]
    let option = chosen("o", all)
    #expect(option.file == Array("o".utf8) && option.folder == nil && option.excludesSystem)
    let bundle = chosen(nil, all)
    #expect(bundle.file == Array("b".utf8) && bundle.folder == nil && !bundle.excludesSystem)
    let rest = chosen(nil, ["SSL_CERT_FILE": "f", "SSL_CERT_DIR": "d"])
    #expect(rest.file == Array("f".utf8) && rest.folder == Array("d".utf8))
    #expect(chosen(nil, [:]) == chosen(nil, ["CURL_CA": "x"]))
  }
}
