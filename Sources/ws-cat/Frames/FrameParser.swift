import FeedCore

/// The frames of a server, joined into messages (RFC 6455 §5, §6.2).
///
/// Bytes come in chunks that are cut anywhere. A header is collected in an integer until it is complete. Each of its
/// bytes is checked at once, so an invalid one is found without waiting for the rest. Payload goes straight from the
/// chunk to the end of the message, or of the control frame, which may come between two fragments. Text is checked on
/// the way, across all cuts: the first byte that is not UTF-8 ends the connection. A compressed message is unpacked on
/// the way, so its limit holds for what comes out.
struct FrameParser {
  enum ParsedItem: Equatable {
    /// `message` is complete; `isText` says which kind it is.
    case message
    case ping
    case pong
    /// The server's close frame, with its code if it has one. The reason is in `control`.
    case close(Int?)
  }

  /// RFC 6455 §5.5: the payload of a control frame.
  static let longestControl = 125

  private(set) var message: [UInt8] = []
  private(set) var isText = false
  /// The payload of the last ping, pong or close frame; for a close frame, only the reason.
  private(set) var control: [UInt8] = []

  private let maxMessage: Int
  /// For compressed messages, if the handshake agreed on them.
  private let inflater: MessageInflater?
  private var isCompressed = false
  /// The length of the compressed message so far.
  private var packedCount = 0
  /// The part of the header received so far, as a big-endian number, and its number of bytes.
  private var header: UInt64 = 0
  private var headerCount = 0
  private var opcode = Opcode.text
  private var isFinal = false
  /// The length in the second byte; an extended length follows it.
  private var shortLength = 0
  /// Payload bytes still to come; nil during a header.
  private var left: Int?
  /// Whether a message has begun and its last fragment has not come.
  private(set) var isInMessage = false
  /// Whether `message` has been returned.
  private var isDone = true
  private var utf8 = UTF8Check()

  /// How much longer than twice its limit a compressed message may be.
  private static let sparePacked = 1 << 16
  /// Capacity that is kept for the next message; more than that is freed.
  private static let keptCapacity = 1 << 20

  init(maxMessage: Int, inflater: MessageInflater? = nil) {
    self.maxMessage = maxMessage
    self.inflater = inflater
  }

  /// Continues with a chunk.
  /// - Parameter index: where to continue in it; advanced past the used bytes.
  /// - Returns: the item that is complete now; nil if the chunk is used up.
  mutating func next(_ chunk: borrowing Span<UInt8>, from index: inout Int) throws(ProtocolError) -> ParsedItem? {
    while true {
      guard let left else {
        guard index < chunk.count else { return nil }
        try takeHeader(chunk[index])
        index += 1
        continue
      }
      let end = index + min(left, chunk.count - index)
      if end > index {
        let piece = chunk.extracting(index..<end)
        index = end
        self.left = left - piece.count
        try takePayload(piece)
      }
      if self.left != 0 { return nil }
      self.left = nil
      if let item = try endFrame() { return item }
    }
  }

  // MARK: Headers

  private mutating func takeHeader(_ byte: UInt8) throws(ProtocolError) {
    headerCount += 1
    switch headerCount {
    case 1: try takeFirst(byte)
    case 2:
      if byte & 0x80 != 0 { throw ProtocolError("a masked frame") }
      shortLength = Int(byte)
      if opcode.isControl, shortLength > Self.longestControl {
        throw ProtocolError("a control frame of more than \(Self.longestControl) bytes")
      }
      header = 0
      if shortLength < 126 { try begin(shortLength) }
    default:
      if headerCount == 3, shortLength == 127, byte & 0x80 != 0 { throw ProtocolError("a frame length of 64 bits") }
      header = header << 8 | UInt64(byte)
      let isWhole = headerCount == (shortLength == 126 ? 4 : 10)
      guard isWhole else { return }
      // "The minimal number of bytes MUST be used to encode the length" (§5.2).
      if header < (shortLength == 126 ? 126 : 0x1_0000) { throw ProtocolError("an overlong frame length") }
      try begin(Int(header))
    }
  }

  private mutating func takeFirst(_ byte: UInt8) throws(ProtocolError) {
    // The first frame of a message says by the first reserved bit whether it is compressed (RFC 7692 §6).
    let mayBeCompressed =
      inflater != nil && (byte & 0x0F == Opcode.text.rawValue || byte & 0x0F == Opcode.binary.rawValue)
    if byte & (mayBeCompressed ? 0x30 : 0x70) != 0 { throw ProtocolError("a reserved bit is set") }
    guard let opcode = Opcode(rawValue: byte & 0x0F) else { throw ProtocolError("unknown opcode \(byte & 0x0F)") }
    isFinal = byte & 0x80 != 0
    if opcode.isControl, !isFinal { throw ProtocolError("a fragment of a control frame") }
    if opcode == .continuation, !isInMessage { throw ProtocolError("a continuation frame outside a message") }
    if opcode == .text || opcode == .binary, isInMessage { throw ProtocolError("a new message inside another one") }
    self.opcode = opcode
    if mayBeCompressed { isCompressed = byte & FrameWriter.compressed != 0 }
  }

  private mutating func begin(_ length: Int) throws(ProtocolError) {
    headerCount = 0
    left = length
    guard !opcode.isControl else {
      control.removeAll(keepingCapacity: true)
      return
    }
    if isDone {
      isDone = false
      if message.capacity > Self.keptCapacity { message = [] } else { message.removeAll(keepingCapacity: true) }
    }
    if opcode != .continuation {
      isText = opcode == .text
      isInMessage = true
    }
    if !isCompressed, length > maxMessage - message.count { throw .tooLarge(maxMessage) }
    guard isCompressed else { return }
    if opcode != .continuation { packedCount = 0 }
    // Blocks that hold nothing are work too.
    if length > 2 * min(maxMessage, Int.max / 4) + Self.sparePacked - packedCount { throw .tooLarge(maxMessage) }
    packedCount += length
  }

  // MARK: Payload

  private mutating func takePayload(_ piece: borrowing Span<UInt8>) throws(ProtocolError) {
    if opcode.isControl { return control.append(span: piece) }
    guard isCompressed, let inflater else {
      if isText, utf8.take(piece) != nil { throw Self.badText }
      return message.append(span: piece)
    }
    try unpack(piece, inflater)
  }

  /// Unpacks a piece of a message, or at its end what is left, and checks its text.
  private mutating func unpack(
    _ piece: borrowing Span<UInt8>, isEnd: Bool = false, _ inflater: MessageInflater
  ) throws(ProtocolError) {
    let before = message.count
    var failure: ProtocolError?
    do {
      if isEnd {
        try inflater.end(&message, limit: maxMessage)
      } else {
        try inflater.take(piece, to: &message, limit: maxMessage)
      }
    } catch {
      failure = error
    }
    // Wrong text counts first, since it came before the damage. So it does not matter where the data was cut.
    let bytes = message
    if isText, utf8.take(bytes.span.extracting(before..<bytes.count)) != nil { throw Self.badText }
    if let failure { throw failure }
  }

  private static let badText = ProtocolError(CloseCode.badData, "text that is not valid UTF-8")

  private mutating func endFrame() throws(ProtocolError) -> ParsedItem? {
    switch opcode {
    case .ping: return .ping
    case .pong: return .pong
    case .close: return .close(try takeCloseCode())
    case .text, .binary, .continuation:
      guard isFinal else { return nil }
      if isCompressed, let inflater { try unpack([UInt8]().span, isEnd: true, inflater) }
      if isText, !utf8.isComplete { throw Self.badText }
      isInMessage = false
      isDone = true
      return .message
    }
  }

  private mutating func takeCloseCode() throws(ProtocolError) -> Int? {
    if control.isEmpty { return nil }
    guard control.count >= 2 else { throw ProtocolError("a close frame with half a code") }
    let code = Int(control[0]) << 8 | Int(control[1])
    guard CloseCode.isSendable(code) else { throw ProtocolError("invalid close code \(code)") }
    control.removeFirst(2)
    if !control.isUTF8 {
      throw ProtocolError(CloseCode.badData, "the reason of a close frame is not valid UTF-8")
    }
    return code
  }
}
