import FeedCore
import FeedZlib

/// One client: its socket and its state. A connection waits for a request, sends a response, and waits for the next
/// request. Or it gets the event stream, perhaps after a wait; the stream ends only with the connection.
///
/// The data of a state is in its case: a stream has no request, and a closing connection has nothing to send.
final class ClientConnection {
  /// What the connection does now; the case has what that needs.
  enum State {
    /// Waiting for a request, which may have come in part. Indirect, so that streaming clients do not pay for the
    /// parser.
    indirect case asking(RequestParser)
    /// - Parameter closes: whether no other request may follow.
    case responding(Outgoing, closes: Bool)
    case streaming(Subscription)
    /// Everything is sent. Bytes of the client are discarded until it closes too. To close with unread bytes would
    /// reset the connection, and the client might lose the response.
    case closing
  }

  /// Text to send: the client's own, then one that several connections share.
  struct Outgoing {
    var own: [UInt8]
    var shared: SharedText?
    /// Whether the client gets the shared text as a chunk, or its data alone.
    let isChunked: Bool
    /// How many bytes of the first of them were sent.
    private var offset = 0

    init(_ own: [UInt8], _ shared: SharedText? = nil, isChunked: Bool = false) {
      self.own = own
      self.shared = shared
      self.isChunked = isChunked
    }

    var isEmpty: Bool { own.isEmpty && shared == nil }

    /// Writes as much as the system takes.
    /// - Parameter sent: grows by the number of bytes written.
    /// - Returns: whether everything was written.
    mutating func write(to socket: Descriptor, counting sent: inout Int) throws(SystemError) -> Bool {
      while !isEmpty {
        let bytes = own.isEmpty ? shared?.bytes ?? [] : own
        let part = own.isEmpty && !isChunked ? shared?.data ?? 0..<0 : 0..<bytes.count
        guard let count = try socket.writeAvailable(bytes, part.dropFirst(offset)) else { return false }
        offset += count
        sent += count
        guard offset == part.count else { continue }
        if own.isEmpty { shared = nil } else { own = [] }
        offset = 0
      }
      return true
    }
  }

  /// Non-blocking; closed by the server, which knows the poller.
  let socket: Descriptor
  /// For the poller: a number that no other connection ever has. So an event for a connection that was closed in the
  /// same turn finds none.
  let token: UInt64
  /// For messages.
  let name: String
  var state = State.asking(RequestParser())
  /// When the state times out; never for a stream.
  var deadline: Double
  /// What has come and is not parsed yet.
  var unread: [UInt8] = []
  /// What the poller watches.
  var interest = PollEvents.input
  /// Whether it is in the table of the server. A loop over clients may meet one that was just closed.
  var isOpen = true

  init(_ socket: Descriptor, token: UInt64, name: String, deadline: Double) {
    self.socket = socket
    self.token = token
    self.name = name
    self.deadline = deadline
  }

  /// Whether there was no room for all output.
  var isBlocked: Bool { interest.contains(.output) }

  /// Its part in a stream; nil while it asks or gets another response.
  var subscription: Subscription? { if case .streaming(let subscription) = state { subscription } else { nil } }

  /// The shared text that this connection keeps in memory.
  var heldText: SharedText? {
    switch state {
    case .responding(let text, _): text.shared
    case .streaming(let subscription): subscription.text.shared
    case .asking, .closing: nil
    }
  }

  /// The next request, if it is complete; `unread` then has the bytes after it.
  func nextRequest(_ parser: inout RequestParser) throws(RequestParser.RequestProblem) -> ClientRequest? {
    let bytes = unread
    var index = 0
    defer { unread.removeFirst(index) }
    return try parser.next(bytes.span, from: &index)
  }

  /// Discards the bytes that have come: to close with unread bytes would reset the connection.
  func drain() {
    var nothing: [UInt8] = []
    while let count = try? socket.readAvailable(upTo: 1 << 16, into: &nothing), count > 0 {
      nothing.removeAll(keepingCapacity: true)
    }
  }
}

/// A client's part in a stream: text of its own, then the log of its encoding from some place on. In gzip, the text is
/// in blocks that are not compressed. Everything is in chunks, if the client knows them.
final class Subscription {
  let stream: ServedStream
  /// The log of the encoding that the client gets.
  let log: StreamLog
  /// What the client gets before it continues in the log.
  private(set) var text: ClientConnection.Outgoing
  /// The place in the log up to which it was sent; nil while the client waits for an event that it has seen.
  private(set) var place: Int?
  /// The end of the log when it began: earlier bytes do not count as backlog.
  private var begunAt = 0
  /// Its index in the list of the stream's clients.
  var index = 0

  /// Of gzip: the checksum of what the client got, with the log up to `counted`.
  private var checksum = Checksum()
  /// Of gzip: the checksum of the log up to there.
  private var counted = Checksum()
  /// Whether the end of the stream is in `text`, or sent.
  private var isFinished = false

  private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  /// The client waits, or begins at once.
  /// - Parameter head: of the response.
  init(_ stream: ServedStream, _ log: StreamLog, head: [UInt8], isChunked: Bool) {
    self.stream = stream
    self.log = log
    text = .init(head, isChunked: isChunked)
    if log.isGzip { text.own += framed(Self.gzipHeader) }
    text.own += encoded(stream.publisher.greeting)
  }

  /// The client gets this, and the log from there on.
  func begin(_ start: Publisher.Start) {
    text.own += encoded(start.preamble)
    if let document = start.document {
      text.shared = document
      checksum.add(document.checksum)
    }
    (place, counted) = log.start(at: start.place)
    begunAt = log.end
  }

  /// Lets a client that has everything know that the connection is alive.
  func addComment() {
    if text.isEmpty, place == nil || place == log.end { text.own = encoded(Publisher.comment) }
  }

  /// Adds the end of gzip and of the chunks, once, for a client that has everything.
  /// - Returns: whether there is something to send.
  func finish() -> Bool {
    guard !isFinished else { return false }
    isFinished = true
    if log.isGzip {
      countLog()
      let count = UInt32(truncatingIfNeeded: checksum.count)
      text.own = framed([0x03, 0x00] + Self.littleEndian(checksum.crc) + Self.littleEndian(count))
    }
    if isChunked { text.own += Chunk.last }
    return !text.isEmpty
  }

  private var isChunked: Bool { text.isChunked }

  private func framed(_ text: [UInt8]) -> [UInt8] { isChunked ? Chunk(text).bytes : text }

  /// Text for this client alone, in its encoding (RFC 1951 §3.2.4). A client that has begun must have the whole log.
  private func encoded(_ text: [UInt8]) -> [UInt8] {
    if text.isEmpty { return [] }
    guard log.isGzip else { return framed(text) }
    countLog()
    checksum.add(text)
    // It is short: one block has room for 64 KiB.
    let length = UInt16(text.count)
    return framed([0] + Self.littleEndian(length) + Self.littleEndian(~length) + text)
  }

  /// Counts what the client has got of the log.
  private func countLog() {
    guard place != nil else { return }
    checksum.add(log.checksum.removing(counted))
    counted = log.checksum
  }

  private static func littleEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Writes as much as the system takes.
  /// - Parameter sent: grows by the number of bytes written.
  /// - Returns: whether everything was written.
  func write(to socket: Descriptor, counting sent: inout Int) throws(SystemError) -> Bool {
    guard try text.write(to: socket, counting: &sent) else { return false }
    while let from = place, from < log.end {
      let (bytes, offset) = isChunked ? log.bytes.piece(at: from) : (log.data(from: from), 0)
      guard let count = try socket.writeAvailable(bytes, offset..<bytes.count) else { return false }
      place = isChunked ? from + count : log.place(after: count, from: from)
      sent += count
    }
    return true
  }

  /// How many bytes of new events wait for the client. Those from before it came do not count.
  var backlog: Int { place.map { log.end - max($0, begunAt) } ?? 0 }

  /// Whether more bytes wait than --client-buffer allows. The rest of the event being sent does not count: so an event
  /// larger than the buffer can be sent too.
  func isTooFarBehind(_ most: Int) -> Bool {
    guard let place, backlog > most else { return false }
    // A document. All other text is short.
    if text.shared != nil { return true }
    return log.end - log.pieceEnd(after: max(place, begunAt)) > most
  }
}
