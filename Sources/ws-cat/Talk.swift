import FeedCore

/// What the options say on each connection, in the order of the command line. `--send A --send-after /t=hello --send B`
/// sends A at once, and B after the first message that matches.
struct Talk {
  /// One option of the command line.
  enum Argument {
    case send(TypedMessage)
    case sendAfter(Condition)
    case replyTo(Condition)
    case reply(TypedMessage)
  }

  private enum Turn {
    case send(OutgoingMessage)
    case await(Condition)
  }

  private var turns: [Turn] = []
  private var replies: [(condition: Condition, messages: [OutgoingMessage])] = []
  /// The turn that is next on this connection.
  private var position = 0

  init() {}

  /// - Throws: a usage error if a reply has no condition, or a condition no reply; status 2 if a file cannot be read.
  /// - Parameter load: reads the files.
  init(
    _ arguments: [Argument], load: (TypedMessage) throws(ToolFailure) -> OutgoingMessage
  ) throws(ToolFailure) {
    for argument in arguments {
      switch argument {
      case .send(let message): turns.append(.send(try load(message)))
      case .sendAfter(let condition): turns.append(.await(condition))
      case .replyTo(let condition): replies.append((condition, []))
      case .reply(let message):
        guard !replies.isEmpty else { throw .usage("option '--reply' needs '--reply-to' before it") }
        replies[replies.count - 1].messages.append(try load(message))
      }
    }
    if let silent = replies.first(where: { $0.messages.isEmpty }) {
      throw .usage("option '--reply-to \(shortened(silent.condition.text))' needs '--reply' after it")
    }
  }

  /// Starts a new connection.
  mutating func restart() { position = 0 }

  /// Whether all has been said, so that the input may follow.
  var isFinished: Bool { position == turns.count }

  /// Whether a message must be parsed.
  var looksInside: Bool { !replies.isEmpty || !isFinished }

  /// The message without which nothing more is said; nil if nothing is awaited.
  var awaited: Condition? {
    if !isFinished, case .await(let condition) = turns[position] { condition } else { nil }
  }

  /// What is awaited, for the end of a message; empty if nothing is.
  var problem: String {
    awaited.map { ": no message with '\(quoted($0.text))' has come (--send-after)" } ?? ""
  }

  /// Whether a message has been handed out on this connection.
  var hasBegun: Bool { turns[..<position].contains { if case .send = $0 { true } else { false } } }

  /// How many messages have not been handed out on this connection.
  var unsent: Int { turns[position...].count { if case .send = $0 { true } else { false } } }

  /// The next message to send now; nil if there is none. Everything that can be sent is handed out before a message of the
  /// server is looked at, so what is awaited is always the response to it.
  mutating func next() -> OutgoingMessage? {
    guard !isFinished, case .send(let message) = turns[position] else { return nil }
    position += 1
    return message
  }

  /// Goes on if a message is the one that is awaited.
  /// - Parameters:
  ///   - text: the text of the message.
  ///   - document: it as JSON; nil if it is not JSON.
  /// - Returns: the replies to it.
  mutating func take(_ text: [UInt8], _ document: JSONDocument?) -> [OutgoingMessage] {
    if let awaited, awaited.holds(for: text, document) { position += 1 }
    return replies.flatMap { $0.condition.holds(for: text, document) ? $0.messages : [] }
  }
}

/// A message on the command line: its text, or `@FILE`.
struct TypedMessage: Sendable {
  private let typed: [UInt8]

  /// Error messages do not quote it: it may hold a token.
  init(_ typed: [UInt8]) throws(OptionRefusal) {
    guard typed.isUTF8 || typed.first == UInt8(ascii: "@") else {
      throw OptionRefusal("a text message must be valid UTF-8")
    }
    self.typed = typed
  }

  /// - Parameters:
  ///   - isBinary: whether the content of a file is a binary message.
  ///   - maxSize: the most bytes of a file.
  /// - Returns: the message to send; a text is valid UTF-8.
  func load(isBinary: Bool, maxSize: Int, _ streams: StandardStreams) throws(ToolFailure) -> OutgoingMessage {
    guard typed.first == UInt8(ascii: "@") else { return OutgoingMessage(bytes: typed) }
    let file = InputFile(Array(typed.dropFirst()))
    let bytes = try file.readAll(streams, limit: maxSize, option: "--max-size")
    if !isBinary, let bad = UTF8Check.firstInvalid(bytes.span) {
      throw .failed(
        .error, "invalid UTF-8 at byte \(bad + 1): a text message must be UTF-8 (--binary)", source: file.name)
    }
    return OutgoingMessage(isText: !isBinary, bytes: bytes)
  }
}

extension OptionType<TypedMessage> {
  static let message = Self("TEXT") { bytes throws(OptionRefusal) in try TypedMessage(bytes) }
}
