import FeedCore

/// Prepares input bytes for the tokenizer, which reads UTF-8 only: UTF-16 is known by the first bytes (XML 1.0, appendix
/// F); an encoding that the first XML declaration names begins after it. After a form feed, anything may come.
struct InputDecoder {
  /// What is done with the bytes.
  private enum Kind {
    /// Too few bytes have come.
    case unknown
    case bytes
    case utf16(isBigEndian: Bool)
    case converted(TextConverter)
    /// An unsupported encoding.
    case refused(name: String)
  }

  private var kind = Kind.unknown
  /// The bytes from `start` on are not decoded yet.
  private var bytes: [UInt8] = []
  private var start = 0
  private let endsAtFormFeed: Bool
  /// Whether it has stopped after a form feed, and there are more bytes.
  private(set) var hasStopped = false
  /// Converters are used again.
  private var last: (charset: Charset, converter: TextConverter)?

  /// - Parameter endsAtFormFeed: whether it stops after a form feed, unless bytes pass unchanged.
  init(endsAtFormFeed: Bool = false) { self.endsAtFormFeed = endsAtFormFeed }

  var isUTF16: Bool { if case .utf16 = kind { true } else { false } }

  /// Whether the text is converted from an encoding that an XML declaration has named.
  var isConverting: Bool { if case .converted = kind { true } else { false } }

  /// For text in an encoding with one byte for each character.
  var table: SingleByteTable? { if case .converted(.single(let table)) = kind { table } else { nil } }

  /// Whether bytes pass unchanged, so that they can be read straight into their destination.
  var isTransparent: Bool { if case .bytes = kind { !hasRest } else { false } }

  /// Whether there are undecoded bytes.
  var hasRest: Bool { start < bytes.count }

  /// Decodes a chunk, up to a form feed.
  /// - Parameter isLast: whether this is the last chunk.
  mutating func decode(_ chunk: ArraySlice<UInt8>, isLast: Bool, into buffer: inout [UInt8]) throws(XMLError) {
    bytes.replaceSubrange(..<start, with: [])
    bytes += chunk
    start = 0
    hasStopped = false
    if case .unknown = kind {
      guard bytes.count >= Self.markSize || isLast else { return }
      (kind, start) = Self.kind(of: bytes.prefix(Self.markSize))
    }
    switch kind {
    case .unknown: break
    case .refused(let name):
      start = bytes.count
      throw XMLError("the encoding '\(name)' is not supported", at: buffer.count)
    case .bytes:
      buffer += bytes[start...]
      start = bytes.count
    case .converted(let converter): convert(with: converter, into: &buffer)
    case .utf16(let isBigEndian): transcode(isBigEndian, into: &buffer)
    }
    if isLast, hasRest, !hasStopped { throw .inputEnds(inside: "a character", at: buffer.count) }
  }

  /// Begins again with the text from `place`, after a form feed or where bytes have passed unchanged. `buffer` then ends
  /// there.
  /// - Parameter charset: what to convert from; nil for any encoding that documents can begin with.
  /// - Returns: false if the system does not know the encoding.
  mutating func begin(_ charset: Charset?, at place: Int, _ buffer: inout [UInt8]) -> Bool {
    var next = Kind.unknown
    if let charset {
      if last?.charset != charset { last = TextConverter(charset).map { (charset, $0) } }
      guard let last else { return false }
      next = .converted(last.converter)
    }
    kind = next
    bytes.replaceSubrange(..<start, with: buffer[place...])
    start = 0
    buffer.removeLast(buffer.count - place)
    hasStopped = false
    return true
  }

  private mutating func convert(with converter: TextConverter, into buffer: inout [UInt8]) {
    let all = start..<bytes.count
    let formFeed = endsAtFormFeed ? firstIndex(of: XMLCharacters.formFeed, in: bytes.span, all) : nil
    start = converter.convert(bytes.span, start..<(formFeed ?? bytes.count), into: &buffer)
    guard let formFeed else { return }
    // Half a character before it was cut off with its document, so it is dropped without an error.
    buffer.append(XMLCharacters.formFeed)
    start = formFeed + 1
    hasStopped = hasRest
  }

  // MARK: The kind of an encoding

  /// How many bytes are needed to recognise it.
  private static let markSize = 4

  /// Whether a document that begins with these bytes passes unchanged; also false if there are too few bytes.
  static func passes(_ bytes: borrowing Span<UInt8>, from start: Int, isLast: Bool) -> Bool {
    let end = min(start + markSize, bytes.count)
    guard end - start == markSize || isLast else { return false }
    if case .bytes = kind(of: array(bytes, start..<end)[...]).kind { return true }
    return false
  }

  /// - Returns: the kind, and the length of its byte order mark, which is not part of the text.
  private static func kind(of first: ArraySlice<UInt8>) -> (kind: Kind, markCount: Int) {
    func starts(_ bytes: UInt8...) -> Bool { first.starts(with: bytes) }
    if starts(0, 0, 0xFE, 0xFF) || starts(0xFF, 0xFE, 0, 0) || starts(0, 0, 0, 0x3C) || starts(0x3C, 0, 0, 0) {
      return (.refused(name: "UTF-32"), 0)
    }
    if starts(0x4C, 0x6F, 0xA7, 0x94) { return (.refused(name: "EBCDIC"), 0) }
    if starts(0xFE, 0xFF) || starts(0xFF, 0xFE) { return (.utf16(isBigEndian: starts(0xFE)), 2) }
    guard let byte = first.first, let second = first.dropFirst().first else { return (.bytes, 0) }
    if byte == 0, begins(second) { return (.utf16(isBigEndian: true), 0) }
    if second == 0, begins(byte) { return (.utf16(isBigEndian: false), 0) }
    return (.bytes, 0)
  }

  /// Whether a document can begin with this byte, or with white space or a form feed before it.
  private static func begins(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "<") || byte.isWhiteSpace || byte == XMLCharacters.formFeed
  }

  // MARK: UTF-16

  private mutating func transcode(_ isBigEndian: Bool, into buffer: inout [UInt8]) {
    func unit(_ index: Int) -> UInt32 {
      isBigEndian
        ? UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1]) : UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index])
    }
    let formFeed = UInt32(XMLCharacters.formFeed)
    while start + 2 <= bytes.count {
      let first = unit(start)
      var count = 2
      var code = first
      if (0xD800..<0xDC00).contains(first) {
        guard start + 4 <= bytes.count else { break }
        let second = unit(start + 2)
        // A lone surrogate is invalid in UTF-8 too: the tokenizer refuses it.
        if (0xDC00..<0xE000).contains(second) {
          code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
          count = 4
        } else if second == formFeed, endsAtFormFeed {
          // Half a pair before a form feed was cut off with its document, so it is dropped without an error.
          start += 2
          continue
        }
      }
      UTF8Sequence.append(code, to: &buffer)
      start += count
      if first == formFeed, endsAtFormFeed {
        hasStopped = hasRest
        return
      }
    }
  }
}
