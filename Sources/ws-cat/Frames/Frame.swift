// The opcodes and close codes of the framing protocol (RFC 6455 §5 and §7).

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

enum Frame {
  /// The first reserved bit: the message is compressed (RFC 7692 §6).
  static let compressed: UInt8 = 0x40
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
