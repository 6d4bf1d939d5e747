import FeedCore

/// What a server allows its clients, in seconds and numbers. Each limit is higher than an honest client needs.
enum ServingLimits {
  /// The longest time for a request, and between two requests.
  static let requestTime = 10.0
  /// The longest time in which a client reads nothing of a response.
  static let responseTime = 30.0
  /// The longest time for a client to close after the response.
  static let closingTime = 2.0
  /// The longest time for clients to read the rest when the server ends.
  static let shutdownTime = 5.0
  /// Connections besides those of stream clients, for all other requests.
  static let otherConnections = 128
  /// Descriptors besides the connections: standard streams, listeners, signals, the poller.
  private static let otherFiles = 32
  /// The most connections to accept in one turn.
  static let acceptsInTurn = 64

  /// How many clients are allowed, up to --max-clients, after raising the limit of open files.
  static func clients(_ options: Options) throws(ToolFailure) -> Int {
    let others = otherConnections + otherFiles
    let wanted = options.maxClients + others
    let limit = Process.raiseLimitOfOpenFiles(to: wanted)
    if limit >= wanted { return wanted - others }
    if options.isMaxClientsGiven || limit <= others {
      let what = options.isMaxClientsGiven ? "option '--max-clients'" : "a server"
      let needed = options.isMaxClientsGiven ? wanted : others + 1
      throw .failed(.error, "\(what) needs \(needed) open files, and the limit here is \(limit) (ulimit -n)")
    }
    return limit - others
  }
}
