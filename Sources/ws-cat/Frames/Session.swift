import FeedCore
import FeedZlib

/// The protocol state of an open connection (RFC 6455 §5 to §7), without a socket: the server's bytes go in, messages
/// come out, and frames to send collect in the outbox. This answers pings with their payload, and close frames.
struct Session {
  private(set) var parser: FrameParser
  var outbox = Outbox()
  /// Whether our close frame is in the outbox or was sent.
  private(set) var hasSentClose = false
  /// Whether the server has sent its close frame: no more data comes, and none is sent.
  private(set) var hasReceivedClose = false
  private var isBroken = false
  /// The payload of a pong that had to wait; it answers the newest ping (§5.5.3).
  private var pendingPong: [UInt8]?

  /// - Parameter compression: what the handshake agreed on; nil for none.
  init(maxMessage: Int, compression: PerMessageDeflate? = nil) throws(ZlibError) {
    guard let compression else {
      parser = FrameParser(maxMessage: maxMessage)
      return
    }
    let inflater = try MessageInflater(keepsWindow: compression.serverKeepsWindow)
    parser = FrameParser(maxMessage: maxMessage, inflater: inflater)
    // zlib has no window of 8 bits, so our messages then go out as they are.
    if compression.clientWindowBits > 8 {
      outbox.deflater = try MessageDeflater(
        keepsWindow: compression.clientKeepsWindow, windowBits: compression.clientWindowBits)
    }
  }

  var message: [UInt8] { parser.message }
  var isText: Bool { parser.isText }
  /// The reason of the server's close frame.
  var reason: [UInt8] { parser.control }
  /// The code of the server's close frame, if it has one.
  private(set) var closeCode: Int?

  /// Continues with a chunk.
  /// - Returns: whether `message` is complete; false if the chunk is used up, or the server has closed.
  /// - Throws: a protocol error; its close frame is then in the outbox.
  mutating func next(_ chunk: borrowing Span<UInt8>, from index: inout Int) throws(ProtocolError) -> Bool {
    // After the server's close frame no data comes (§5.5.1); after an error it could not be understood.
    if hasReceivedClose || isBroken { index = chunk.count }
    do throws(ProtocolError) {
      while let item = try parser.next(chunk, from: &index) {
        switch item {
        case .message: return true
        case .pong: continue
        case .ping: pong(parser.control)
        case .close(let code):
          hasReceivedClose = true
          closeCode = code
          // The server would ignore messages that have not begun to be sent: they are for the next connection.
          outbox.withdraw()
          close(code ?? CloseCode.normal, isEmpty: code == nil)
          return false
        }
      }
      return false
    } catch {
      isBroken = true
      close(error.code)
      throw error
    }
  }

  /// When this many bytes wait, less important data is not added.
  private static let fullOutbox = 64 * 1024

  /// Whether there is no room for data that can wait or will be repeated anyway.
  var isFull: Bool { outbox.pending.count >= Self.fullOutbox }

  mutating func ping() {
    if !hasSentClose, !isFull { outbox.append(.ping, []) }
  }

  /// Sends a close frame, once.
  /// - Parameter isEmpty: without a code, as in the server's frame.
  mutating func close(_ code: Int, isEmpty: Bool = false) {
    guard !hasSentClose else { return }
    sendPendingPong()
    outbox.append(.close, isEmpty ? [] : FrameWriter.closePayload(code))
    hasSentClose = true
  }

  /// Sends a message.
  /// - Parameter isKept: whether it must not be lost with the connection.
  mutating func send(_ message: OutgoingMessage, isKept: Bool) {
    if !hasSentClose { outbox.append(message, isKept: isKept) }
  }

  // MARK: Pongs

  /// Whether a pong waits for room.
  var hasPendingPong: Bool { pendingPong != nil && !hasSentClose }

  /// A server that sends pings but reads no pongs must not fill our memory.
  private mutating func pong(_ payload: [UInt8]) {
    guard !hasSentClose else { return }
    if isFull { pendingPong = payload } else { outbox.append(.pong, payload) }
  }

  /// Sends the pong that had to wait.
  mutating func sendPendingPong() {
    guard let payload = pendingPong, !hasSentClose, !isFull else { return }
    pendingPong = nil
    outbox.append(.pong, payload)
  }
}
