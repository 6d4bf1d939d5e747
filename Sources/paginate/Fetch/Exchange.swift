// Makes one request at a time, and waits for the whole answer.

import FeedCore
import FeedHTTP

struct Exchange {
  enum Outcome {
    case answered(HTTPAnswer)
    case failed(HTTPError)
    case interrupted(Interruption)
  }

  let client: HTTPClient
  let interrupts: Interrupts
  let limits: HTTPExchange.Limits

  /// Sends a request, and waits for the end of the answer.
  func run(_ request: HTTPRequest) -> Outcome {
    do throws(HTTPError) {
      var exchange = try HTTPExchange(request, of: client, limits)
      while true {
        if let answer = try exchange.advance() { return .answered(answer) }
        if case .interrupted(let interruption) = try client.wait(until: exchange.deadline, interrupts) {
          return .interrupted(interruption)
        }
      }
    } catch {
      return .failed(error)
    }
  }
}
