// What the status of a response means, the same for every tool: a body, nothing, a failure that may pass, or one that will
// not. feedutils-request(7) has the table for users.

import FeedCore

/// The judge of HTTP statuses (RFC 9110 §15).
package struct StatusPolicy: Equatable, Sendable {
  /// What a status means for a request.
  package enum Verdict: Equatable, Sendable {
    /// There is a body.
    case taken
    /// A success without a body: 204 and 205.
    case empty
    /// The same request may succeed later.
    case retried
    /// It will not.
    case final
  }

  /// How far the tool has come with its request.
  package enum RequestStage: Sendable {
    /// No response has been accepted yet, so the request itself may be wrong.
    case first
    /// The stream was open before, so the request is right. Some statuses still mean that it may not be repeated.
    case open
    /// A poll has succeeded before. The next one is due anyway.
    case polled
  }

  /// The statuses to retry, by `--retry-status`; nil for the usual ones.
  private let chosen: StatusSet?

  /// - Parameter chosen: the statuses of `--retry-status`; nil for the usual ones.
  package init(retrying chosen: StatusSet? = nil) { self.chosen = chosen }

  /// Statuses that may pass: the server is slow, busy or down. 420 is an old 429 (Twitter).
  private static let passing: Set<Int> = [408, 420, 425, 429]
  /// Statuses of 500 and above that will not pass: the server cannot do this at all.
  private static let incapable: Set<Int> = [501, 505]
  /// Statuses that end a stream that was open: who asks again after them is banned sooner or later
  /// (https://docs.x.com/x-api/fundamentals/handling-disconnections).
  private static let closing: Set<Int> = [401, 403, 404, 406, 410, 501, 505]

  /// The problem with a response of status 206 to a request for the whole.
  package static let part = "HTTP 206: only a part of the body"

  /// What a response means.
  /// - Parameter request: the request: a part is a body for one with `Range`.
  package func verdict(_ head: HTTPHead, to request: HTTPRequest, at stage: RequestStage = .first) -> Verdict {
    switch head.status {
    case 204, 205: .empty
    // A part is a body only for those who have asked for a part. A range of items is a page (PostgREST).
    case 206: request.has("Range") || Self.isRangeOfItems(head) ? .taken : .final
    case 200..<300: .taken
    default: isRetried(head, at: stage) ? .retried : .final
    }
  }

  /// Whether a `Content-Range` (RFC 9110 §14.4) counts something else than bytes.
  private static func isRangeOfItems(_ head: HTTPHead) -> Bool {
    head.value(of: "content-range").map { !$0.starts(with: "bytes".utf8) && !$0.isEmpty } ?? false
  }

  /// Whether a status that is no success is retried.
  package func isRetried(_ head: HTTPHead, at stage: RequestStage) -> Bool {
    let status = head.status
    if let chosen { return chosen.contains(status) }
    if Self.passing.contains(status) || (status >= 500 && !Self.incapable.contains(status)) { return true }
    if status == 403, Self.isLimited(head) { return true }
    return switch stage {
    case .first: false
    case .open: !Self.closing.contains(status)
    case .polled: status != 410
    }
  }

  /// Whether a refusal is about the number of requests, as many APIs say by status 403.
  private static func isLimited(_ head: HTTPHead) -> Bool {
    head.value(of: "retry-after") != nil || AskedWait(head).isExhausted == true
  }

  /// The exit status of a tool that ends with this status of HTTP.
  package static func exitStatus(_ status: Int) -> ExitStatus { status == 429 ? .tryAgain : .remote }
}

extension HTTPError {
  /// Whether it is worth another try.
  package var isRetryable: Bool {
    switch kind {
    case .transient, .timedOut: true
    case .proxy(let status): StatusPolicy().isRetried(HTTPHead(status: status), at: .first)
    case .permanent, .unanswered, .local: false
    }
  }
}
