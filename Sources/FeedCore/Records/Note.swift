// Notes: what a tool says between event records (feedutils(7)). A note has no member `event`, so every reader of
// records skips it. All tools print their notes with this code, so that they look alike.

/// What happened to a connection or a feed, as one line among records.
///
///     {"note":"retrying","url":"http://127.0.0.1/events","time":"2026-11-22T10:04:36.000000Z","delay":3,"reason":"…"}
package struct Note: Equatable, Sendable {
  /// What happened; the raw value is the value of the member `note`.
  package enum Kind: String, CaseIterable, Sendable {
    /// A connection was made, and the server sends what was requested.
    case open
    /// An open connection has ended.
    case closed
    /// The tool waits, and then tries again.
    case retrying
    /// Everything that was missed has come; the following records are new.
    case live
    /// Something is missing at this place.
    case gap
    /// Something was received but left out.
    case skipped
    /// The tool waits because the server asked it to.
    case held
    /// Something that the tool has asked for has not come for ten seconds.
    case waiting
  }

  package var kind: Kind
  /// The URL as messages show it, without secrets.
  package var url: String
  /// In microseconds since 1970.
  package var time: Int64
  /// The name of the feed, by `--source` or from a list of URLs; valid UTF-8.
  package var source: [UInt8]?
  /// An HTTP status (RFC 9110 §15) or the status of a WebSocket close frame (RFC 6455 §7.4).
  package var code: Int?
  /// In seconds, until the next attempt.
  package var delay: Double?
  /// Why, in the words of the messages.
  package var reason: String?

  /// - Parameter time: in microseconds since 1970; by default now.
  package init(
    _ kind: Kind, url: String, time: Int64 = Clock.now(), source: [UInt8]? = nil, code: Int? = nil,
    delay: Double? = nil, reason: String? = nil
  ) {
    (self.kind, self.url, self.time, self.source) = (kind, url, time, source)
    (self.code, self.delay, self.reason) = (code, delay, reason)
  }
}

extension ByteWriter {
  /// Writes a note that says nothing but its kind.
  package mutating func append(_ kind: Note.Kind) {
    append("{\"note\":")
    appendText(kind.rawValue)
    endRecord()
  }

  /// Writes a note as a line. Members without a value are left out.
  package mutating func append(_ note: Note) {
    append("{\"note\":")
    appendText(note.kind.rawValue)
    appendSource(note.source)
    append(",\"url\":")
    appendText(note.url)
    appendTime(note.time)
    if let code = note.code { append(",\"code\":\(code)") }
    if let delay = note.delay {
      append(",\"delay\":")
      append(Self.decimal(delay))
    }
    if let reason = note.reason {
      append(",\"reason\":")
      appendText(reason)
    }
    endRecord()
  }

  private mutating func appendText(_ text: String) { JSONString.write(Array(text.utf8).span, to: &self) }

  /// Seconds with at most three decimals.
  private static func decimal(_ seconds: Double) -> String {
    // No real wait comes near this limit. Above it, Int would overflow.
    let thousandths = Int((min(max(seconds, 0), 1e12) * 1000).rounded())
    var fraction = String(thousandths % 1000 + 1000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(thousandths / 1000)" + (fraction.isEmpty ? "" : "." + fraction)
  }
}
