import FeedCore

/// The rows of the tools that stay connected: when to connect again, and when to stop.
package enum ConnectionOption: ToolOption {
  case maxTime, reconnectDelay, retries, retryStatus, reconnect, noReconnect, idleTimeout, notes, verbose

  package var group: OptionGroup {
    switch self {
    case .maxTime: .ending
    case .reconnectDelay, .retries, .retryStatus, .reconnect, .noReconnect, .idleTimeout, .notes, .verbose: .connection
    }
  }

  package var spec: OptionSpec {
    switch self {
    case .maxTime: OptionSpec("max-time", .duration, "end after this time")
    case .reconnectDelay: OptionSpec("reconnect-delay", .delay, "wait this long before reconnecting").default("3")
    case .retries: OptionSpec("retries", .integer(0...Int.max), "give up when N retries in a row have failed")
    case .retryStatus: OptionSpec("retry-status", .statuses, "HTTP statuses to retry: 429,5xx or none")
    case .reconnect: OptionSpec("reconnect", "reconnect even after a POST")
    case .noReconnect: OptionSpec("no-reconnect", "connect only once")
    case .idleTimeout: OptionSpec("idle-timeout", .duration, "reconnect when nothing comes for this long")
    case .notes: OptionSpec("notes", "print what becomes of the connection as notes")
    case .verbose: OptionSpec("verbose", "v", "report connections on standard error")
    }
  }

  /// The rows of a tool.
  /// - Parameters:
  ///   - others: what the tool does not have.
  ///   - notes: makes the row `--notes` say which options of the tool print records, or do not.
  package static func rows(without others: [Self] = [], notes: (OptionSpec) -> OptionSpec) -> [OptionSpec] {
    rows(without: others).map { $0.name == Self.notes.spec.name ? notes($0) : $0 }
  }
}

extension OptionGroup {
  package static let ending = OptionGroup("Options that end")
  package static let connection = OptionGroup("Options for the connection").needs(.url)
}
