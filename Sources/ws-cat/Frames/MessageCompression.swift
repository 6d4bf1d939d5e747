// The payload of messages under permessage-deflate (RFC 7692 §7.2): all messages of one direction are parts of one
// deflate stream, unless a side forgets its window after each message. Each part ends at a byte, with the end of an
// empty stored block, which is not sent.

import FeedCore
import FeedZlib

private let emptyBlockEnd: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

/// Unpacks the server's messages.
final class MessageInflater {
  /// The most bytes to unpack at a time.
  private static let pieceSize = 16 * 1024

  private let stream: InflaterStream
  private let keepsWindow: Bool
  /// Whether the last block said that it was the last one. Deflate ends there, but the message need not (§7.2.3.4).
  private var isEnded = false

  /// - Parameter keepsWindow: whether a message may refer to those before it.
  init(keepsWindow: Bool) throws(ZlibError) {
    stream = try InflaterStream(.none)
    self.keepsWindow = keepsWindow
  }

  /// Appends a piece of a message.
  /// - Parameter limit: the most bytes of the message. No more than one byte over it is unpacked.
  func take(_ piece: borrowing Span<UInt8>, to message: inout [UInt8], limit: Int) throws(ProtocolError) {
    var index = 0
    while true {
      if isEnded {
        if index == piece.count { return }
        stream.restart(keepsWindow: true)
        isEnded = false
      }
      let before = message.count
      let room = min(Self.pieceSize - 1, limit - before) + 1
      switch try run(piece, from: &index, room: room, to: &message) {
      case .damaged(let reason): throw Self.damaged(reason)
      case .end: isEnded = true
      case .more: break
      }
      if message.count > limit { throw .tooLarge(limit) }
      // Without room, zlib may hold more.
      if !isEnded, index == piece.count, message.count - before < room { return }
    }
  }

  /// Ends a message.
  func end(_ message: inout [UInt8], limit: Int) throws(ProtocolError) {
    // After a last block, some senders add nothing.
    if !isEnded {
      try take(emptyBlockEnd.span, to: &message, limit: limit)
      guard stream.isBetweenBlocks else { throw Self.damaged("it is cut off") }
    }
    if isEnded || !keepsWindow { stream.restart(keepsWindow: keepsWindow) }
    isEnded = false
  }

  private func run(
    _ piece: borrowing Span<UInt8>, from index: inout Int, room: Int, to message: inout [UInt8]
  ) throws(ProtocolError) -> InflaterStream.InflatedPart {
    do { return try stream.run(piece, from: &index, room: room, to: &message) } catch {
      throw ProtocolError(CloseCode.internalError, error.message)
    }
  }

  private static func damaged(_ reason: String) -> ProtocolError {
    ProtocolError(CloseCode.badData, "the compressed data of the message is damaged: \(reason)")
  }
}

/// Packs our messages.
final class MessageDeflater {
  private let stream: DeflaterStream
  private let keepsWindow: Bool

  /// - Parameters:
  ///   - keepsWindow: whether a message may refer to those before it.
  ///   - windowBits: the binary logarithm of the window that the server has for us, 9 to 15.
  init(keepsWindow: Bool, windowBits: Int) throws(ZlibError) {
    stream = try DeflaterStream(windowBits: windowBits)
    self.keepsWindow = keepsWindow
  }

  /// The payload of the frame for a message that is not empty.
  func packed(_ message: borrowing Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    stream.run(message, to: &bytes)
    bytes.removeLast(emptyBlockEnd.count)
    if !keepsWindow { stream.restart() }
    return bytes
  }
}
