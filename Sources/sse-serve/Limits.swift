// What a server grants its clients, in seconds and numbers. Each is more than an honest client needs.

import FeedCore

enum Limits {
  /// How long a client may take for a request, and be idle between two.
  static let requestTime = 10.0
  /// How long a client may take nothing of an answer.
  static let answerTime = 30.0
  /// How long a client may take to close when all is said.
  static let closingTime = 2.0
  /// How long clients may take at the end to read what they have been sent.
  static let shutdownTime = 5.0
  /// Connections beyond the clients of the stream, for all else that is asked.
  static let otherConnections = 128
  /// Descriptors beyond the connections: standard streams, listeners, signals, the poller.
  private static let otherFiles = 32
  /// How many connections to accept in one turn.
  static let acceptsInTurn = 64

  /// How many clients there may be, after making room for them.
  static func clients(_ options: Options) throws(ToolFailure) -> Int {
    let others = otherConnections + otherFiles
    let wanted = options.maxClients + others
    let limit = OpenFiles.raiseLimit(to: wanted)
    if limit >= wanted { return wanted - others }
    if options.isMaxClientsGiven || limit <= others {
      let what = options.isMaxClientsGiven ? "option '--max-clients'" : "a server"
      let needed = options.isMaxClientsGiven ? wanted : others + 1
      throw .failed(.trouble, "\(what) needs \(needed) open files, and the limit here is \(limit) (ulimit -n)")
    }
    return limit - others
  }
}
