import FeedCore

/// Why a poll has failed.
package struct PollFailure: Error {
  package enum Kind: Equatable {
    case network(HTTPError.Kind)
    case status(Int)
    /// The answer came, but is not what was wanted.
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
  package var cause: RetryPolicy.Cause { if case .status(let status) = kind { .status(status) } else { .network } }

  /// Whether further polls cannot succeed: the resource is gone (RFC 9110 §15.5.11), or the error is on our side.
  package var isFinal: Bool { kind == .status(410) || kind == .network(.local) }

  /// Whether the first poll fails for good: the request is wrong, not the server.
  package var isMistake: Bool {
    switch kind {
    case .network(let kind): kind == .permanent
    case .status(let status): (400..<500).contains(status) && ![408, 425, 429].contains(status)
    case .content: false
    }
  }
}
