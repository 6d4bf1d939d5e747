// The framing protocol (RFC 6455 §5 and §7): opcodes, close codes, and the frames that we send.

import FeedCore

/// The kinds of frames (RFC 6455 §11.8).
enum Opcode: UInt8 {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// Control frames may come between the fragments of a message, are short, and are never fragmented (§5.5).
  var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The frames of a client (RFC 6455 §5.2, §5.3): one for each message, masked with four unpredictable bytes. So nobody
/// who chooses the message can choose the bytes that a proxy sees.
enum FrameWriter {
  /// The first reserved bit: the message is compressed (RFC 7692 §6).
  static let compressed: UInt8 = 0x40

  /// Appends a frame.
  /// - Parameters:
  ///   - isCompressed: whether the payload is packed (RFC 7692 §6).
  ///   - mask: new for each frame; a test passes its own.
  static func append(
    _ opcode: Opcode, _ payload: borrowing Span<UInt8>, isCompressed: Bool = false,
    mask: UInt32 = .random(in: .min ... .max), to buffer: inout [UInt8]
  ) {
    buffer.append(0x80 | opcode.rawValue | (isCompressed ? compressed : 0))
    switch payload.count {
    case 0...125: buffer.append(0x80 | UInt8(payload.count))
    case 126...0xFFFF:
      buffer.append(0x80 | 126)
      appendBigEndian(payload.count, bytes: 2, to: &buffer)
    default:
      buffer.append(0x80 | 127)
      appendBigEndian(payload.count, bytes: 8, to: &buffer)
    }
    appendBigEndian(Int(mask), bytes: 4, to: &buffer)
    buffer.append(span: payload, xor: mask.byteSwapped)
  }

  /// The payload of a close frame.
  static func closePayload(_ code: Int) -> [UInt8] { [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)] }

  private static func appendBigEndian(_ number: Int, bytes: Int, to buffer: inout [UInt8]) {
    for place in (0..<bytes).reversed() { buffer.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
  }
}

/// Why a connection is closed (§7.4).
enum CloseCode {
  static let normal = 1000
  static let goingAway = 1001
  static let protocolError = 1002
  static let badData = 1007
  static let tooLarge = 1009
  static let internalError = 1011

  /// Whether a close frame may contain the code: codes for internal use only, or without a meaning, are not sent.
  static func isSendable(_ code: Int) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

/// A violation by the server that ends the connection, and the close code to send.
struct ProtocolError: Error, Equatable {
  let code: Int
  /// What is wrong: lower case, without a full stop.
  let message: String

  init(_ message: String) { self.init(CloseCode.protocolError, message) }

  init(_ code: Int, _ message: String) {
    self.code = code
    self.message = message
  }

  /// A message of more than `limit` bytes.
  static func tooLarge(_ limit: Int) -> ProtocolError {
    ProtocolError(CloseCode.tooLarge, "a message longer than \(limit) bytes (--max-size)")
  }
}
