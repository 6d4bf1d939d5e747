// One connection, from its first packet to the moment when frames may come: libcurl's part, the request, the answer.

import FeedCore
import FeedHTTP

struct Connection {
  /// Why the tool has to end, whatever the connection is at.
  enum Summons: Equatable {
    case signal(Int32)
    /// Nobody reads standard output any more.
    case hangUp
  }

  /// How long the body of a refusal is waited for; it is only read for its first line.
  private static let patience = 5.0

  let options: Options
  let streams: StandardStreams
  /// Numbers of signals, as bytes.
  let signals: Descriptor
  /// Of the monotonic clock, as all moments here.
  let deadline: Double?
  let socket: HTTPConnection
  var session: Session
  /// What was received last, and how far it has been used.
  var chunk: [UInt8] = []
  var used = 0
  var lastActivity = Clock.monotonic()
  /// When bytes went out last.
  var lastSending = Clock.monotonic()
  var timers: Timers
  /// Messages of our own may be sent.
  var isReady = false
  var summons: Summons?
  /// What the server chose to speak, of what was offered.
  private(set) var subprotocol: [UInt8]?

  private let client: HTTPClient
  let opening: OpeningRequest

  init(
    _ options: Options, of client: HTTPClient, deadline: Double?, signals: Descriptor, _ streams: StandardStreams
  ) throws(HTTPError) {
    self.options = options
    self.client = client
    self.deadline = deadline
    self.signals = signals
    self.streams = streams
    opening = OpeningRequest(
      options.http.request(options.url.http), subprotocols: options.subprotocols, origin: options.origin)
    session = Session(maxMessage: options.maxMessage)
    timers = Timers(options)
    socket = try client.connect(opening.request)
  }

  // MARK: Opening

  /// Runs until the connection is open, or will not be.
  /// - Returns: nil when it is open.
  mutating func open() -> ConnectionEnding? {
    let timeout = opening.request.route.connectTimeout
    let patience = Clock.monotonic() + timeout
    do throws(HTTPError) {
      while try !socket.open() {
        if let ending = try waitForConnection(until: patience, timeout) { return ending }
      }
      return try shakeHands(until: patience, timeout)
    } catch {
      return .failed(error)
    }
  }

  /// libcurl knows what it waits for.
  private mutating func waitForConnection(
    until patience: Double, _ timeout: Double
  ) throws(HTTPError) -> ConnectionEnding? {
    let first = min(patience, deadline ?? patience)
    switch try client.wait(until: first, orHangUpOf: streams.output, orInputOf: signals) {
    case .activity: return nil
    case .timeUp: return try outOfTime(patience, timeout)
    case .hangUp: summons = .hangUp
    case .input: try takeSignal()
    }
    return .finished
  }

  private mutating func shakeHands(
    until patience: Double, _ timeout: Double
  ) throws(HTTPError) -> ConnectionEnding? {
    var answer = OpeningAnswer()
    var unsent = opening.request.head()
    while true {
      unsent.removeFirst(try socket.send(unsent.span))
      switch try socket.receive(into: &chunk) {
      case .end: throw HTTPError(.transient, "connection closed before the end of the handshake")
      case .bytes:
        used = 0
        let bytes = chunk
        guard try answer.take(bytes.span, from: &used) else { continue }
        switch try answer.verdict(opening) {
        case .refused: return try refusal(answer)
        case .open(let chosen):
          subprotocol = chosen
          lastActivity = Clock.monotonic()
          return nil
        }
      case .nothing:
        let isSending = !unsent.isEmpty || socket.unsent > 0
        try look(until: min(patience, deadline ?? patience), isSending: isSending)
        if summons != nil { return .finished }
        if let ending = try outOfTime(patience, timeout) { return ending }
      }
    }
  }

  /// - Returns: an ending when the time is up, else nil.
  private func outOfTime(_ patience: Double, _ timeout: Double) throws(HTTPError) -> ConnectionEnding? {
    let now = Clock.monotonic()
    if let deadline, now >= deadline { return .outOfTime }
    if now >= patience { throw HTTPError(.timedOut, "no answer for \(secondsText(timeout)) s") }
    return nil
  }

  /// The server does not switch: what it says instead, with the first line of the body.
  private mutating func refusal(_ answer: OpeningAnswer) throws(HTTPError) -> ConnectionEnding {
    let patience = min(Clock.monotonic() + Self.patience, deadline ?? .infinity)
    var body = Array(chunk[used...])
    // Whatever goes wrong here, what there is will do.
    while !answer.isEnough(body), Clock.monotonic() < patience, summons == nil {
      guard let received = try? socket.receive(into: &chunk) else { break }
      if received == .end { break }
      if received == .bytes { body += chunk } else { try look(until: patience) }
    }
    if summons != nil { return .finished }
    let line = HTTPExcerpt.firstLine(of: answer.text(body), for: opening.request)
    let problem = HTTPExcerpt.hidden(Array(answer.problem(options.url.http).utf8), for: opening.request)
    return .refused(HTTPRefusal(answer.head, String(decoding: problem, as: UTF8.self), firstLine: line))
  }

  // MARK: Waiting

  /// Waits until something can go on, or a moment comes.
  /// - Parameters:
  ///   - moment: nil for ever; in the past just to look.
  ///   - input: more to wait for.
  /// - Returns: whether `input` has something.
  @discardableResult
  mutating func look(
    until moment: Double?, isSending: Bool = false, orInputOf input: Descriptor? = nil
  ) throws(HTTPError) -> Bool {
    var interests: [Descriptor.Interest] = [
      .init(signals, .input), .init(streams.output, .hangUp), .init(socket.descriptor, .input),
    ]
    if isSending { interests.append(.init(socket.descriptor, .output)) }
    if let input { interests.append(.init(input, .input)) }
    let left = max(0, min(moment.map { $0 - Clock.monotonic() } ?? 3600, 3600))
    let there: [Bool]
    do { there = try Descriptor.wait(for: interests, milliseconds: Int32((left * 1000).rounded(.up))) } catch {
      throw .cannotWait(error)
    }
    if there[0] { try takeSignal() }
    // Whoever has a signal to obey does not look after its reader any more.
    if there[1], summons == nil { summons = .hangUp }
    return input != nil && there[interests.count - 1]
  }

  private mutating func takeSignal() throws(HTTPError) {
    var bytes: [UInt8] = []
    do {
      if try signals.read(upTo: 1, into: &bytes) == 1 { summons = .signal(Int32(bytes[0])) }
    } catch {
      // Not to be told of it again and again.
      throw HTTPError(.local, "cannot take a signal: " + error.message)
    }
  }
}

extension HTTPError {
  static func cannotWait(_ error: SystemError) -> HTTPError { HTTPError(.local, "cannot wait: " + error.message) }
}
