// What is to be sent over a connection: frames, one behind the other, and of those that carry input the messages, until
// the last byte of each has gone out. A connection that ends gives back what it did not send, for the next one.

import FeedCore

/// A message to send.
struct OutgoingMessage: Equatable {
  var isText = true
  var bytes: [UInt8]
}

struct Outbox {
  private(set) var bytes: [UInt8] = []
  /// How many of `bytes` have been taken by the connection.
  private var taken = 0
  /// Where in the stream of all frames `bytes` begins.
  private var base = 0
  /// Messages of the input that may not have gone out, with where in the stream their frames end.
  private var messages: [(message: OutgoingMessage, end: Int)] = []

  /// Bytes that no connection has taken yet.
  var pending: Range<Int> { taken..<bytes.count }
  var isEmpty: Bool { pending.isEmpty }

  mutating func append(_ opcode: Opcode, _ payload: [UInt8]) {
    FrameWriter.append(opcode, payload.span, to: &bytes)
  }

  /// Appends a message that must not be lost with the connection.
  mutating func append(_ message: OutgoingMessage) {
    append(message.isText ? .text : .binary, message.bytes)
    messages.append((message, base + bytes.count))
  }

  /// The connection has taken so many bytes more.
  /// - Parameter isSent: whether all that it has taken is on its way.
  mutating func take(_ count: Int, isSent: Bool) {
    taken += count
    guard isEmpty else { return }
    base += bytes.count
    taken = 0
    // Room for a large message is not kept.
    if bytes.capacity > 1 << 20 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
    if isSent { messages.removeAll(keepingCapacity: true) }
  }

  /// The messages that did not go out as a whole.
  /// - Parameter unsent: bytes that the connection took and then could not send.
  func unsent(_ unsent: Int) -> [OutgoingMessage] {
    let sent = base + taken - unsent
    return messages.filter { $0.end > sent }.map(\.message)
  }
}
