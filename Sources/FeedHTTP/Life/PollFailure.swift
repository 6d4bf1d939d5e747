import FeedCore

/// Why a poll has failed.
package struct PollFailure: Error {
  /// What has failed: each kind has its own wait.
  package enum Kind: Equatable {
    case network(HTTPError.Kind)
    /// The response was a refusal.
    case status(HTTPHead)
    /// The response came, but is not what was wanted.
    case content
  }

  package let failure: ToolFailure
  package let kind: Kind
  /// How many seconds the server asks to wait.
  package var asked: Double?

  package init(failure: ToolFailure, kind: Kind, asked: Double? = nil) {
    self.failure = failure
    self.kind = kind
    self.asked = asked
  }

  package init(_ error: HTTPError, of url: HTTPURL) {
    self.init(failure: error.failure(url.display), kind: .network(error.kind))
  }

  /// The cause for `RetryPolicy`.
  package var cause: RetryPolicy.Cause {
    if case .status(let head) = kind { .status(head.status) } else { .network }
  }

  /// The status of the response; nil if there was none, or it was not the reason.
  package var status: Int? { if case .status(let head) = kind { head.status } else { nil } }

  /// Whether further polls cannot succeed.
  /// - Parameter hasSucceeded: whether an earlier poll has.
  package func isFinal(hasSucceeded: Bool) -> Bool {
    switch kind {
    case .network(.local), .network(.unanswered): true
    case .network(.permanent): !hasSucceeded
    case .network: false
    case .status(let head): !StatusPolicy().isRetried(head, at: hasSucceeded ? .polled : .first)
    case .content: false
    }
  }

  /// Whether it is about the number of requests, so that it is true of all requests to this server.
  package var isLimit: Bool {
    guard case .status(let head) = kind else { return false }
    return head.status == 429 || (head.status == 403 && StatusPolicy().isRetried(head, at: .first))
  }
}
