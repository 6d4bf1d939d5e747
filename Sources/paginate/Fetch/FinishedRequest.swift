import FeedCore
import FeedHTTP

/// The end of a request: a response or an error, and what the response says about further requests.
struct FinishedRequest {
  let result: RequestQueue.Result
  /// By the monotonic clock.
  let time = Clock.monotonic()
  /// From the request to the end of the response.
  let seconds: Double
  /// Nil if the response is not JSON.
  private(set) var document: JSONDocument?
  /// Why it is not JSON.
  private(set) var fault: JSONError?
  /// The wait that the response asks for.
  private(set) var asked = AskedWait(HTTPHead())
  private(set) var verdict = StatusPolicy.Verdict.final

  init(_ result: RequestQueue.Result, seconds: Double, _ form: PageText) {
    self.result = result
    self.seconds = seconds
    guard case .answered(let response) = result else { return }
    do { document = try form.document(of: response) } catch { fault = error }
    let now = Clock.now()
    asked = Politeness(response.head, document, now: now).wait
    verdict = Politeness.verdict(response.head, document, to: response.request)
  }

  /// Whether the server wants fewer requests: HTTP 429, or another refusal that asks for a wait.
  var isThrottled: Bool {
    guard verdict == .retried, case .answered(let response) = result else { return false }
    return response.head.status == 429 || asked.seconds > 0
  }

  /// Whether it ends the walk: another try would end in the same way.
  var isFinal: Bool {
    switch result {
    case .answered: verdict == .final || (verdict == .taken && fault != nil)
    case .failed(let error): !error.isRetryable
    }
  }

  /// For a message: `HTTP 200, 1234 bytes in 50 ms`.
  var words: String {
    switch result {
    case .answered(let response):
      "HTTP \(response.head.status), \(response.body.count) bytes in \(Int(min(seconds, 1e9) * 1000)) ms"
    case .failed(let error): error.message
    }
  }
}

/// How pages are read.
struct PageText {
  let itemsAreLines: Bool
  let maxDepth: Int

  func document(of response: HTTPResponse) throws(JSONError) -> JSONDocument {
    // The body of a refusal is a document.
    if itemsAreLines, response.head.status < 300 { return try LinePage.document(response.body, maxDepth: maxDepth) }
    return try JSONDocument(parsing: response.body, maxDepth: maxDepth)
  }
}
