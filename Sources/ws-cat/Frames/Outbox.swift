// The data to send over a connection, as frames. Messages from the input are also kept until their last byte has been
// sent. When a connection ends, its unsent messages go to the next one.

import FeedCore

/// A message to send.
struct OutgoingMessage: Equatable {
  /// Which connections send it.
  enum Sending { case once, first, again }

  var isText = true
  var bytes: [UInt8]
  /// Of a message that each new connection sends: whether this is the first time.
  var sending = Sending.once
}

/// Our frames in the order in which they are sent, and the messages in them.
struct Outbox {
  /// For our messages, if the handshake agreed on it.
  var deflater: MessageDeflater?
  private(set) var bytes: [UInt8] = []
  /// How many of `bytes` the connection has taken.
  private var taken = 0
  /// The position of `bytes` in the stream of all frames.
  private var base = 0
  /// The frames that may be unsent: their positions in the stream, and their input messages.
  private var frames: [(begin: Int, end: Int, message: OutgoingMessage?)] = []
  /// Messages whose frames have been removed again.
  private var withdrawn: [OutgoingMessage] = []

  /// Bytes that the connection has not yet taken.
  var pending: Range<Int> { taken..<bytes.count }
  var isEmpty: Bool { pending.isEmpty }

  /// Appends a control frame.
  mutating func append(_ opcode: Opcode, _ payload: [UInt8]) {
    let begin = base + bytes.count
    FrameWriter.append(opcode, payload.span, to: &bytes)
    frames.append((begin, base + bytes.count, nil))
  }

  /// Appends a message.
  /// - Parameter isKept: whether it must not be lost with the connection.
  mutating func append(_ message: OutgoingMessage, isKept: Bool) {
    let begin = base + bytes.count
    let opcode = message.isText ? Opcode.text : .binary
    // An empty message would not become shorter.
    if let deflater, !message.bytes.isEmpty {
      FrameWriter.append(opcode, deflater.packed(message.bytes.span).span, isCompressed: true, to: &bytes)
    } else {
      FrameWriter.append(opcode, message.bytes.span, to: &bytes)
    }
    frames.append((begin, base + bytes.count, isKept ? message : nil))
  }

  /// Records that the connection has taken `count` more bytes.
  /// - Parameter unsent: how many of all bytes taken have not yet been sent.
  mutating func take(_ count: Int, unsent: Int) {
    taken += count
    let sent = base + taken - unsent
    // On average, each byte is moved once.
    guard taken > bytes.count / 2 || isEmpty else { return }
    frames.removeAll { $0.end <= sent }
    base += taken
    // The memory of a large message is not kept.
    if isEmpty, bytes.capacity > 1 << 20 { bytes = [] } else { bytes.removeFirst(taken) }
    taken = 0
  }

  /// Removes the input messages of which no byte has been taken.
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
      // Frames before the base have been taken, and are only remembered.
      let begin = min(frame.begin, base + bytes.count)
      bytes += old[max(frame.begin - base, 0)..<max(frame.end - base, 0)]
      frames.append((begin, min(frame.end, base + bytes.count), frame.message))
    }
  }

  /// The messages that were not sent completely.
  /// - Parameter unsent: bytes that the connection took but could not send.
  func unsent(_ unsent: Int) -> [OutgoingMessage] {
    let sent = base + taken - unsent
    return frames.filter { $0.end > sent }.compactMap(\.message) + withdrawn
  }
}
