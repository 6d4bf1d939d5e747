// The end of a connection, for notes.

/// What the other side said when it closed a connection.
package struct Closing: Equatable, Sendable {
  /// The status of a WebSocket close frame (RFC 6455 §7.4); nil if it had none.
  package let code: Int?
  /// Without secrets; nil if none was given.
  package let reason: String?

  package init(code: Int?, reason: String?) {
    self.code = code
    self.reason = reason
  }
}

extension ConnectionEnding {
  /// The HTTP status of a response that was no feed.
  var code: Int? {
    switch self {
    case .stopped(let status): status
    case .refused(let refusal): refusal.status
    case .failed(let error): if case .proxy(let status) = error.kind { status } else { nil }
    case .finished, .closed, .lost, .outOfTime, .interrupted: nil
    }
  }

  /// The text for `-v`; nil if the tool ended the connection itself.
  var reason: String? {
    switch self {
    case .stopped(let status): "the server asks to stop (HTTP \(status))"
    case .closed: "closed by the server"
    case .lost(let error), .failed(let error): error.message
    case .refused(let refusal): refusal.message
    case .finished, .outOfTime, .interrupted: nil
    }
  }
}
