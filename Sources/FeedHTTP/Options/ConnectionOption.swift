import FeedCore

/// The option rows of tools that stay connected: when to connect again, and when to stop.
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
    case .reconnectDelay: OptionSpec("reconnect-delay", .delay, "wait this long before connecting again").default("3")
    case .retries: OptionSpec("retries", .integer(0...Int.max), "give up after N failed retries in a row")
    case .retryStatus: OptionSpec("retry-status", .statuses, "HTTP statuses to retry, such as 429,5xx, or none")
    case .reconnect: OptionSpec("reconnect", "connect again even after a POST")
    case .noReconnect: OptionSpec("no-reconnect", "connect only once")
    case .idleTimeout: OptionSpec("idle-timeout", .duration, "connect again after this long without data")
    case .notes: OptionSpec("notes", "print notes about the connection")
    case .verbose: OptionSpec("verbose", "v", "report each connection on standard error")
    }
  }

  /// The rows of a tool.
  /// - Parameters:
  ///   - others: rows that the tool does not have.
  ///   - notes: makes the row `--notes` say which options of the tool print records, or which do not.
  package static func rows(without others: [Self] = [], notes: (OptionSpec) -> OptionSpec) -> [OptionSpec] {
    rows(without: others).map { $0.name == Self.notes.spec.name ? notes($0) : $0 }
  }
}

extension OptionGroup {
  package static let connection = OptionGroup("Options for the connection").needs(.url)
}
