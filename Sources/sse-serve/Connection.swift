// One client: its socket, what it is being sent, and how far it has got. It knows nothing of what is served; the server
// gives it bytes, and it writes as many as the system takes.

import FeedCore

final class Connection {
  enum State {
    /// A request is awaited, or has come in part.
    case asking
    /// An answer is on its way.
    case answering
    /// The event stream, which only ends with the connection.
    case streaming
    /// All is said; what the client still sends is thrown away until it closes too. To close with bytes unread would
    /// reset the connection, and the answer might be lost with it.
    case leaving
  }

  /// What has come of writing.
  enum Progress {
    case done, blocked
    case lost(SystemError)
  }

  let socket: Descriptor
  /// Where the server has it, and which of those that were there.
  let token: UInt64
  /// For messages.
  let name: String
  var state = State.asking
  /// When to give up on what is awaited; of no meaning for a stream.
  var deadline: Double
  /// Where in the list of streams it is.
  var streamIndex = 0
  /// Up to where in the log it has been sent.
  private(set) var place = 0
  /// Up to where the log had come when the stream began: what was there then is no backlog.
  private(set) var begunAt = 0
  /// Whether there was no room for all that is there to be sent.
  private(set) var isBlocked = false
  /// What the poller watches.
  var interest = PollEvents.input

  private var parser = RequestParser()
  /// What has come behind the last request.
  private var unread: [UInt8] = []
  private var ownText: [UInt8] = []
  private var sharedText: Publisher.Text?
  private var offset = 0
  private var closesAfterAnswer = false

  init(_ socket: Descriptor, token: UInt64, name: String, deadline: Double) {
    self.socket = socket
    self.token = token
    self.name = name
    self.deadline = deadline
  }

  // MARK: Reading

  /// Whether nothing of a request has come.
  var isIdle: Bool { parser.isFresh && unread.isEmpty }

  /// Takes bytes in.
  func receive(_ bytes: [UInt8]) { unread += bytes }

  /// The next request, if it has come.
  func nextRequest() throws(RequestParser.Refusal) -> ClientRequest? {
    guard !unread.isEmpty else { return nil }
    var index = 0
    let bytes = unread
    let request = try parser.next(bytes.span, from: &index)
    unread = index == bytes.count ? [] : Array(bytes[index...])
    if request != nil { parser = RequestParser() }
    return request
  }

  /// Whether the request that is coming, as far as it has come, asks for no body.
  var asksForHead: Bool { parser.asksForHead }

  /// Throws away what has come unasked: to close with bytes unread would reset the connection.
  func drain() {
    var nothing: [UInt8] = []
    while let count = try? socket.readAvailable(upTo: 1 << 16, into: &nothing), count > 0 {
      nothing.removeAll(keepingCapacity: true)
    }
  }

  // MARK: Writing

  /// Begins an answer.
  /// - Parameters:
  ///   - text: its head, and its body where that is not shared.
  ///   - shared: what comes behind it.
  func answer(_ text: [UInt8], _ shared: Publisher.Text?, closes: Bool) {
    state = .answering
    ownText = text
    sharedText = shared
    offset = 0
    closesAfterAnswer = closes
  }

  /// Begins a stream, which goes on in the log at `place` behind these.
  /// - Parameter end: of the log.
  func stream(_ text: [UInt8], _ shared: Publisher.Text?, from place: Int, of end: Int) {
    begunAt = end
    answer(text, shared, closes: true)
    state = .streaming
    self.place = place
    unread = []
  }

  /// Whether the stream is still to be sent what comes before its place in the log.
  var isBeginning: Bool { !ownText.isEmpty || sharedText != nil }

  /// The text that it holds on to.
  var heldText: Publisher.Text? { sharedText }

  /// Whether the connection is to be left after the answer.
  var isLast: Bool { closesAfterAnswer }

  /// Writes what there is to be sent, as far as there is room.
  func push(_ log: borrowing ByteLog) -> Progress {
    isBlocked = false
    do throws(SystemError) {
      while !ownText.isEmpty {
        guard let count = try socket.writeAvailable(ownText, from: offset) else { return block() }
        offset += count
        if offset == ownText.count { (ownText, offset) = ([], 0) }
      }
      while let text = sharedText {
        if offset == text.bytes.count {
          (sharedText, offset) = (nil, 0)
          break
        }
        guard let count = try socket.writeAvailable(text.bytes, from: offset) else { return block() }
        offset += count
      }
      guard state == .streaming else { return .done }
      while place < log.end {
        let (bytes, offset) = log.piece(at: place)
        guard let count = try socket.writeAvailable(bytes, from: offset) else { return block() }
        place += count
      }
      return .done
    } catch {
      return .lost(error)
    }
  }

  private func block() -> Progress {
    isBlocked = true
    return .blocked
  }
}
