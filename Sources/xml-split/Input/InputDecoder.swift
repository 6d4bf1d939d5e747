// Prepares input bytes for the tokenizer: UTF-16 becomes UTF-8; encodings with ASCII in their lower half pass
// unchanged; all others are refused (XML 1.0, appendix F).
//
// After a form feed there is another document, which may have another encoding. So the decoder stops there, and
// continues when a document begins.

import FeedCore

struct InputDecoder {
  private enum Kind {
    /// Too few bytes have come.
    case unknown
    case bytes
    case utf16(isBigEndian: Bool)
    /// An unsupported encoding.
    case refused(name: String)
  }

  private var kind = Kind.unknown
  /// Bytes that are not decoded yet, from `start`: the first few, half a character, or the bytes after a form feed.
  private var rest: [UInt8] = []
  private var start = 0
  private let endsAtFormFeed: Bool
  /// Whether it has stopped after a form feed, and there are more bytes.
  private(set) var hasStopped = false

  /// - Parameter endsAtFormFeed: whether it stops after a form feed.
  init(endsAtFormFeed: Bool = false) { self.endsAtFormFeed = endsAtFormFeed }

  var isUTF16: Bool { if case .utf16 = kind { true } else { false } }

  /// Whether bytes pass unchanged, so that they can be read straight into their destination.
  var isTransparent: Bool { if case .bytes = kind { rest.isEmpty } else { false } }

  /// Whether there are undecoded bytes.
  var hasRest: Bool { start < rest.count }

  /// Decodes a chunk, up to a form feed.
  /// - Parameter isLast: whether this is the last chunk.
  mutating func decode(_ chunk: ArraySlice<UInt8>, isLast: Bool, into buffer: inout [UInt8]) throws(XMLError) {
    rest += chunk
    hasStopped = false
    defer { if !hasStopped { forgetDecoded() } }
    if case .unknown = kind {
      guard rest.count - start >= Self.markSize || isLast else { return }
      let markCount: Int
      (kind, markCount) = Self.kind(of: rest[start...].prefix(Self.markSize))
      start += markCount
    }
    switch kind {
    case .unknown: break
    case .refused(let name):
      start = rest.count
      throw XMLError("the encoding '\(name)' is not supported", at: buffer.count)
    case .bytes:
      let end = endsAtFormFeed ? rest[start...].firstIndex(of: XMLCharacters.formFeed).map { $0 + 1 } : nil
      buffer += rest[start..<(end ?? rest.count)]
      start = end ?? rest.count
      hasStopped = hasRest
    case .utf16(let isBigEndian): try transcode(isBigEndian, isLast: isLast, into: &buffer)
    }
  }

  /// Begins another document.
  /// - Parameter tail: its bytes that have already passed, if no bytes are undecoded.
  mutating func beginDocument(_ tail: ArraySlice<UInt8>) {
    rest += tail
    kind = .unknown
    hasStopped = false
  }

  private mutating func forgetDecoded() {
    rest.removeFirst(start)
    start = 0
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

  private mutating func transcode(_ isBigEndian: Bool, isLast: Bool, into buffer: inout [UInt8]) throws(XMLError) {
    func unit(_ index: Int) -> UInt32 {
      isBigEndian
        ? UInt32(rest[index]) << 8 | UInt32(rest[index + 1]) : UInt32(rest[index + 1]) << 8 | UInt32(rest[index])
    }
    let formFeed = UInt32(XMLCharacters.formFeed)
    while start + 2 <= rest.count {
      let first = unit(start)
      var count = 2
      var code = first
      if (0xD800..<0xDC00).contains(first) {
        guard start + 4 <= rest.count else { break }
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
    if isLast, hasRest { throw .inputEnds(inside: "a character", at: buffer.count) }
  }
}
