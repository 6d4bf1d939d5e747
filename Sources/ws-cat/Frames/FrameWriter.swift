import FeedCore

/// The frames of a client (RFC 6455 §5.2, §5.3): one for each message, masked with four unpredictable bytes. So nobody
/// who chooses the message can choose the bytes that a proxy sees.
enum FrameWriter {
  /// Appends a frame.
  /// - Parameters:
  ///   - isCompressed: whether the payload is packed (RFC 7692 §6).
  ///   - mask: new for each frame; a test passes its own.
  static func append(
    _ opcode: Opcode, _ payload: borrowing Span<UInt8>, isCompressed: Bool = false,
    mask: UInt32 = .random(in: .min ... .max), to buffer: inout [UInt8]
  ) {
    buffer.append(0x80 | opcode.rawValue | (isCompressed ? Frame.compressed : 0))
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
