import FeedCore

/// The options of tools that stay connected, and their values: when to connect again, and when to stop.
package struct ConnectionOptions: Sendable {
  private typealias Option = OptionRow<ConnectionOptions>

  /// In seconds.
  package var delay = 3.0
  /// How many failures in a row are allowed.
  package var retries = Int.max
  /// The statuses of `--retry-status`; nil for the usual ones.
  package var retryStatus: StatusSet?
  /// Whether to connect again, if the user says it.
  package private(set) var wantsReconnect: Bool?
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

  package init() {}

  /// The rows of a tool.
  /// - Parameters:
  ///   - hasDelay: whether the tool has options about the wait before the next connection.
  ///   - hasReconnect: whether there are requests after which it does not connect again by itself.
  ///   - reconnect: makes rows say which options of the tool connect again.
  ///   - notes: makes a row say which options of the tool print records, or which do not.
  @OptionRows<Whole> package static func rows<Whole>(
    _ part: @autoclosure @escaping OptionRow<Whole>.Setting<ConnectionOptions>, hasDelay: Bool = true,
    hasReconnect: Bool = true, reconnect: (OptionRow<Whole>) -> OptionRow<Whole> = { $0 },
    notes change: (OptionRow<Whole>) -> OptionRow<Whole>
  ) -> OptionRows<Whole>.OptionPart {
    OptionGroup.ending
    Option("max-time", .duration, \.maxTime, "end after this time").within(part())
    OptionGroup.connection
    if hasDelay {
      Option("reconnect-delay", .delay, \.delay, "wait this long before connecting again").default("3").within(part())
    }
    Option("retries", .integer(0...), \.retries, "give up after N failed retries in a row").within(part())
    if hasDelay {
      Option("retry-status", .statuses, \.retryStatus, "HTTP statuses to retry, such as 429,5xx, or none")
        .within(part())
    }
    if hasReconnect {
      reconnect(Option("reconnect", \.wantsReconnect, to: true, "connect again even after a POST").within(part()))
    }
    reconnect(Option("no-reconnect", \.wantsReconnect, to: false, "connect only once").within(part()))
    Option("idle-timeout", .duration, \.idleTimeout, "connect again after this long without data").within(part())
    change(Option("notes", \.printsNotes, "print notes about the connection").within(part()))
    Option("verbose", letter: "v", \.isVerbose, "report each connection on standard error").within(part())
  }

  /// Settles what depends on the tool.
  /// - Parameters:
  ///   - reconnects: whether to reconnect by default.
  ///   - resumes: whether the next connection resumes where the last one broke.
  package mutating func settle(reconnects: Bool, resumes: Bool = true) {
    self.reconnects = wantsReconnect ?? reconnects
    self.resumes = resumes
    repeatsRequest = self.reconnects || retries != .max || retryStatus != nil
  }
}

extension OptionGroup {
  /// The heading of these options in the help.
  package static let connection = OptionGroup("Options for the connection").needs(.url)
}
