// An open connection: one loop around poll(2). Received data is processed before any wait, and output is written before
// it. Input is read only while there is room for it.

import FeedCore
import FeedHTTP

extension WebSocketConnection {
  /// While the server sends without pause, everything else is polled at this interval, in seconds.
  private static let pollInterval = 0.02
  /// How many bytes may wait to be sent, replies among them.
  private static let mostWaiting = 1 << 20

  /// Runs until the connection ends or should end, and closes it.
  mutating func run(_ pump: inout MessagePump, _ source: inout MessageSource) throws(ToolFailure) -> ConnectionEnding {
    pump.restart(opening.request, response.head)
    timers.open(Clock.monotonic())
    defer {
      source.putBack(session.outbox.unsent(socket.unsent))
      socket.close()
    }
    let ending: ConnectionEnding
    do { ending = try exchange(&pump, &source) } catch {
      finishClosing(&pump, prints: false)
      // The message may quote what the server has repeated of our request.
      throw error.saying { $0.hidingSecrets(of: opening.request, and: []) }
    }
    switch ending {
    case .finished where pump.point.isForgotten: finishClosing(&pump, prints: false)
    case .lost where !session.hasReceivedClose: break
    // After a signal, the user may still want the messages that arrive.
    case .interrupted(.signal): finishClosing(&pump, prints: true)
    case .finished where !pump.isFinished && !session.hasReceivedClose: try closeAfterInput(&pump)
    case .lost, .finished, .stopped, .closed, .failed, .refused, .outOfTime, .interrupted:
      finishClosing(&pump, prints: false)
    }
    return ending
  }

  private mutating func exchange(
    _ pump: inout MessagePump, _ source: inout MessageSource
  ) throws(ToolFailure) -> ConnectionEnding {
    var nextPoll = 0.0
    var failure: HTTPError?
    while true {
      talk(&pump)
      if let ending = try takeChunk(&pump, &source) { return ending }
      let isWaiting = try fillOutbox(&source)
      let received: HTTPConnection.Received
      do throws(HTTPError) {
        // A peer that has stopped reading may still have sent us data: that is read first.
        if failure == nil { do { try flush() } catch { failure = error } }
        received = try socket.receive(into: &chunk)
        if let failure, received != .bytes { throw failure }
      } catch {
        return try broken(error, &source)
      }
      used = 0
      let now = Clock.monotonic()
      if hasSentInput, !isSending, quietSince == nil { quietSince = now }
      // There is room again for what waits, so nothing has to happen before it is sent.
      let goesOn = isWaiting && !session.isFull
      switch received {
      case .end: return try broken(HTTPError(.transient, "connection closed without a close frame"), &source)
      case .bytes:
        lastActivity = now
        timers.live()
      case .nothing: if !goesOn { try pump.flush() }
      }
      let isBusy = received == .bytes || goesOn
      if isBusy, now < nextPoll { continue }
      if let ending = try runTimers(now, &pump) { return ending }
      nextPoll = now + Self.pollInterval
      let interruption = try poll(until: isBusy ? now : nextWakeTime(pump), &source)
      if let interruption { return .interrupted(interruption) }
    }
  }

  // MARK: The server's messages

  private mutating func takeChunk(
    _ pump: inout MessagePump, _ source: inout MessageSource
  ) throws(ToolFailure) -> ConnectionEnding? {
    while try nextMessage(pump.count + 1) {
      if quietSince != nil { quietSince = Clock.monotonic() }
      if try pump.take(session.message, isText: session.isText) == .finished { return .finished }
      for message in pump.replies { session.send(message, isKept: false) }
      if !pump.replies.isEmpty, session.outbox.pending.count > Self.mostWaiting {
        return .lost(HTTPError(.transient, "the server does not read: more than 1 MiB waits to be sent (--reply)"))
      }
      talk(&pump)
    }
    if pump.point.isDue { try pump.flush() }
    return session.hasReceivedClose ? try closing(session.closeCode, isDone: isDone(&source)) : nil
  }

  private mutating func nextMessage(_ number: Int) throws(ToolFailure) -> Bool {
    let bytes = chunk
    do { return try session.next(bytes.span, from: &used) } catch {
      throw .failed(
        .remote, "\(error.message) (closed with \(error.code))", source: options.url.display,
        record: "message \(number)")
    }
  }

  /// The meaning of the server's close frame (RFC 6455 §7.4.1).
  /// - Parameter isDone: whether there is no reason to connect again.
  func closing(_ code: Int?, isDone: Bool) throws(ToolFailure) -> ConnectionEnding {
    guard let code, code != CloseCode.normal, code != CloseCode.goingAway else { return isDone ? .finished : .closed }
    let reason = HTTPExcerpt.hidden(session.reason, for: opening.request)
    let message = "closed by the server with \(code)" + (reason.isEmpty ? "" : ": " + quoted(reason))
    if isDone { throw .failed(.remote, message, source: options.url.display) }
    return .lost(HTTPError(.transient, message))
  }

  // MARK: Our messages

  /// Sends what comes next on this connection, up to the next message that is awaited.
  private mutating func talk(_ pump: inout MessagePump) {
    guard !isReady else { return }
    while let message = pump.talk.next() { session.send(message, isKept: false) }
    isReady = pump.talk.isFinished
    if isReady { timers.ready(Clock.monotonic()) }
    pump.awaitTalk()
  }

  /// - Returns: whether more waits to be sent, for which there is no room.
  private mutating func fillOutbox(_ source: inout MessageSource) throws(ToolFailure) -> Bool {
    session.sendPendingPong()
    guard isReady, !session.hasSentClose else { return session.hasPendingPong }
    while !session.isFull {
      guard let message = try source.next() else {
        hasSentInput = source.isAtEnd && options.closeAfter != nil
        return session.hasPendingPong
      }
      session.send(message, isKept: message.sending != .again)
    }
    return true
  }

  /// Sends as much as there is room for.
  mutating func flush() throws(HTTPError) {
    let bytes = session.outbox.bytes
    let taken = try socket.send(bytes.span.extracting(session.outbox.pending))
    session.outbox.take(taken, unsent: socket.unsent)
  }

  private var isSending: Bool { !session.outbox.isEmpty || socket.unsent > 0 }

  // MARK: Ends

  /// Whether another connection would have nothing to do: with `--close-after`, if all input has been sent. The end of
  /// the input may come together with that of the connection.
  private func isDone(_ source: inout MessageSource) throws(ToolFailure) -> Bool {
    guard options.closeAfter != nil, isReady, session.outbox.unsent(socket.unsent).isEmpty else { return false }
    if !source.isAtEnd, (try? source.descriptor.hasInput) == true { try source.read() }
    return try source.isUsedUp()
  }

  private func broken(_ error: HTTPError, _ source: inout MessageSource) throws(ToolFailure) -> ConnectionEnding {
    guard try isDone(&source) else { return .lost(error) }
    throw .failed(.remote, error.message, source: options.url.display)
  }

  // MARK: Time

  private func nextWakeTime(_ pump: MessagePump) -> Double? {
    [timers.next(lastActivity), deadline, closeMoment, pump.helloWait.dueTime].compactMap(\.self).min()
  }

  /// When nothing has come for as long as `--close-after` says, after all input has been sent.
  private var closeMoment: Double? {
    guard let quietSince, let seconds = options.closeAfter else { return nil }
    // The fragments of a message that has begun are no silence.
    return (session.parser.isInMessage ? max(quietSince, lastActivity) : quietSince) + seconds
  }

  private mutating func runTimers(_ now: Double, _ pump: inout MessagePump) throws(ToolFailure) -> ConnectionEnding? {
    if let deadline, now >= deadline { return .outOfTime() }
    if let closeMoment, now >= closeMoment { return try quietEnd() }
    if let report = pump.helloWait.report(now) { try warn(report, &pump) }
    while let event = timers.due(now, lastActivity) {
      switch event {
      case .ping: session.ping()
      case .text(let place):
        // If there is no room, a repeated text is left out, not queued.
        if !session.isFull { session.send(options.repeated[place].message, isKept: false) }
      case .lost(let error): return .lost(error)
      }
    }
    return nil
  }

  /// The end that `--close-after` asks for.
  private func quietEnd() throws(ToolFailure) -> ConnectionEnding {
    guard let awaited = options.ends.awaited, let seconds = options.closeAfter else { return .finished }
    let text = "no \(awaited) within \(secondsText(seconds)) s after the last message (--close-after)"
    throw .failed(.tryAgain, text, source: options.url.display)
  }

  /// Names the message without which nothing is sent.
  private func warn(_ report: SilentWait.Report, _ pump: inout MessagePump) throws(ToolFailure) {
    let text = report.words(pump.talk.hasBegun ? "the rest is not sent" : "nothing sent") + pump.talk.problem
    if options.connection.printsNotes {
      try pump.print(Note(.waiting, url: url.display, reason: text))
      try pump.flush()
    }
    guard report.isFirst || options.connection.isVerbose, !options.http.isSilent else { return }
    streams.say(Diagnostic(text, source: options.url.display))
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
