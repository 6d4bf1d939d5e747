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

/// When a wait between two connections is told, and how long it is.
struct ReconnectionTests {
  private let lost = ConnectionEnding.lost(HTTPError(.transient, "lost"))
  private let failed = ConnectionEnding.failed(HTTPError(.transient, "refused"))

  private func reconnection(delay: Double = 0) -> Reconnection {
    var rules = Reconnection.Rules()
    rules.delay = delay
    return Reconnection(rules, source: "x", missing: "nothing")
  }

  private func isTold(_ verdict: Reconnection.Verdict) -> Bool {
    if case .wait(_, _, let isSilent) = verdict { return !isSilent }
    return true
  }

  @Test func theSecondFailureInARowIsTold() throws {
    var reconnection = reconnection()
    #expect(!isTold(try reconnection.judge(failed, broughtAny: false)))
    #expect(isTold(try reconnection.judge(failed, broughtAny: false)))
    reconnection.open()
    // What broke had brought something.
    #expect(!isTold(try reconnection.judge(lost, broughtAny: true)))
    // A feed that opens and brings nothing is no success.
    reconnection.open()
    #expect(isTold(try reconnection.judge(lost, broughtAny: false)))
    #expect(!isTold(try reconnection.judge(.closed, broughtAny: true)))
    #expect(!isTold(try reconnection.judge(failed, broughtAny: false)))
  }

  @Test func aLongWaitIsTold() throws {
    var reconnection = reconnection(delay: 3601)
    #expect(isTold(try reconnection.judge(failed, broughtAny: false)))
  }

  @Test(arguments: [(nil, 0.0), (0.0, 0.1), (0.02, 0.1), (5, 5)])
  func aServerCannotAskForNoWaitAtAll(_ asked: Double?, _ expected: Double) throws {
    var reconnection = reconnection()
    if let asked { reconnection.setDelay(asked) }
    guard case .wait(let seconds, let message, _) = try reconnection.judge(.closed, broughtAny: true) else {
      Issue.record("no wait")
      return
    }
    #expect(seconds == expected)
    #expect(message.hasSuffix(expected == 0 ? "at once" : " s"))
  }
}
