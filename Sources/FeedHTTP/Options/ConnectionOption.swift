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

extension Reconnection.Rules {
  /// - Parameters:
  ///   - reconnects: whether a connection may be made again where no option says so.
  ///   - resumes: whether the next connection goes on where the last one broke.
  package init(_ invocation: Invocation, reconnects: Bool, resumes: Bool = true) throws(ToolFailure) {
    self.reconnects = reconnects
    self.resumes = resumes
    for (option, value) in try invocation.options(ConnectionOption.self) {
      switch option {
      case .maxTime: maxTime = try value.get()
      case .reconnectDelay: delay = try value.get()
      case .retries: retries = try value.get()
      case .retryStatus: retryStatus = try value.get()
      case .reconnect: self.reconnects = true
      case .noReconnect: self.reconnects = false
      case .idleTimeout: idleTimeout = try value.get()
      case .verbose: isVerbose = true
      }
    }
  }
}
