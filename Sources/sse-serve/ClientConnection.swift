import FeedCore

/// One client: its socket and its state. A connection waits for a request, sends a response, and waits for the next
/// request. Or it gets the event stream, perhaps after a wait; the stream ends only with the connection.
///
/// The data of a state is in its case: a stream has no request, and a closing connection has nothing to send.
final class ClientConnection {
  enum State {
    /// Waiting for a request, which may have come in part. Indirect, so that streaming clients do not pay for the
    /// reader.
    indirect case asking(RequestReader)
    case responding(PendingResponse)
    /// Waiting for an event that the client has seen, after which the stream continues. Meanwhile the head is sent.
    indirect case waiting(Outgoing)
    case streaming(Stream)
    /// Everything is sent. Bytes of the client are discarded until it closes too, or until this time. To close with
    /// unread bytes would reset the connection, and the client might lose the response.
    case closing(deadline: Double)
  }

  let socket: Descriptor
  /// Its place in the table, and a number that tells it from earlier connections there.
  let token: UInt64
  /// For messages.
  let name: String
  var state: State
  /// The stream that it gets or waits for.
  var served: ServedStream?
  /// What it has got, if it gets the stream compressed.
  var gzip: GzipMember?
  /// What the poller watches.
  var interest = PollEvents.input

  init(_ socket: Descriptor, token: UInt64, name: String, deadline: Double) {
    self.socket = socket
    self.token = token
    self.name = name
    state = .asking(RequestReader(deadline: deadline))
  }

  /// Whether there was no room for all output.
  var isBlocked: Bool { interest.contains(.output) }

  /// When the state times out; nil for a stream, and for states whose times are in a list.
  var deadline: Double? {
    switch state {
    case .asking(let reader): reader.deadline
    case .responding(let response): response.deadline
    case .waiting, .streaming: nil
    case .closing(let deadline): deadline
    }
  }

  var stream: Stream? {
    get { if case .streaming(let stream) = state { stream } else { nil } }
    set { if let newValue { state = .streaming(newValue) } }
  }

  /// The shared text that this connection keeps in memory.
  var heldText: SharedText? {
    switch state {
    case .responding(let response): response.text.shared
    case .streaming(let stream): stream.beginning.shared
    case .asking, .waiting, .closing: nil
    }
  }

  /// Text of its own, in the form in which it gets its stream.
  /// - Parameter mark: the place in the compressed log up to which it has got the stream; nil before it begins.
  func encoded(_ text: [UInt8], after mark: GzipLog.Mark? = nil) -> [UInt8] { gzip?.stored(text, after: mark) ?? text }

  /// Discards the bytes that have come: to close with unread bytes would reset the connection.
  func drain() {
    var nothing: [UInt8] = []
    while let count = try? socket.readAvailable(upTo: 1 << 16, into: &nothing), count > 0 {
      nothing.removeAll(keepingCapacity: true)
    }
  }
}

extension ClientConnection {
  /// The bytes of a client up to the end of its next request.
  struct RequestReader {
    let deadline: Double
    /// Bytes that are not parsed yet.
    var unread: [UInt8] = []
    private var parser = RequestParser()

    init(deadline: Double, unread: [UInt8] = []) {
      self.deadline = deadline
      self.unread = unread
    }

    /// Whether no part of a request has come.
    var isIdle: Bool { parser.isFresh && unread.isEmpty }
    /// Whether the part of the request that has come asks for no body.
    var asksForHead: Bool { parser.asksForHead }

    /// The request, if it is complete; `unread` then holds the bytes after it.
    mutating func next() throws(RequestParser.RequestProblem) -> ClientRequest? {
      let bytes = unread
      var index = 0
      defer { unread = Array(bytes[index...]) }
      return try parser.next(bytes.span, from: &index)
    }
  }

  struct PendingResponse {
    var text: Outgoing
    var deadline: Double
    /// The bytes after the request, if another one may follow on the connection.
    let unread: [UInt8]?
  }

  struct Stream {
    /// What the client gets before it continues in the log.
    var beginning: Outgoing
    /// The place in the log up to which it was sent.
    var place: Int
    /// The end of the log when the stream began: earlier bytes do not count as backlog.
    let begunAt: Int
    /// Its index in the list of streams.
    var index: Int

    /// Writes as much as the system takes.
    /// - Parameter sent: grows by the number of bytes written.
    /// - Returns: whether everything was written.
    mutating func write(
      _ log: borrowing ByteLog, to socket: Descriptor, counting sent: inout Int
    ) throws(SystemError) -> Bool {
      guard try beginning.write(to: socket, counting: &sent) else { return false }
      while place < log.end {
        let (bytes, offset) = log.piece(at: place)
        guard let count = try socket.writeAvailable(bytes, from: offset) else { return false }
        place += count
        sent += count
      }
      return true
    }
  }

  /// Text to send: the client's own, then one that several connections share.
  struct Outgoing {
    private var own: [UInt8]
    private(set) var shared: SharedText?
    private var offset = 0

    init(_ own: [UInt8], _ shared: SharedText?) {
      self.own = own
      self.shared = shared
    }

    var isEmpty: Bool { own.isEmpty && shared == nil }
    /// The unsent part of its own text.
    var unsent: [UInt8] { own.isEmpty ? [] : Array(own[offset...]) }

    /// Writes as much as the system takes.
    /// - Parameter sent: grows by the number of bytes written.
    /// - Returns: whether everything was written.
    mutating func write(to socket: Descriptor, counting sent: inout Int) throws(SystemError) -> Bool {
      while !isEmpty {
        let bytes = own.isEmpty ? shared?.bytes ?? [] : own
        guard let count = try socket.writeAvailable(bytes, from: offset) else { return false }
        offset += count
        sent += count
        guard offset == bytes.count else { continue }
        if own.isEmpty { shared = nil } else { own = [] }
        offset = 0
      }
      return true
    }
  }
}
