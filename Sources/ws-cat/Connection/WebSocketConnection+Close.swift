// The closing handshake (RFC 6455 §7.1): our last texts and close frame, then the server's close frame. The server must
// then end the connection within two seconds.

import FeedCore
import FeedHTTP

extension WebSocketConnection {
  /// How long to wait for the server's response to a close frame, in seconds.
  static let closeTimeout = 2.0

  /// The contents of the server's close frame, if it has sent one.
  var closing: (code: Int?, reason: String?)? {
    guard session.hasReceivedClose else { return nil }
    let reason = HTTPExcerpt.hidden(session.reason, for: opening.request)
    return (session.closeCode, reason.isEmpty ? nil : String(decoding: reason, as: UTF8.self))
  }

  /// Sends the last texts and the close frame, unless already sent, and waits for the end.
  /// - Parameters:
  ///   - prints: whether further messages are printed; otherwise they are dropped.
  ///   - extends: whether the wait goes on while data comes, at most to the end of `--max-time`.
  /// - Returns: whether the server has closed or ended the connection.
  @discardableResult
  mutating func finishClosing(_ pump: inout MessagePump, prints: Bool, extends: Bool = false) -> Bool {
    var prints = prints
    if !session.hasSentClose { close() }
    var end = Clock.monotonic() + Self.closeTimeout
    // Errors no longer matter from here on.
    do throws(HTTPError) {
      while true {
        takeRest(&pump, &prints)
        try flush()
        let received = try socket.receive(into: &chunk)
        if received == .end { return true }
        used = 0
        let now = Clock.monotonic()
        if extends, received == .bytes { end = min(now + Self.closeTimeout, deadline ?? .infinity) }
        let left = end - now
        if left <= 0 { return session.hasReceivedClose }
        if received == .nothing { try waitForServer(left) }
      }
    } catch {
      if options.connection.isVerbose {
        let text = "the closing handshake failed: " + error.message
        streams.say(Diagnostic(text, source: options.url.display))
      }
      return session.hasReceivedClose
    }
  }

  /// Closes after `--close-after`, and prints the responses that still come. The server must agree that all is well.
  mutating func closeAfterInput(_ pump: inout MessagePump) throws(ToolFailure) {
    guard finishClosing(&pump, prints: true, extends: true) else {
      let text = "no response to the close frame for \(secondsText(Self.closeTimeout)) s"
      throw .failed(.tryAgain, text, source: options.url.display)
    }
    guard session.hasReceivedClose, session.closeCode != CloseCode.normal else { return }
    _ = try closing(session.closeCode, isDone: true)
  }

  /// Sends the last texts, if the first ones were sent, and the close frame.
  mutating func close() {
    if isReady { for message in options.onExit { session.send(message, isKept: false) } }
    session.close(CloseCode.normal)
  }

  private func waitForServer(_ seconds: Double) throws(HTTPError) {
    let isSending = !session.outbox.isEmpty || socket.unsent > 0
    let interests = [Descriptor.Interest(socket.descriptor, .input)]
    let sending = isSending ? [Descriptor.Interest(socket.descriptor, .output)] : []
    do {
      _ = try Descriptor.wait(for: interests + sending, milliseconds: Int32((seconds * 1000).rounded(.up)))
    } catch {
      throw .cannotWait(error)
    }
  }

  private mutating func takeRest(_ pump: inout MessagePump, _ prints: inout Bool) {
    let bytes = chunk
    while (try? session.next(bytes.span, from: &used)) == true {
      guard prints else { continue }
      // Nothing is printed after the last message that was wanted; a second reason to end changes nothing.
      prints = (try? pump.take(session.message, isText: session.isText)) == .more
    }
  }
}
