// The closing handshake (RFC 6455 §7.1): the last texts, our close frame, and the server's. Then the server ends
// the connection; it has two seconds for that.

import FeedCore
import FeedHTTP

extension Connection {
  /// How long the server has to answer a close frame, in seconds.
  static let closeTimeout = 2.0

  /// What the server's close frame says, if it has sent one.
  var closing: Closing? {
    guard session.hasReceivedClose else { return nil }
    let reason = HTTPExcerpt.hidden(session.reason, for: opening.request)
    return Closing(code: session.closeCode, reason: reason.isEmpty ? nil : String(decoding: reason, as: UTF8.self))
  }

  /// Sends what is to be sent last, if it has not been, and waits for the end.
  /// - Parameter prints: whether what still comes goes to the pump; else it is dropped.
  mutating func finishClosing(_ pump: inout MessagePump, prints: Bool) {
    var prints = prints
    if !session.hasSentClose {
      close()
    }
    let end = Clock.monotonic() + Self.closeTimeout
    // Whatever goes wrong now, there is nothing more to be done about it.
    do throws(HTTPError) {
      while true {
        takeRest(&pump, &prints)
        try flush()
        let received = try socket.receive(into: &chunk)
        if received == .end { return }
        used = 0
        let left = end - Clock.monotonic()
        if left <= 0 { return }
        if received == .nothing { try waitForServer(left) }
      }
    } catch {
      guard options.connection.isVerbose else { return }
      let text = "the closing handshake failed: " + error.message
      streams.say(Diagnostic(text, source: options.url.display))
    }
  }

  /// The last texts, where the first ones were sent, and the close frame.
  mutating func close() {
    if isReady { for text in options.onExit { session.send(OutgoingMessage(bytes: text), isInput: false) } }
    session.close(options.closeCode)
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
    while let event = try? session.next(bytes.span, from: &used) {
      guard event == .message, prints else { continue }
      // The last one that was wanted is the last one that is printed; a second reason to end changes nothing.
      prints = (try? pump.take(session.message, isText: session.isText)) == .more
    }
  }
}
