// A response with an unexpected status or type, and its reason.

import FeedCore

/// A response other than the expected one.
package struct Refusal: Sendable {
  /// How many bytes of a body to read for its first line.
  private static let longestBody = 4096
  /// How long to wait for the body, in seconds.
  package static let timeout = 5.0

  package let head: HTTPHead
  /// Also that of a success, if its body was not the expected one.
  package var status: Int { head.status }
  /// The error in the response, and its page title or the first line of its body.
  package private(set) var message: String

  /// - Parameters:
  ///   - problem: the error; if nil, the status.
  ///   - body: the part that has come.
  ///   - request: the request. The message quotes none of its secrets.
  ///   - secrets: more secrets that the message must not quote.
  package init(
    _ head: HTTPHead, _ problem: String? = nil, body: [UInt8], to request: HTTPRequest, hiding secrets: [[UInt8]] = []
  ) {
    self.head = head
    let line = HTTPExcerpt.words(of: body, for: request, hiding: secrets)
    message = (problem ?? "HTTP \(head.status)") + (line.isEmpty ? "" : ": " + line)
  }

  /// The same with more words in its message.
  package func adding(_ words: String) -> Refusal {
    var refusal = self
    refusal.message += words
    return refusal
  }

  /// Whether a body already has what a message needs: a page title, or a first line that is not blank.
  package static func isEnough(_ body: [UInt8]) -> Bool {
    if body.count >= longestBody { return true }
    return body.drop(while: \.isSpaceOrControl).contains(UInt8(ascii: "\n")) && !HTTPExcerpt.isBeginningOfPage(body)
  }
}

extension HTTPClient {
  /// Reads the part of a refusal's body that a message needs, and drops the rest.
  /// - Parameters:
  ///   - problem: the error in the response; if nil, its status.
  ///   - deadline: by the monotonic clock.
  package func refusal(
    of transfer: HTTPTransfer, _ problem: String? = nil, until deadline: Double?, _ interrupts: Interrupts
  ) -> ConnectionEnding {
    let limit = min(Clock.monotonic() + Refusal.timeout, deadline ?? .infinity)
    var body: [UInt8] = []
    // After an error, the part of the body that has come will do.
    reading: while !Refusal.isEnough(body), let event = try? .some(transfer.next()) {
      switch event {
      case .body?: body += transfer.chunk
      case .end?: break reading
      case .head?: continue
      case nil:
        let wakeup = try? wait(until: limit, interrupts)
        if case .interrupted(let interruption) = wakeup { return .interrupted(interruption) }
        if wakeup != .activity { break reading }
      }
    }
    transfer.cancel()
    return .refused(Refusal(transfer.head, problem, body: body, to: transfer.request))
  }
}
