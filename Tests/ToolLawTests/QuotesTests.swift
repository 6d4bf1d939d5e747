import Foundation
import TestSupport
import Testing

/// `examples/quotes`: a ticker over WebSocket, against its own server, which restarts in the middle of the day.
@Suite(.enabled(if: Repository.has("python3") && Repository.has("jq")))
struct QuotesTests {
  let folder = Command.quote(Repository.path("examples/quotes"))
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// The offline run's output, byte for byte: the quotes of two products and all trades, before and after the restart.
  /// Nothing comes before it is subscribed to.
  static let shown = """
    gulls  21.45
    beans  4.16
    gulls  21.30
    beans  4.18
    gulls  21.50
    ferry  3 sold
    beans  4.14
    gulls  21.60
    beans  40 sold
    beans  4.20

    """
  static let asked = #"{"subscribeTo":["gulls","beans"]}"#
  static let left = #"{"unsubscribeFrom":["gulls","beans"]}"#

  private var environment: [String: String] { ["TMPDIR": scratch.path, "LOG": scratch.path + "/log"] }

  @Test func offline() throws {
    let result = try Command.shell("\(folder)/quotes", environment: environment.merging(["PAUSE": "0"]) { $1 })
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.text == Self.shown)
    // Subscribed on each connection, unsubscribed at the end.
    #expect(try scratch.read("log") == "\(Self.asked)\nclose\n\(Self.asked)\n\(Self.left)\nclose\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["log"])
  }

  @Test func otherProducts() throws {
    let result = try Command.shell("\(folder)/quotes -s ferry", environment: ["PAUSE": "0"])
    #expect(result.text == "ferry  305.00\nferry  306.25\nferry  3 sold\nferry  306.00\nbeans  40 sold\n")
  }

  /// A signal ends everything silently: the server is told first, and no processes or files remain.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func endsAtASignal(_ signal: Int32) throws {
    let run = try Interrupted(
      "\(folder)/quotes", by: signal, after: "gulls  21.45\n", in: scratch.path,
      environment: environment.merging(["PAUSE": "60"]) { $1 })
    #expect(run.status == 128 + signal)
    #expect(run.text == "gulls  21.45\n")
    #expect(try scratch.read("log") == "\(Self.asked)\n\(Self.left)\nclose\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["log"])
  }

  @Test(arguments: ["-x", "-s", "a b", "ws://127.0.0.1:1/"])
  func wrongUsage(_ arguments: String) throws {
    let result = try Command.shell("\(folder)/quotes \(arguments)")
    #expect(result.text.isEmpty && result.status == 2)
    #expect(result.error == "usage: quotes [-s PRODUCT]... [URL]\n")
  }
}
