// Prepares input bytes for the tokenizer, which reads UTF-8 only: UTF-16 is known by the first bytes (XML 1.0, appendix
// F); an encoding that the XML declaration names begins after it.
//
// After a form feed, and after the end of a document, there may be another document in another encoding. The decoder
// stops at form feeds. It cannot know where a document ends, and so what it has converted may belong to the next one:
// then it goes back. So it converts in pieces, and keeps their bytes until they have been read. Pieces are small at
// first, because documents may be.

import FeedCore

struct InputDecoder {
  private enum Kind {
    /// Too few bytes have come.
    case unknown
    case bytes
    case utf16(isBigEndian: Bool)
    case converted(TextConverter)
    /// An unsupported encoding.
    case refused(name: String)
  }

  /// Bytes that were decoded at once, and the text that they became.
  private struct Piece {
    let count: Int
    let textCount: Int
  }

  private var kind = Kind.unknown
  /// The bytes of `pieces`, before `start`; then those that are not decoded yet.
  private var bytes: [UInt8] = []
  private var start = 0
  /// The last pieces.
  private var pieces: [Piece] = []
  private var pieceSize = Int.max
  private static let pieceSizes = 256...16384
  private let endsAtFormFeed: Bool
  /// Whether it has stopped after a form feed, and there are more bytes.
  private(set) var hasStopped = false
  /// Whether it has stopped after a piece, and there are more bytes.
  private(set) var holdsPiece = false
  /// Converters are used again.
  private var last: (charset: Charset, converter: TextConverter)?

  /// - Parameter endsAtFormFeed: whether it stops after a form feed.
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

  /// Decodes a chunk, up to a form feed or the end of a piece.
  /// - Parameters:
  ///   - isLast: whether this is the last chunk.
  ///   - unread: how many bytes at the end of `buffer` have not been read. It may go back to them.
  mutating func decode(
    _ chunk: ArraySlice<UInt8>, isLast: Bool, unread: Int = 0, into buffer: inout [UInt8]
  ) throws(XMLError) {
    forget(allBut: unread)
    bytes += chunk
    hasStopped = false
    holdsPiece = false
    if case .unknown = kind {
      guard bytes.count - start >= Self.markSize || isLast else { return }
      let markCount: Int
      (kind, markCount) = Self.kind(of: bytes[start...].prefix(Self.markSize))
      skip(markCount)
    }
    switch kind {
    case .unknown: break
    case .refused(let name):
      skip(bytes.count - start)
      throw XMLError("the encoding '\(name)' is not supported", at: buffer.count)
    case .bytes: decodePiece(nil, isLast: isLast, into: &buffer)
    case .converted(let converter): decodePiece(converter, isLast: isLast, into: &buffer)
    case .utf16(let isBigEndian): try transcode(isBigEndian, isLast: isLast, into: &buffer)
    }
    if isLast, hasRest, !hasStopped, !holdsPiece { throw .inputEnds(inside: "a character", at: buffer.count) }
  }

  /// Says that the next bytes do not come through it, because they pass unchanged.
  mutating func passBytes() { forget(allBut: 0) }

  private mutating func forget(allBut unread: Int) {
    var (first, kept, unread) = (pieces.count, 0, unread)
    while first > 0, unread > 0 {
      first -= 1
      kept += pieces[first].count
      unread -= pieces[first].textCount
    }
    pieces.removeFirst(first)
    let dead = start - kept
    guard dead > bytes.count - dead else { return }
    bytes.removeFirst(dead)
    start -= dead
  }

  /// Moves past bytes that become no text.
  private mutating func skip(_ count: Int) {
    start += count
    pieces.append(Piece(count: count, textCount: 0))
  }

  // MARK: Documents

  /// Begins a document that may have any encoding.
  /// - Parameter place: its start in `buffer`, which then ends there.
  mutating func beginDocument(at place: Int, _ buffer: inout [UInt8]) {
    goBack(to: place, &buffer)
    kind = .unknown
  }

  /// Begins a document in UTF-8, unless its XML declaration names another encoding.
  mutating func beginPlainDocument(at place: Int, _ buffer: inout [UInt8]) {
    goBack(to: place, &buffer)
    kind = .bytes
  }

  /// Converts everything from `place`.
  /// - Returns: false if the system does not know the encoding.
  mutating func convert(_ charset: Charset, from place: Int, _ buffer: inout [UInt8]) -> Bool {
    if last?.charset != charset { last = TextConverter(charset).map { (charset, $0) } }
    guard let last else { return false }
    goBack(to: place, &buffer)
    kind = .converted(last.converter)
    return true
  }

  /// Whether the text at `place` was a byte order mark of UTF-8.
  func hasMark(at place: Int, in buffer: [UInt8]) -> Bool {
    let (index, passed) = origin(of: place, in: buffer)
    return passed == 0 && bytes[index...].starts(with: Self.mark)
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Goes back to the bytes that became the text from `place`, and removes that text.
  private mutating func goBack(to place: Int, _ buffer: inout [UInt8]) {
    let (index, passed) = origin(of: place, in: buffer)
    start = index
    if passed > 0 {
      bytes.replaceSubrange(..<start, with: buffer[place..<(place + passed)])
      start = 0
    }
    buffer.removeLast(buffer.count - place)
    pieces = []
    pieceSize = Self.pieceSizes.lowerBound
    hasStopped = false
    holdsPiece = false
  }

  /// The index of the byte that became the text at `place`, and how many bytes before it passed without being kept.
  private func origin(of place: Int, in buffer: [UInt8]) -> (index: Int, passed: Int) {
    var count = buffer.count - place
    var index = start
    for piece in pieces.reversed() where count > 0 {
      let first = index - piece.count
      index = count < piece.textCount ? self.index(in: first..<index, ofText: piece.textCount - count) : first
      count = max(0, count - piece.textCount)
    }
    return (index, count)
  }

  /// The index in a piece of the byte that became the text after the first `count` bytes.
  private func index(in piece: Range<Int>, ofText count: Int) -> Int {
    guard case .converted(let converter) = kind else { return piece.lowerBound + count }
    var text: [UInt8] = []
    return converter.convert(bytes.span, piece, room: count, into: &text)
  }

  // MARK: Pieces

  private mutating func decodePiece(_ converter: TextConverter?, isLast: Bool, into buffer: inout [UInt8]) {
    let pieceEnd = start + min(pieceSize, bytes.count - start)
    let formFeed = endsAtFormFeed ? firstIndex(of: XMLCharacters.formFeed, in: bytes.span, start..<pieceEnd) : nil
    var end = formFeed ?? pieceEnd
    let (first, textStart) = (start, buffer.count)
    if let converter {
      if formFeed == nil, !isLast || end < bytes.count { end = endBeforeMark(end) }
      start = converter.convert(bytes.span, start..<end, room: .max, into: &buffer)
    } else {
      buffer += bytes[start..<end]
      start = end
    }
    if let formFeed {
      // Half a character before it was cut off with its document, so it is dropped without an error.
      buffer.append(XMLCharacters.formFeed)
      start = formFeed + 1
      hasStopped = hasRest
    } else {
      holdsPiece = pieceEnd < bytes.count
    }
    pieces.append(Piece(count: start - first, textCount: buffer.count - textStart))
    if pieceSize <= Self.pieceSizes.upperBound / 2 { pieceSize *= 2 }
  }

  /// The end of a piece, but before a byte order mark that may have begun there. So it can be found as a whole.
  private func endBeforeMark(_ end: Int) -> Int {
    for count in [2, 1] where end - start >= count && bytes[(end - count)..<end].elementsEqual(Self.mark.prefix(count))
    {
      return end - count
    }
    return end
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
