// One client: its socket, and what it is doing. A connection waits for a request, sends an answer, and waits for the next
// one; or it is sent the event stream, which only ends with the connection, and for which it may have to wait first.
//
// The data of a state is in the state: a stream has no request, and a connection that is closing has nothing to send.

import FeedCore

final class Connection {
  enum State {
    /// A request is awaited, or has come in part. Indirect, so that a client that streams does not pay for the reader.
    indirect case asking(RequestReader)
    case answering(Answer)
    /// An event that the client has seen is awaited, after which the stream goes on. Meanwhile it is sent the head.
    indirect case waiting(Outgoing)
    case streaming(Stream)
    /// All is sent. Bytes of the client are thrown away until it closes too, or until this time: to close with bytes
    /// unread would reset the connection, and the answer might be lost with it.
    case closing(deadline: Double)
  }

  let socket: Descriptor
  /// Where the server has it, and which of those that were there.
  let token: UInt64
  /// For messages.
  let name: String
  var state: State
  /// What the poller watches.
  var interest = PollEvents.input

  init(_ socket: Descriptor, token: UInt64, name: String, deadline: Double) {
    self.socket = socket
    self.token = token
    self.name = name
    state = .asking(RequestReader(deadline: deadline))
  }

  /// Whether there was no room for all that is to be sent.
  var isBlocked: Bool { interest.contains(.output) }

  /// When the state times out; nil for a stream, and where the time is that of a list.
  var deadline: Double? {
    switch state {
    case .asking(let reader): reader.deadline
    case .answering(let answer): answer.deadline
    case .waiting, .streaming: nil
    case .closing(let deadline): deadline
    }
  }

  var stream: Stream? {
    get { if case .streaming(let stream) = state { stream } else { nil } }
    set { if let newValue { state = .streaming(newValue) } }
  }

  /// The shared text that it keeps in memory.
  var heldText: Publisher.Text? {
    switch state {
    case .answering(let answer): answer.text.shared
    case .streaming(let stream): stream.beginning.shared
    case .asking, .waiting, .closing: nil
    }
  }

  /// Throws away the bytes that have come: to close with bytes unread would reset the connection.
  func drain() {
    var nothing: [UInt8] = []
    while let count = try? socket.readAvailable(upTo: 1 << 16, into: &nothing), count > 0 {
      nothing.removeAll(keepingCapacity: true)
    }
  }
}

extension Connection {
  /// The bytes of a client, up to its next request.
  struct RequestReader {
    let deadline: Double
    /// What has come and is not parsed.
    var unread: [UInt8] = []
    private var parser = RequestParser()

    init(deadline: Double, unread: [UInt8] = []) {
      self.deadline = deadline
      self.unread = unread
    }

    /// Whether nothing of a request has come.
    var isIdle: Bool { parser.isFresh && unread.isEmpty }
    /// Whether the request that is coming, as far as it has come, asks for no body.
    var asksForHead: Bool { parser.asksForHead }

    /// The request, if it has come; `unread` is then what came after it.
    mutating func next() throws(RequestParser.Refusal) -> ClientRequest? {
      let bytes = unread
      var index = 0
      defer { unread = Array(bytes[index...]) }
      return try parser.next(bytes.span, from: &index)
    }
  }

  struct Answer {
    var text: Outgoing
    var deadline: Double
    /// What came after the request, where another one may follow on the connection.
    let unread: [UInt8]?
  }

  struct Stream {
    /// What the client is sent before it goes on in the log.
    var beginning: Outgoing
    /// Up to where in the log it has been sent.
    var place: Int
    /// The end of the log when the stream began: what was there before is no backlog.
    let begunAt: Int
    /// Where in the list of streams it is.
    var index: Int

    /// Writes as much as the system takes.
    /// - Returns: whether that is all there is.
    mutating func write(_ log: borrowing ByteLog, to socket: Descriptor) throws(SystemError) -> Bool {
      guard try beginning.write(to: socket) else { return false }
      while place < log.end {
        let (bytes, offset) = log.piece(at: place)
        guard let count = try socket.writeAvailable(bytes, from: offset) else { return false }
        place += count
      }
      return true
    }
  }

  /// Text to be sent: the client's own, then one that several connections share.
  struct Outgoing {
    private var own: [UInt8]
    private(set) var shared: Publisher.Text?
    private var offset = 0

    init(_ own: [UInt8], _ shared: Publisher.Text?) {
      self.own = own
      self.shared = shared
    }

    var isEmpty: Bool { own.isEmpty && shared == nil }
    /// The rest of its own text.
    var unsent: [UInt8] { own.isEmpty ? [] : Array(own[offset...]) }

    /// Writes as much as the system takes.
    /// - Returns: whether that is all.
    mutating func write(to socket: Descriptor) throws(SystemError) -> Bool {
      while !isEmpty {
        let bytes = own.isEmpty ? shared?.bytes ?? [] : own
        guard let count = try socket.writeAvailable(bytes, from: offset) else { return false }
        offset += count
        guard offset == bytes.count else { continue }
        if own.isEmpty { shared = nil } else { own = [] }
        offset = 0
      }
      return true
    }
  }
}
