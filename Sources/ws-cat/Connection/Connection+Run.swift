// An open connection: one loop around poll(2). Received data is processed before any wait, and output is written before
// it. Input is read only while there is room for it.

import FeedCore
import FeedHTTP

extension Connection {
  /// While the server sends without pause, everything else is polled at this interval, in seconds.
  private static let pollInterval = 0.02

  /// Runs until the connection ends or should end, and closes it.
  mutating func run(_ pump: inout MessagePump, _ source: inout MessageSource) throws(ToolFailure) -> ConnectionEnding {
    pump.restart()
    timers.open(Clock.monotonic())
    defer {
      source.putBack(session.outbox.unsent(socket.unsent))
      socket.close()
    }
    do throws(ToolFailure) {
      let ending = try exchange(&pump, &source)
      switch ending {
      case .lost where !session.hasReceivedClose: break
      // After a signal, the user may still want the messages that arrive.
      case .interrupted(.signal): finishClosing(&pump, prints: true)
      default: finishClosing(&pump, prints: false)
      }
      return ending
    } catch {
      finishClosing(&pump, prints: false)
      // The message may quote what the server has repeated of our request.
      throw error.saying { $0.hidingSecrets(of: opening.request, and: []) }
    }
  }

  private mutating func exchange(
    _ pump: inout MessagePump, _ source: inout MessageSource
  ) throws(ToolFailure) -> ConnectionEnding {
    var nextPoll = 0.0
    var failure: HTTPError?
    while true {
      if let ending = try takeChunk(&pump) { return ending }
      if pump.maySend { sendFirst() }
      let isWaiting = try fillOutbox(&source)
      let received: HTTPConnection.Received
      do throws(HTTPError) {
        // A peer that has stopped reading may still have sent us data: that is read first.
        if failure == nil { do { try flush() } catch { failure = error } }
        received = try socket.receive(into: &chunk)
        if let failure, received != .bytes { throw failure }
      } catch {
        return try broken(error)
      }
      used = 0
      let now = Clock.monotonic()
      // There is room again for what waits, so nothing has to happen before it is sent.
      let goesOn = isWaiting && !session.isFull
      switch received {
      case .end: return try ended()
      case .bytes:
        lastActivity = now
        timers.live()
      case .nothing: if !goesOn { try pump.flush() }
      }
      let isBusy = received == .bytes || goesOn
      if isBusy, now < nextPoll { continue }
      if let ending = try runTimers(now) { return ending }
      nextPoll = now + Self.pollInterval
      let interruption = try poll(until: isBusy ? now : nextMoment, &source)
      if let interruption { return .interrupted(interruption) }
    }
  }

  // MARK: The server's messages

  private mutating func takeChunk(_ pump: inout MessagePump) throws(ToolFailure) -> ConnectionEnding? {
    let isLeaving = session.hasSentClose
    while let event = try nextEvent(pump.count + 1) {
      switch event {
      case .message:
        if try pump.take(session.message, isText: session.isText) == .finished { return .finished }
      case .closed(let code): return try closing(code, isLeaving: isLeaving)
      }
    }
    return nil
  }

  private mutating func nextEvent(_ number: Int) throws(ToolFailure) -> Session.Event? {
    let bytes = chunk
    do { return try session.next(bytes.span, from: &used) } catch {
      throw .failed(
        .otherEnd, "\(error.message) (closed with \(error.code))", source: options.url.display,
        record: "message \(number)")
    }
  }

  /// The meaning of the server's close frame (RFC 6455 §7.4.1).
  /// - Parameter isLeaving: whether our close frame came first.
  private func closing(_ code: Int?, isLeaving: Bool) throws(ToolFailure) -> ConnectionEnding {
    let hasSentAll = isLeaving && session.outbox.unsent(socket.unsent).isEmpty
    // An answer repeats our code; any other code is a message of the server's own.
    guard let code, code != CloseCode.normal, code != CloseCode.goingAway, !(hasSentAll && code == options.closeCode)
    else { return hasSentAll ? .finished : .closed }
    let reason = HTTPExcerpt.hidden(session.reason, for: opening.request)
    let message = "closed by the server with \(code)" + (reason.isEmpty ? "" : ": " + quoted(reason))
    // All messages were sent, so there is no reason to connect again.
    if hasSentAll { throw .failed(.otherEnd, message, source: options.url.display) }
    return .lost(HTTPError(.transient, message))
  }

  // MARK: Our messages

  /// Sends the first messages: when the connection is open, or when the awaited message has come.
  private mutating func sendFirst() {
    guard !isReady else { return }
    isReady = true
    for text in options.sent { session.send(OutgoingMessage(bytes: text), isKept: false) }
    timers.ready(Clock.monotonic())
  }

  /// - Returns: whether more waits to be sent, for which there is no room.
  private mutating func fillOutbox(_ source: inout MessageSource) throws(ToolFailure) -> Bool {
    session.sendPendingPong()
    guard isReady, !session.hasSentClose else { return session.hasPendingPong }
    while !session.isFull {
      guard let message = try source.next() else {
        if source.isAtEnd, options.halfCloses { close() }
        return session.hasPendingPong
      }
      session.send(message, isKept: message.sending != .again)
    }
    return true
  }

  /// Sends as much as there is room for.
  mutating func flush() throws(HTTPError) {
    let before = socket.unsent
    let bytes = session.outbox.bytes
    let taken = try socket.send(bytes.span.extracting(session.outbox.pending))
    session.outbox.take(taken, unsent: socket.unsent)
    if taken > 0 || socket.unsent != before { lastSending = Clock.monotonic() }
  }

  private var isSending: Bool { !session.outbox.isEmpty || socket.unsent > 0 }

  // MARK: Ends

  private func broken(_ error: HTTPError) throws(ToolFailure) -> ConnectionEnding {
    guard session.hasSentClose, !isSending else { return .lost(error) }
    throw .failed(.otherEnd, error.message, source: options.url.display)
  }

  private func ended() throws(ToolFailure) -> ConnectionEnding {
    // A peer that knows that we will send no more may end without a close frame.
    if session.hasSentClose, !isSending { return .finished }
    return .lost(HTTPError(.transient, "connection closed without a close frame"))
  }

  // MARK: Time

  private var nextMoment: Double? {
    [timers.next(lastActivity), deadline, closeDeadline].compactMap(\.self).min()
  }

  /// After a half close: when the server has been silent for too long.
  private var closeDeadline: Double? {
    session.hasSentClose ? max(lastActivity, lastSending) + Self.closeTimeout : nil
  }

  private mutating func runTimers(_ now: Double) throws(ToolFailure) -> ConnectionEnding? {
    if let deadline, now >= deadline { return .outOfTime }
    if let end = closeDeadline, now >= end {
      let text = "no answer to the close frame for \(secondsText(Self.closeTimeout)) s"
      throw .failed(.later, text, source: options.url.display)
    }
    while let event = timers.due(now, lastActivity) {
      switch event {
      case .ping: session.ping()
      case .text(let place):
        // If there is no room, a repeated text is left out, not queued.
        if !session.isFull { session.send(OutgoingMessage(bytes: options.repeated[place].text), isKept: false) }
      case .lost(let error): return .lost(error)
      }
    }
    return nil
  }

  /// Waits for the server, and for input if there is room for it. Reads available input.
  private mutating func poll(
    until moment: Double?, _ source: inout MessageSource
  ) throws(ToolFailure) -> Interruption? {
    let listens = isReady && !session.hasSentClose && !source.isAtEnd && !session.isFull
    let waited: (hasInput: Bool, interruption: Interruption?)
    do { waited = try wait(until: moment, isSending: isSending, orInputOf: listens ? source.descriptor : nil) } catch {
      throw error.failure(options.url.display)
    }
    if waited.hasInput { try source.read() }
    return waited.interruption
  }
}
