import FeedCore

/// The values of the `ConnectionOption` rows: when to connect again, and when to stop.
package struct ConnectionOptions: Sendable {
  /// In seconds.
  package var delay = 3.0
  package var retries = Int.max
  package var retryStatus: StatusSet?
  /// Whether to connect again after a feed was open.
  package var reconnects = true
  /// Whether to repeat a request that brought no feed. A request that may have an effect is repeated only if the user
  /// asks for it, and only while it has had none.
  package var repeatsRequest = true
  /// Whether the next connection resumes where the last one broke. If not, a break is always reported, because data
  /// sent meanwhile is lost.
  package var resumes = true
  /// In seconds.
  package var maxTime: Double?
  /// In seconds: the longest time without data.
  package var idleTimeout: Double?
  /// Whether notes are printed.
  package var printsNotes = false
  /// Whether every attempt is reported.
  package var isVerbose = false

  /// For tests, which set only what they need.
  init() {}

  /// - Parameters:
  ///   - reconnects: whether to reconnect by default.
  ///   - resumes: whether the next connection resumes where the last one broke.
  package init(_ invocation: Invocation, reconnects: Bool, resumes: Bool = true) throws(ToolFailure) {
    self.reconnects = reconnects
    self.resumes = resumes
    var hasRetries = false
    for (option, value) in try invocation.options(ConnectionOption.self) {
      switch option {
      case .maxTime: maxTime = try value.get()
      case .reconnectDelay: delay = try value.get()
      case .retries:
        retries = try value.get()
        hasRetries = true
      case .retryStatus:
        retryStatus = try value.get()
        hasRetries = true
      case .reconnect: self.reconnects = true
      case .noReconnect: self.reconnects = false
      case .idleTimeout: idleTimeout = try value.get()
      case .notes: printsNotes = true
      case .verbose: isVerbose = true
      }
    }
    repeatsRequest = self.reconnects || hasRetries
  }
}
