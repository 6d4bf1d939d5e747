// A file or standard input: one stream of documents, or with --length-prefixed many, each after its length.

import FeedCore

/// The text from an offset on must be decoded in another way: from this encoding, or without a charset, from any
/// encoding that documents can begin with.
typealias EncodingChange = (start: Int, encoding: StreamEncoding)

/// Reads an input in chunks, and decodes them into the window.
struct InputSource {
  /// What comes after the bytes that `next` has read.
  enum Piece {
    /// More of the same stream.
    case more
    /// The end of the stream; another one may follow.
    case streamEnd
    case inputEnd
  }

  private let file: InputFile
  private let descriptor: Descriptor
  private let output: Descriptor
  private var decoder: InputDecoder
  /// The encoding from which the text is converted, as its XML declaration names it.
  private var charsetName: [UInt8] = []
  private let hasPrefixes: Bool
  private var hasEnded = false
  private var prefix = LengthPrefix()
  /// How many bytes of the stream have not come yet; nil before the length.
  private var left: Int?
  /// How many bytes the last step has read.
  private(set) var lastCount = 0
  /// With lengths: the bytes read, and how many of them have been used.
  private var chunk: [UInt8] = []
  private var index = 0

  /// - Parameters:
  ///   - hasPrefixes: whether each document has a length before it.
  ///   - endsAtFormFeed: whether a form feed ends a document; not used with lengths.
  init(
    _ file: InputFile, _ streams: StandardStreams, hasPrefixes: Bool, endsAtFormFeed: Bool
  ) throws(ToolFailure) {
    self.file = file
    self.hasPrefixes = hasPrefixes
    decoder = InputDecoder(endsAtFormFeed: endsAtFormFeed)
    output = streams.output
    descriptor = try file.open(streams)
  }

  func close() {
    if !file.isStandardInput { descriptor.closeQuietly() }
  }

  /// Whether no more input can come, after an error.
  private(set) var isExhausted = false
  /// Whether a stream has ended and the next has not begun.
  var isBetweenStreams: Bool { left == nil }

  /// Whether the text was transcoded from UTF-16.
  var isUTF16: Bool { decoder.isUTF16 }
  /// Whether the text is converted from an encoding that its XML declaration has named.
  var isConverting: Bool { decoder.isConverting }
  /// For text in an encoding with one byte for each character.
  var table: SingleByteTable? { decoder.table }
  /// Whether there are bytes that can be decoded, before more are read.
  private(set) var holdsMore = false

  /// Waits until there is more to read.
  /// - Parameter settle: flushes the output; called only if the wait may be long.
  func wait(beforeWaiting settle: () throws(ToolFailure) -> Void) throws(ToolFailure) {
    guard index == chunk.count, !holdsMore else { return }
    try waitForInput(of: descriptor, orHangUpOf: output, beforeWaiting: settle)
  }

  /// Reads the next piece.
  mutating func next(_ window: inout Window) throws(ToolFailure) -> Piece {
    lastCount = 0
    if hasPrefixes { return try nextOfLength(&window) }
    if decoder.isTransparent {
      hasEnded = try !read(into: &window.bytes)
      return hasEnded ? .inputEnd : .more
    }
    var bytes: [UInt8] = []
    if !holdsMore { hasEnded = try !read(into: &bytes) }
    try decode(bytes[...], isLast: hasEnded, &window)
    return hasEnded && !decoder.hasStopped ? .inputEnd : .more
  }

  /// Begins again with the text from `start`, as `InputDecoder.begin`.
  mutating func begin(_ turn: EncodingChange, _ window: inout Window) throws(XMLError) {
    guard decoder.begin(turn.encoding.charset, at: turn.start, &window.bytes) else {
      throw .unsupportedEncoding(turn.encoding.name, at: turn.start)
    }
    charsetName = turn.encoding.name
    holdsMore = decoder.hasRest
  }

  // MARK: Reading

  private mutating func nextOfLength(_ window: inout Window) throws(ToolFailure) -> Piece {
    if holdsMore {
      try decode([], isLast: left == nil, &window)
      return left == nil ? .streamEnd : .more
    }
    while true {
      if left == nil { try readLength(&window) }
      if let rest = left, rest == 0 || index < chunk.count {
        let end = min(index + rest, chunk.count)
        let isLast = end - index == rest
        left = isLast ? nil : rest - (end - index)
        defer { index = end }
        try decode(chunk[index..<end], isLast: isLast, &window)
        return isLast ? .streamEnd : .more
      }
      var next: [UInt8] = []
      let isMore = try read(into: &next)
      chunk = next
      index = 0
      guard isMore else {
        isExhausted = true
        if let left {
          throw failure(XMLError("the input ends \(left) bytes too early", at: window.bytes.count), window)
        }
        if prefix.isInside { throw failure(.inputEnds(inside: "a length", at: 0), window) }
        return .inputEnd
      }
    }
  }

  /// Continues to read the line with a length.
  private mutating func readLength(_ window: inout Window) throws(ToolFailure) {
    while index < chunk.count, left == nil {
      do { left = try prefix.take(chunk[index]) } catch {
        isExhausted = true
        throw failure(error, window)
      }
      window.advance(over: chunk, index..<(index + 1))
      index += 1
    }
    if left != nil { decoder = InputDecoder() }
  }

  private mutating func decode(_ bytes: ArraySlice<UInt8>, isLast: Bool, _ window: inout Window) throws(ToolFailure) {
    holdsMore = false
    do { try decoder.decode(bytes, isLast: isLast, into: &window.bytes) } catch {
      isExhausted = !hasPrefixes
      throw failure(error, window)
    }
  }

  /// - Returns: false at the end of the input.
  private mutating func read(into bytes: inout [UInt8]) throws(ToolFailure) -> Bool {
    try waitForInput(of: descriptor, orHangUpOf: output) {}
    lastCount = try naming(file.name, descriptor.read(upTo: ByteReader.chunkSize, into: &bytes))
    return lastCount > 0
  }

  /// - Parameter prefix: goes before the message.
  func failure(_ error: XMLError, _ window: Window, prefix: String = "") -> ToolFailure {
    let place = window.place(of: error.offset)
    // Input that is not XML from its first byte may be easy to identify.
    let isForeign = place.line == 1 && place.column == 1 && window.bytes.first != UInt8(ascii: "<")
    let hint = isForeign ? InputGuess.hint(window.bytes) : ""
    return .failed(.error, prefix + message(error, window) + hint, source: file.name, place: place)
  }

  /// What is no character of the encoding has the same name wherever it stands.
  private func message(_ error: XMLError, _ window: Window) -> String {
    let isIllegal = error.offset < window.bytes.count && window.bytes[error.offset] == TextConverter.illegal
    return isConverting && isIllegal ? "invalid \(shortened(charsetName))" : error.message
  }
}

/// The line before a document with its length in bytes (--length-prefixed). Blank lines before it only keep a connection
/// alive.
struct LengthPrefix {
  /// More digits than any length has.
  private static let maxDigits = 18

  private var length = 0
  private var digits = 0
  private var hasReturn = false

  /// Whether the line has begun.
  var isInside: Bool { digits > 0 }

  /// Reads the next byte.
  /// - Returns: the length, at the byte that ends the line.
  mutating func take(_ byte: UInt8) throws(XMLError) -> Int? {
    switch byte {
    case let digit where digit.isDigit && !hasReturn && digits < Self.maxDigits:
      length = length * 10 + Int(digit - UInt8(ascii: "0"))
      digits += 1
      return nil
    case UInt8(ascii: "\r") where !hasReturn:
      hasReturn = true
      return nil
    case let blank where blank.isBlank && digits == 0 && !hasReturn:
      return nil
    case UInt8(ascii: "\n"):
      defer { self = LengthPrefix() }
      return digits > 0 ? length : nil
    default: throw XMLError("expected a line with the length of a document", at: 0)
    }
  }
}
