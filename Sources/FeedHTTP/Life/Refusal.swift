// An answer whose status or type is not the one that was wanted, and the reason that it gives.

import FeedCore

/// An answer that is not the one that was wanted.
package struct Refusal: Sendable {
  /// The most of a body, in bytes, that is read for its first line.
  private static let longestBody = 4096
  /// How long the body is waited for, in seconds.
  package static let timeout = 5.0

  package let status: Int
  /// Whether a proxy may have sent it instead of the server.
  package let isFromProxy: Bool
  /// In seconds.
  package let retryAfter: Double?
  /// What is wrong with the answer, and the title of its page or the first line of its body.
  package let message: String

  /// - Parameters:
  ///   - problem: what is wrong; the status if nil.
  ///   - body: as much of it as has come.
  ///   - request: what was asked. The message quotes none of its secrets.
  ///   - secrets: more that the message must not quote.
  package init(
    _ head: HTTPHead, _ problem: String? = nil, body: [UInt8], to request: HTTPRequest, hiding secrets: [[UInt8]] = [],
    isFromProxy: Bool = false
  ) {
    status = head.status
    self.isFromProxy = isFromProxy
    retryAfter = head.value(of: "retry-after").flatMap { RetryAfter.seconds($0) }
    let line =
      HTTPExcerpt.page(body, for: request, hiding: secrets)
      ?? HTTPExcerpt.firstLine(of: body, for: request, hiding: secrets)
    message = (problem ?? "HTTP \(head.status)") + (line.isEmpty ? "" : ": " + line)
  }

  /// Whether a body has all that a message needs: the title of a page, or its first line that is not blank.
  package static func isEnough(_ body: [UInt8]) -> Bool {
    if body.count >= longestBody { return true }
    return body.drop(while: \.isSpaceOrControl).contains(UInt8(ascii: "\n")) && !AnswerForm.isBeginningOfPage(body)
  }
}

extension HTTPClient {
  /// Reads what a message needs of the body of a refusal, and gives up the rest.
  /// - Parameters:
  ///   - problem: what is wrong with the answer; its status if nil.
  ///   - deadline: of the monotonic clock.
  package func refusal(
    of transfer: HTTPTransfer, _ problem: String? = nil, until deadline: Double?, _ interrupts: Interrupts
  ) -> ConnectionEnding {
    let isFromProxy = transfer.isFromProxy
    let limit = min(Clock.monotonic() + Refusal.timeout, deadline ?? .infinity)
    var body: [UInt8] = []
    // After an error, the part of the body that has come is enough.
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
    return .refused(
      Refusal(transfer.head, problem, body: body, to: transfer.request, isFromProxy: isFromProxy))
  }
}
