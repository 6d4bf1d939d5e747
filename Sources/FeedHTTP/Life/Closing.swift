// How notes tell that a connection has ended.

/// What the other end said as it closed a connection.
package struct Closing: Equatable, Sendable {
  /// The status of a WebSocket close frame (RFC 6455 §7.4); nil where it had none.
  package let code: Int?
  /// Without secrets; nil where none was given.
  package let reason: String?

  package init(code: Int?, reason: String?) {
    self.code = code
    self.reason = reason
  }
}

extension ConnectionEnding {
  /// The HTTP status of an answer that was no feed.
  var code: Int? {
    switch self {
    case .stopped: 204
    case .refused(let refusal): refusal.status
    case .failed(let error): if case .proxy(let status) = error.kind { status } else { nil }
    case .finished, .closed, .lost, .outOfTime, .interrupted: nil
    }
  }

  /// What `-v` tells; nil where the tool has ended the connection itself.
  var reason: String? {
    switch self {
    case .stopped: "the server asks to stop (HTTP 204)"
    case .closed: "closed by the server"
    case .lost(let error), .failed(let error): error.message
    case .refused(let refusal): refusal.message
    case .finished, .outOfTime, .interrupted: nil
    }
  }
}
