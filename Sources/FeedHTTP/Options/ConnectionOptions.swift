import FeedCore

/// What `ConnectionOption` rows come to: when a connection is made again, and when it is enough.
package struct ConnectionOptions: Sendable {
  /// In seconds.
  package var delay = 3.0
  package var retries = Int.max
  package var retryStatus: StatusSet?
  package var reconnects = true
  /// Whether the next connection goes on where the last one broke. Where it does not, a break is always told, for what
  /// was sent at that time is lost.
  package var resumes = true
  /// In seconds.
  package var maxTime: Double?
  /// In seconds: how long nothing may come.
  package var idleTimeout: Double?
  /// Whether notes are printed.
  package var printsNotes = false
  /// Whether every attempt is told.
  package var isVerbose = false

  /// A test sets what it needs.
  init() {}

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
      case .notes: printsNotes = true
      case .verbose: isVerbose = true
      }
    }
  }
}
