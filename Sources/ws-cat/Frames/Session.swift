// An open connection as the protocol sees it (RFC 6455 §5 to §7), without a socket: bytes of the server go in, messages come
// out, and what is to be sent collects in the outbox. Pings are answered here, with their payload; so is a close frame.

import FeedCore

struct Session {
  enum Event: Equatable {
    /// `message` is there.
    case message
    /// The server has sent its close frame: nothing more comes, and nothing more is sent.
    case closed(code: Int?)
  }

  private(set) var parser: FrameParser
  var outbox = Outbox()
  /// Our close frame is in the outbox, or has left it.
  private(set) var hasSentClose = false
  private(set) var hasReceivedClose = false
  private var isBroken = false
  /// Whether the server has asked for more pongs than go out; a pong then answers the newest ping (§5.5.3).
  private var pendingPong: [UInt8]?

  init(maxMessage: Int) { parser = FrameParser(maxMessage: maxMessage) }

  var message: [UInt8] { parser.message }
  var isText: Bool { parser.isText }
  /// The reason of the server's close frame.
  var reason: [UInt8] { parser.control }
  /// The status of the server's close frame, where it has one.
  private(set) var closeCode: Int?

  /// Goes on with a chunk.
  /// - Throws: after an error the close frame that tells it is in the outbox.
  mutating func next(_ chunk: borrowing Span<UInt8>, from index: inout Int) throws(ProtocolError) -> Event? {
    // After the server's close frame nothing comes (§5.5.1), and after an error nothing that can be understood.
    if hasReceivedClose || isBroken { index = chunk.count }
    do throws(ProtocolError) {
      while let item = try parser.next(chunk, from: &index) {
        switch item {
        case .message: return .message
        case .pong: continue
        case .ping: pong(parser.control)
        case .close(let code):
          hasReceivedClose = true
          closeCode = code
          // Nobody would look at what has not begun to go out: it is for the next connection.
          outbox.withdraw()
          close(code ?? CloseCode.normal, isEmpty: code == nil)
          return .closed(code: code)
        }
      }
      return nil
    } catch {
      isBroken = true
      close(error.code)
      throw error
    }
  }

  /// So many bytes wait to be sent before anything else has to.
  private static let fullOutbox = 64 * 1024

  /// Whether there is no room for what can wait, or is said again anyway.
  var isFull: Bool { outbox.pending.count >= Self.fullOutbox }

  mutating func ping() {
    if !hasSentClose, !isFull { outbox.append(.ping, []) }
  }

  /// Says goodbye, once.
  /// - Parameter isEmpty: without a code, as the server has done.
  mutating func close(_ code: Int, isEmpty: Bool = false) {
    guard !hasSentClose else { return }
    sendPendingPong()
    outbox.append(.close, isEmpty ? [] : FrameWriter.closePayload(code))
    hasSentClose = true
  }

  /// Sends a message of our own.
  mutating func send(_ message: OutgoingMessage, isInput: Bool) {
    guard !hasSentClose else { return }
    if isInput { outbox.append(message) } else { outbox.append(message.isText ? .text : .binary, message.bytes) }
  }

  // MARK: Pongs

  /// A server that sends pings and reads no pongs must not fill our memory.
  private mutating func pong(_ payload: [UInt8]) {
    guard !hasSentClose else { return }
    if isFull { pendingPong = payload } else { outbox.append(.pong, payload) }
  }

  /// Sends the pong that there was no room for.
  mutating func sendPendingPong() {
    guard let payload = pendingPong, !hasSentClose, !isFull else { return }
    pendingPong = nil
    outbox.append(.pong, payload)
  }
}
