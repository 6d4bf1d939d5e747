import Foundation
import TestSupport
import Testing

/// sse-serve with clients of all kinds, good and bad.
@Suite(.enabled(if: Repository.has("python3")))
struct ServeTests {
  static let scenarios = [
    "stuck", "vanish", "slow", "terminate", "interrupt", "ending", "lingering", "large", "hoarders", "exhausted",
    "flooded", "many",
    "ready", "ahead", "behind",
  ]

  /// Whether python's `prometheus_client` is available. In CI it must be.
  static let hasPrometheus: Bool = {
    let found = (try? Command.shell("/usr/bin/python3 -c 'import prometheus_client.parser'"))?.status == 0
    precondition(found || !Repository.isCI, "python3-prometheus-client is missing, and CI=true")
    return found
  }()

  @Test(arguments: scenarios)
  func clients(_ scenario: String) throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/clients"))) \(scenario)")
    #expect(result.status == 0 && result.text == scenario + "\n", "\(result.error)")
  }

  /// Every system call by which it waits and accepts fails once.
  @Test(.enabled(if: Repository.has("strace")))
  func failingCalls() throws {
    let result = try Command.shell(
      Command.quote(Repository.path("Tests/Pipeline/failing-calls")), environment: Command.bare)
    #expect(result.status == 0 && result.text == "told\n", "\(result.error)")
  }

  /// Changing documents, over HTTP, to two followers: one stays connected, one is killed again and again.
  @Test func bothEndsTogether() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/relay")))
    #expect(result.status == 0 && result.text == "same\n", "\(result.error)")
  }

  /// Chains of relays, whose clients switch from one relay to another.
  @Test func nothingIsLostOverTwoHops() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/hops")))
    #expect(result.status == 0 && result.text == "same\n", "\(result.error)")
  }

  /// Feeds on one port, while all parts of the pipeline are killed and started again. `make soak` has a hundred.
  @Test func manyFeedsOnOnePort() throws {
    let result = try Command.shell(
      "\(Command.quote(Repository.path("Tests/Pipeline/soak-feeds"))) --feeds 12 --rounds 5 --seconds 1")
    #expect(result.status == 0 && result.text.hasPrefix("5 rounds, 12 feeds, 24 clients, "), "\(result.error)")
  }

  /// The first pipeline of the README, without a checkpoint, starts again under its clients. `make soak` has 100 rounds.
  @Test func clientsHaveTheDocumentAfterARestart() throws {
    let driver = Command.quote(Repository.path("Tests/Pipeline/restarts"))
    let result = try Command.shell("\(driver) 6")
    #expect(result.status == 0 && result.text.hasPrefix("6 rounds, "), "\(result.text)\(result.error)")
    let old = try Command.shell("\(driver) 30 --old")
    #expect(old.status == 1 && old.error.contains(" has "), "\(old.text)\(old.error)")
  }

  /// /metrics agrees with what clients have seen. Prometheus's own library reads it.
  @Test(.enabled(if: hasPrometheus))
  func metrics() throws {
    let result = try Command.shell("/usr/bin/python3 \(Command.quote(Repository.path("Tests/Pipeline/metrics")))")
    #expect(result.status == 0 && result.text == "same\n", "\(result.error)")
  }

  /// A browser's own EventSource, a page of another origin, a broken connection.
  @Test(.enabled(if: Repository.has("chromium-headless-shell")))
  func aBrowser() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/browser")))
    #expect(result.status == 0 && result.text == "EventSource\n", "\(result.error)")
  }

  /// Short connections of all kinds leave no descriptor and no memory. `make soak` has a hundred thousand.
  @Test func shortConnections() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/soak-serve")))
    #expect(result.status == 0 && result.text == "flat\n", "\(result.error)")
  }

  /// What each client unpacks is whole: no event waits for the next one. `make soak` does so for a minute.
  @Test(.enabled(if: Repository.has("curl") && Repository.has("gzip")))
  func streamsInGzip() throws {
    let result = try Command.shell("/usr/bin/python3 \(Command.quote(Repository.path("Tests/Pipeline/compressed")))")
    #expect(result.status == 0 && result.text == "arrived\n", "\(result.error)")
  }

  /// The page of a document: changes of all kinds, trees and tables, a connection that ends, and nothing that runs.
  @Test(.enabled(if: Repository.has("chromium-headless-shell")))
  func aDocumentInABrowser() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/browser-document")))
    #expect(result.status == 0 && result.text == "documents\n", "\(result.error)")
  }

  /// The page that lists streams, on a phone and on a desktop, and EventSource with the token in the URL.
  @Test(.enabled(if: Repository.has("chromium-headless-shell")))
  func severalStreamsInABrowser() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/browser-streams")))
    #expect(result.status == 0 && result.text == "streams\n", "\(result.error)")
  }

  /// Through nginx, each event arrives before the next one is made.
  @Test(.enabled(if: Repository.has("nginx") && Repository.has("curl")))
  func behindNginx() throws {
    let scratch = try ScratchFolder()
    let result = try Command.shell(
      Command.quote(Repository.path("examples/public-stream/public-stream")), environment: ["TMPDIR": scratch.path])
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(
      result.text == """
        {"event":"data","id":"1","data":{"price":3.10}}
        {"event":"patch","id":"2","data":[{"op":"replace","path":"/price","value":3.15}]}
        {"event":"merge","id":"3","data":{"volume":1200}}
        {"price":3.15,"volume":1200}

        """)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }
}
