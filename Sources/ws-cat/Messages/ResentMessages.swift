import FeedCore

/// Messages of the input that each new connection needs again, such as subscriptions (`--resend`). A message is kept when
/// it is handed to a connection. If that connection ends before it has sent the message, the message goes back to the
/// input, and is no longer kept: so the next connection sends it once, at its place.
struct ResentMessages {
  /// The most messages that are kept.
  private static let most = 1000

  private let conditions: [Condition]
  private let maxSize: Int
  /// In the order of the input, without duplicates.
  private var kept: [[UInt8]] = []
  private var known: Set<[UInt8]> = []
  private var size = 0
  /// What this connection still has to send again. Nothing is kept before all of it is sent.
  private var waiting = 0..<0
  /// Whether there has been a connection.
  private var hasStarted = false

  /// - Parameter maxSize: the most bytes of all kept messages together.
  init(_ conditions: [Condition], maxSize: Int) {
    self.conditions = conditions
    self.maxSize = maxSize
  }

  /// Starts a new connection, which needs all that is kept.
  /// - Returns: how many that is; nil for the first connection, and if there are no conditions.
  mutating func restart() -> Int? {
    defer { hasStarted = true }
    waiting = kept.indices
    return hasStarted && !conditions.isEmpty ? kept.count : nil
  }

  /// The next message to send again; nil if there is none.
  mutating func next() -> OutgoingMessage? {
    guard let index = waiting.popFirst() else { return nil }
    return OutgoingMessage(bytes: kept[index], sending: .again)
  }

  /// Keeps a message of the input, if a condition holds for it and there is no equal one.
  /// - Returns: why it cannot be kept: then a later connection would have to do without a subscription.
  mutating func keep(_ message: inout OutgoingMessage) -> String? {
    guard matches(message), !known.contains(message.bytes) else { return nil }
    if kept.count >= Self.most { return "more than \(Self.most) messages to send again (--resend)" }
    guard message.bytes.count <= maxSize - size else {
      return "more than \(maxSize) bytes of messages to send again (--max-size)"
    }
    message.sending = .first
    add(message.bytes)
    return nil
  }

  /// Keeps a message that has come back and is sent now.
  mutating func keepReturned(_ message: OutgoingMessage) {
    if message.sending == .first { add(message.bytes) }
  }

  /// Messages have come back unsent.
  mutating func forget(_ messages: [OutgoingMessage]) {
    let unsent = Set(messages.filter { $0.sending == .first }.map(\.bytes))
    guard !unsent.isEmpty else { return }
    kept.removeAll(where: unsent.contains)
    known.subtract(unsent)
    size -= unsent.reduce(0) { $0 + $1.count }
  }

  private mutating func add(_ bytes: [UInt8]) {
    kept.append(bytes)
    known.insert(bytes)
    size += bytes.count
  }

  private func matches(_ message: OutgoingMessage) -> Bool {
    guard !conditions.isEmpty, message.isText else { return false }
    let document = try? PayloadForm.parsed(message.bytes)
    return conditions.contains { $0.holds(for: message.bytes, document) }
  }
}
