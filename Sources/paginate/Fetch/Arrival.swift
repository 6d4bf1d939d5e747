// The end of a request: an answer or an error, and what the answer says about further requests.

import FeedCore
import FeedHTTP

struct Arrival {
  let landing: Flights.Landing
  /// By the monotonic clock.
  let time = Clock.monotonic()
  /// From the request to the end of the answer.
  let seconds: Double
  /// Nil if the answer is not JSON.
  private(set) var document: JSONDocument?
  /// Why it is not JSON.
  private(set) var fault: JSONError?
  /// The wait that the answer asks for.
  private(set) var asked = AskedWait(HTTPHead())
  private(set) var verdict = StatusPolicy.Verdict.final

  init(_ landing: Flights.Landing, seconds: Double, _ form: PageText) {
    self.landing = landing
    self.seconds = seconds
    guard case .answered(let answer) = landing else { return }
    do { document = try form.document(of: answer) } catch { fault = error }
    let now = Clock.now()
    asked = Politeness(answer.head, document, now: now).wait
    verdict = Politeness.verdict(answer.head, document, to: answer.request)
  }

  /// Whether the server wants fewer requests: HTTP 429, or another refusal that asks for a wait.
  var isThrottled: Bool {
    guard verdict == .retried, case .answered(let answer) = landing else { return false }
    return answer.head.status == 429 || asked.seconds > 0
  }

  /// Whether it ends the walk: another try would end in the same way.
  var isFinal: Bool {
    switch landing {
    case .answered: verdict == .final || (verdict == .taken && fault != nil)
    case .failed(let error): !error.isRetryable
    }
  }

  /// For a message: `HTTP 200, 1234 bytes in 50 ms`.
  var words: String {
    switch landing {
    case .answered(let answer):
      "HTTP \(answer.head.status), \(answer.body.count) bytes in \(Int(min(seconds, 1e9) * 1000)) ms"
    case .failed(let error): error.message
    }
  }
}

/// How pages are read.
struct PageText {
  let itemsAreLines: Bool
  let maxDepth: Int

  func document(of answer: HTTPAnswer) throws(JSONError) -> JSONDocument {
    // The body of a refusal is a document.
    if itemsAreLines, answer.head.status < 300 { return try LinePage.document(answer.body, maxDepth: maxDepth) }
    return try JSONDocument(parsing: answer.body, maxDepth: maxDepth)
  }
}
