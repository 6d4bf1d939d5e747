import FeedCore

/// The rows of the tools that stay connected: when to connect again, and when to stop.
package enum ConnectionOption: ToolOption {
  case maxTime, reconnectDelay, retries, retryStatus, reconnect, noReconnect, idleTimeout, verbose

  package var group: OptionGroup {
    switch self {
    case .maxTime: .ending
    case .reconnectDelay, .retries, .retryStatus, .reconnect, .noReconnect, .idleTimeout, .verbose: .connection
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
    case .verbose: OptionSpec("verbose", "v", "report connections on standard error")
    }
  }
}

extension OptionGroup {
  package static let output = OptionGroup("Options that choose and print")
  package static let ending = OptionGroup("Options that end")
  package static let connection = OptionGroup("Options for the connection").needs(.url)
}
