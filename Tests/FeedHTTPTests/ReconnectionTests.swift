import FeedCore
import Foundation
import TestSupport
import Testing

@testable import FeedHTTP

/// Tests/Fixtures/http/reconnection.txt.
@Suite struct ReconnectionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var rules = ConnectionOptions()
    var isEndless = false
    var awaited: String?
    /// Each step: the event, the expected result, and the line number.
    var steps: [(happens: [String], comes: String?, line: Int)] = []
  }

  static let cases: [Case] = {
    var cases: [Case] = []
    for (number, line) in (try? Fixtures.lines("http/reconnection.txt")) ?? [] {
      let sides = line.components(separatedBy: " -> ")
      let words = sides[0].split(separator: " ").map(String.init)
      if line.hasPrefix("[") {
        cases.append(Case(testDescription: String(line.dropFirst().dropLast())))
      } else if words[0] == "rules" {
        cases[cases.count - 1].rules = rules(words.dropFirst().filter { !["stream", "awaited"].contains($0) })
        if words.contains("stream") { cases[cases.count - 1].isEndless = true }
        if words.contains("awaited") { cases[cases.count - 1].awaited = "event 'done'" }
      } else {
        cases[cases.count - 1].steps.append((words, sides.count > 1 ? sides[1] : nil, number))
      }
    }
    return cases
  }()

  private static func rules(_ words: [String]) -> ConnectionOptions {
    var rules = ConnectionOptions()
    for word in words {
      let parts = word.split(separator: "=").map(String.init)
      switch parts[0] {
      case "delay": rules.delay = Double(parts[1]) ?? .nan
      case "retries": rules.retries = Int(parts[1]) ?? -1
      case "status": rules.retryStatus = StatusSet(Int(parts[1]) ?? 0)
      case "once": (rules.reconnects, rules.repeatsRequest) = (false, false)
      case "unrepeated": rules.reconnects = false
      case "unresumed": rules.resumes = false
      case "time": rules.maxTime = Double(parts[1])
      default: Issue.record("unknown rule \(word)")
      }
    }
    return rules
  }

  @Test func thereAreCases() { #expect(Self.cases.count >= 31) }

  @Test(arguments: cases)
  func comesToWhatIsExpected(_ item: Case) throws {
    var reconnection = Reconnection(
      item.rules, FollowedFeed("x", missing: "feed", awaited: item.awaited, isEndless: item.isEndless), random: { 0 })
    for (words, comes, line) in item.steps {
      switch words[0] {
      case "open": reconnection.open()
      case "delay": reconnection.setDelay(try #require(Double(words[1])))
      default:
        let ending = try #require(Self.ending(words), "line \(line)")
        #expect(Self.result(of: &reconnection, ending, words.last != "empty") == comes, "line \(line)")
      }
    }
  }

  private static func ending(_ words: [String]) -> ConnectionEnding? {
    let number = words.count > 1 ? Int(words[1]) : nil
    return switch words[0] {
    case "finished": .finished
    case "stopped": .stopped(status: 204)
    case "closed": .closed
    case "time": .outOfTime()
    case "lost": .lost(HTTPError(.transient, "connection lost"))
    case "broken": .lost(HTTPError(.permanent, "endless chunk"))
    case "exhausted": .lost(HTTPError(.local, "out of memory"))
    case "failed": .failed(HTTPError(.transient, "connection refused"))
    case "unanswered": .failed(HTTPError(.unanswered, "nobody knows"))
    case "permanent": .failed(HTTPError(.permanent, "certificate"))
    case "local": .failed(HTTPError(.local, "no such file"))
    case "proxy": number.map { .failed(HTTPError(.proxy($0), "the proxy answered \($0)")) }
    case "refused": number.flatMap { refusal($0, Array(words.dropFirst(2))) }
    case "hangup": .interrupted(.hangUp)
    case "signal": number.map { .interrupted(.signal(Int32($0))) }
    default: nil
    }
  }

  private static func refusal(_ status: Int, _ fields: [String]) -> ConnectionEnding? {
    var head = HTTPHead()
    _ = head.take(Array("HTTP/1.1 \(status) No\r\n".utf8))
    for word in fields {
      let field = word.contains(":") ? word : "Retry-After:\(word)"
      _ = head.take(Array("\(field)\r\n".utf8))
    }
    guard let url = try? HTTPURL(Array("http://x/".utf8)) else { return nil }
    return .refused(Refusal(head, body: [], to: HTTPRequest(url: url, userAgent: [])))
  }

  private static func result(
    of reconnection: inout Reconnection, _ ending: ConnectionEnding, _ broughtAny: Bool
  ) -> String {
    do throws(ToolFailure) {
      switch try reconnection.judge(ending, broughtAny: broughtAny) {
      case .end(let status): return "end \(status.rawValue)"
      case .die(let number): return "die \(number)"
      case .wait(let seconds, let message, let isReported):
        return "wait \(secondsText(seconds)) \(isReported ? "told" : "quiet") \(message)"
      }
    } catch {
      if error == .brokenPipe { return "hangup" }
      #expect(error.diagnostic.source == "x")
      return "fail \(error.status.rawValue) \(error.message)"
    }
  }
}
