import FeedCore
import FeedHTTP

/// One connection, from its first packet until frames may come: libcurl's part, the request, the response.
struct WebSocketConnection {
  /// What came of the opening.
  enum OpeningOutcome {
    case open
    /// The server asks to connect elsewhere. This connection is of no more use.
    case redirected(HTTPRequest)
    case ended(ConnectionEnding)
  }

  let options: Options
  let streams: StandardStreams
  let interrupts: Interrupts
  /// By the monotonic clock, like all times here.
  let deadline: Double?
  let socket: HTTPConnection
  var session: Session
  /// The bytes received last, and how many of them have been used.
  var chunk: [UInt8] = []
  var used = 0
  var lastActivity = Clock.monotonic()
  /// With `--close-after`: whether the outbox has all of the input, and all of the input has ended.
  var hasSentInput = false
  /// With `--close-after`: when all input had been sent, or the last message after that came.
  var quietSince: Double?
  var timers: Timers
  /// Whether all of the talk has been sent, so that other messages may follow.
  var isReady = false
  /// What the server chose of our offers.
  private(set) var choice: OpeningResponse.ChosenOffers = (nil, nil)

  private let client: HTTPClient
  /// The request without what belongs to one hop: cookies of servers, a name of ~/.netrc, headers of the handshake.
  private let request: HTTPRequest
  let opening: OpeningRequest
  /// The part of the request that has not been sent, and the head of the response.
  private var unsentHead: [UInt8]
  private(set) var response = OpeningResponse()

  init(
    _ request: HTTPRequest, _ options: Options, of client: HTTPClient, _ follower: Follower, _ streams: StandardStreams
  ) throws(HTTPError) {
    self.options = options
    self.client = client
    self.streams = streams
    deadline = follower.deadline
    interrupts = follower.interrupts
    self.request = request
    var request = request
    request.credentials.cookies = client.cookies(for: request.url) + request.credentials.cookies
    opening = OpeningRequest(
      request, subprotocols: options.subprotocols, compression: options.compression)
    unsentHead = opening.request.head()
    session = try Self.session(options, nil)
    timers = Timers(options)
    socket = try client.connect(opening.request)
  }

  private static func session(
    _ options: Options, _ compression: PerMessageDeflate?
  ) throws(HTTPError) -> Session {
    do { return try Session(maxMessage: options.maxSize, compression: compression) } catch {
      throw HTTPError(.local, error.message)
    }
  }

  // MARK: Opening

  /// The URL of the server, after redirects.
  var url: WebSocketURL { WebSocketURL(request.url) }

  /// Runs until the connection is open or has failed, or the server has redirected it.
  /// - Parameters:
  ///   - timeLimit: when to give up, by the monotonic clock.
  ///   - moment: when to return in any case.
  /// - Returns: nil if there was no response until `moment`. Call it again.
  mutating func open(until timeLimit: Double, orLateAt moment: Double?) -> OpeningOutcome? {
    do throws(HTTPError) {
      while true {
        let interruption: Interruption?
        if try socket.open() {
          if let outcome = try handshake() { return outcome }
          let isSending = !unsentHead.isEmpty || socket.unsent > 0
          interruption = try wait(until: nextLimit(timeLimit, moment), isSending: isSending).interruption
        } else {
          // libcurl knows what to wait for.
          switch try client.wait(until: nextLimit(timeLimit, moment), interrupts) {
          case .activity: continue
          case .timeUp: interruption = nil
          case .interrupted(let found): interruption = found
          }
        }
        if let interruption { return .ended(.interrupted(interruption)) }
        if let ending = try outOfTime(timeLimit) { return .ended(ending) }
        if let moment, Clock.monotonic() >= moment { return nil }
      }
    } catch {
      return .ended(.failed(error))
    }
  }

  /// Sends the request, and reads what has come of the response.
  /// - Returns: nil if its head is not complete.
  private mutating func handshake() throws(HTTPError) -> OpeningOutcome? {
    while true {
      unsentHead.removeFirst(try socket.send(unsentHead.span))
      switch try socket.receive(into: &chunk) {
      case .nothing: return nil
      case .end: throw HTTPError(.transient, "connection closed before the end of the handshake")
      case .bytes:
        lastActivity = Clock.monotonic()
        used = 0
        let bytes = chunk
        guard try response.take(bytes.span, from: &used) else { continue }
        client.keepCookies(of: response.head, from: request.url)
        try request.headerDump?.write(response.head)
        guard let chosen = try response.choice(opening) else {
          if let next = try redirection(response.head) { return .redirected(next) }
          return .ended(refusal(response))
        }
        choice = chosen
        session = try Self.session(options, chosen.compression)
        return .open
      }
    }
  }

  /// When the wait for the response ends in any case.
  private func nextLimit(_ timeLimit: Double, _ moment: Double?) -> Double {
    let idle = options.connection.idleTimeout.map { lastActivity + $0 }
    return [deadline, idle, moment].compactMap(\.self).reduce(timeLimit, min)
  }

  /// - Returns: nil if there is still time.
  private func outOfTime(_ timeLimit: Double) throws(HTTPError) -> ConnectionEnding? {
    let now = Clock.monotonic()
    if let deadline, now >= deadline { return .outOfTime() }
    if now >= timeLimit {
      let seconds = secondsText(opening.request.route.connectTimeout)
      throw HTTPError(.timedOut, "no response for \(seconds) s (--connect-timeout)")
    }
    if let idle = options.connection.idleTimeout, now >= lastActivity + idle { throw .idle(idle, isOpen: false) }
    return nil
  }

  /// The request for the target of a redirect, if redirects are followed.
  private func redirection(_ head: HTTPHead) throws(HTTPError) -> HTTPRequest? {
    guard options.followsRedirects else { return nil }
    var next = try request.following(head, resolve: WebSocketURL.resolved)
    // Also those that belong to this hop alone.
    next?.hideSecrets(of: opening.request)
    return next
  }

  /// The ending if the server does not switch to WebSocket: its status, and the first line of the body.
  private mutating func refusal(_ response: OpeningResponse) -> ConnectionEnding {
    let timeLimit = min(Clock.monotonic() + Refusal.timeout, deadline ?? .infinity)
    let hasBody = response.head.hasBody(to: request)
    var body = hasBody ? Array(chunk[used...]) : []
    // After an error, the part of the body that has come will do.
    while hasBody, !response.isEnough(body), Clock.monotonic() < timeLimit {
      guard let received = try? socket.receive(into: &chunk), received != .end else { break }
      body += chunk
      if received == .bytes { continue }
      guard let waited = try? wait(until: timeLimit) else { break }
      if let interruption = waited.interruption { return .interrupted(interruption) }
    }
    let problem = HTTPExcerpt.hidden(Array(response.problem(request.url).utf8), for: opening.request)
    return .refused(
      Refusal(
        response.head, String(decoding: problem, as: UTF8.self), body: response.text(body), to: opening.request))
  }

  // MARK: Waiting

  /// Waits until something is ready, or until a time.
  /// - Parameters:
  ///   - moment: nil for no limit; a time in the past does not wait.
  ///   - input: another descriptor to wait for.
  /// - Returns: whether `input` has data, and what interrupted the wait.
  func wait(
    until moment: Double?, isSending: Bool = false, orInputOf input: Descriptor? = nil
  ) throws(HTTPError) -> (hasInput: Bool, interruption: Interruption?) {
    var interests: [Descriptor.Interest] = [.init(socket.descriptor, .input)]
    if isSending { interests.append(.init(socket.descriptor, .output)) }
    if let input { interests.append(.init(input, .input)) }
    do {
      let (ready, interruption) = try interrupts.wait(for: interests, until: moment)
      return (input != nil && ready[interests.count - 1], interruption)
    } catch {
      throw .cannotWait(error)
    }
  }
}
