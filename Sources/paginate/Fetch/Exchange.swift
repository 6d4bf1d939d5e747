// One request and the whole of its answer.

import FeedCore
import FeedHTTP

/// An answer that has come as a whole, whatever its status.
struct Answer {
  let head: HTTPHead
  let body: [UInt8]
  /// Where it came from.
  var url: HTTPURL { request.url }
  /// What it answers, after redirects.
  let request: HTTPRequest
}

struct Exchange {
  enum Outcome {
    case answered(Answer)
    case failed(HTTPError)
    case interrupted(Interruption)
  }

  let client: HTTPClient
  let interrupts: Interrupts
  /// The most bytes of a body, unpacked.
  let maxSize: Int
  /// How long nothing may come, in seconds.
  let idleTimeout: Double
  /// How long all of an answer may take, in seconds.
  let requestTimeout: Double

  private var tooLong: HTTPError {
    HTTPError(.timedOut, "the page took longer than \(secondsText(requestTimeout)) s (--request-timeout)")
  }

  /// Sends a request, and waits for the end of the answer.
  func run(_ request: HTTPRequest) -> Outcome {
    do throws(HTTPError) {
      let transfer = try client.start(request)
      var body: [UInt8] = []
      var lastActivity = Clock.monotonic()
      let deadline = lastActivity + requestTimeout
      while true {
        let event = try transfer.next()
        if event != nil {
          lastActivity = Clock.monotonic()
          // A server that sends a byte now and then is never idle.
          if event != .end, lastActivity > deadline { throw tooLong }
        }
        switch event {
        case .head?: break
        case .body?:
          body += transfer.chunk
          guard body.count <= maxSize else {
            throw HTTPError(.permanent, "a page of more than \(maxSize) bytes (--max-size)")
          }
        case .end?: return .answered(Answer(head: transfer.head, body: body, request: transfer.request))
        case nil:
          switch try client.wait(until: min(deadline, lastActivity + idleTimeout), interrupts) {
          case .activity: break
          case .timeUp where Clock.monotonic() >= deadline: throw tooLong
          case .timeUp: throw HTTPError(.timedOut, "nothing received for \(secondsText(idleTimeout)) s")
          case .interrupted(let interruption): return .interrupted(interruption)
          }
        }
      }
    } catch {
      return .failed(error)
    }
  }
}
