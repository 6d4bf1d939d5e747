// What is to be sent over a connection: frames, one after the other, and of those that carry input the messages, until
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
  /// The frames that may not have gone out: where in the stream each is, and what it carries of the input.
  private var frames: [(begin: Int, end: Int, message: OutgoingMessage?)] = []
  /// Messages whose frames have been taken out again.
  private var withdrawn: [OutgoingMessage] = []

  /// Bytes that no connection has taken yet.
  var pending: Range<Int> { taken..<bytes.count }
  var isEmpty: Bool { pending.isEmpty }

  mutating func append(_ opcode: Opcode, _ payload: [UInt8]) { append(opcode, payload, carrying: nil) }

  /// Appends a message that must not be lost with the connection.
  mutating func append(_ message: OutgoingMessage) {
    append(message.isText ? .text : .binary, message.bytes, carrying: message)
  }

  private mutating func append(_ opcode: Opcode, _ payload: [UInt8], carrying message: OutgoingMessage?) {
    let begin = base + bytes.count
    FrameWriter.append(opcode, payload.span, to: &bytes)
    frames.append((begin, base + bytes.count, message))
  }

  /// The connection has taken so many bytes more.
  /// - Parameter unsent: how many of all that it took are not yet on their way.
  mutating func take(_ count: Int, unsent: Int) {
    taken += count
    let sent = base + taken - unsent
    // Every byte is moved once on the average.
    guard taken > bytes.count / 2 || isEmpty else { return }
    frames.removeAll { $0.end <= sent }
    base += taken
    // Room for a large message is not kept.
    if isEmpty, bytes.capacity > 1 << 20 { bytes = [] } else { bytes.removeFirst(taken) }
    taken = 0
  }

  /// Takes out the messages of the input of which nothing has been taken.
  mutating func withdraw() {
    let all = frames
    let old = bytes
    frames = []
    bytes = []
    for frame in all {
      if frame.begin >= base + taken, let message = frame.message {
        withdrawn.append(message)
        continue
      }
      // What lies before the base has been taken, and is only remembered.
      let begin = min(frame.begin, base + bytes.count)
      bytes += old[max(frame.begin - base, 0)..<max(frame.end - base, 0)]
      frames.append((begin, min(frame.end, base + bytes.count), frame.message))
    }
  }

  /// The messages that did not go out as a whole.
  /// - Parameter unsent: bytes that the connection took and then could not send.
  func unsent(_ unsent: Int) -> [OutgoingMessage] {
    let sent = base + taken - unsent
    return frames.filter { $0.end > sent }.compactMap(\.message) + withdrawn
  }
}
