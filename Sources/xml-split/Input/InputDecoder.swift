// Bytes from outside, made ready for the tokenizer: UTF-16 becomes UTF-8, an encoding with ASCII in its lower half passes
// as it is, and any other is refused (XML 1.0, appendix F).

import FeedCore

struct InputDecoder {
  private enum Kind {
    /// Too little has come to tell.
    case unknown
    case bytes
    case utf16(isBigEndian: Bool)
    /// None that is known here.
    case refused(XMLError)
  }

  private var kind = Kind.unknown
  /// Bytes that are not decoded yet: the first few, or half a character.
  private var rest: [UInt8] = []

  var isUTF16: Bool { if case .utf16 = kind { true } else { false } }

  /// Whether bytes pass as they are, so that they can be read straight to where they are wanted.
  var isTransparent: Bool { if case .bytes = kind { rest.isEmpty } else { false } }

  /// Decodes a chunk.
  /// - Parameter isLast: whether nothing more will come.
  mutating func decode(_ chunk: ArraySlice<UInt8>, isLast: Bool, into buffer: inout [UInt8]) throws(XMLError) {
    rest += chunk
    if case .unknown = kind {
      guard rest.count >= 4 || isLast else { return }
      detect()
    }
    switch kind {
    case .unknown: break
    case .refused(let error):
      rest.removeAll()
      throw error
    case .bytes:
      buffer += rest
      rest.removeAll()
    case .utf16(let isBigEndian): try transcode(isBigEndian, isLast: isLast, into: &buffer)
    }
  }

  private mutating func detect() {
    func starts(_ bytes: UInt8...) -> Bool { rest.starts(with: bytes) }
    if starts(0, 0, 0xFE, 0xFF) || starts(0xFF, 0xFE, 0, 0) || starts(0, 0, 0, 0x3C) || starts(0x3C, 0, 0, 0) {
      kind = .refused(XMLError("the encoding 'UTF-32' is not supported", at: 0))
    } else if starts(0x4C, 0x6F, 0xA7, 0x94) {
      kind = .refused(XMLError("the encoding 'EBCDIC' is not supported", at: 0))
    } else if starts(0xFE, 0xFF) || starts(0xFF, 0xFE) {
      kind = .utf16(isBigEndian: rest[0] == 0xFE)
      rest.removeFirst(2)
    } else if rest.count > 1, rest[0] == 0, Self.begins(rest[1]) {
      kind = .utf16(isBigEndian: true)
    } else if rest.count > 1, rest[1] == 0, Self.begins(rest[0]) {
      kind = .utf16(isBigEndian: false)
    } else {
      kind = .bytes
    }
  }

  /// Whether a document begins with this character, or something before it.
  private static func begins(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "<") || byte.isWhiteSpace }

  private mutating func transcode(_ isBigEndian: Bool, isLast: Bool, into buffer: inout [UInt8]) throws(XMLError) {
    func unit(_ index: Int) -> UInt32 {
      isBigEndian
        ? UInt32(rest[index]) << 8 | UInt32(rest[index + 1]) : UInt32(rest[index + 1]) << 8 | UInt32(rest[index])
    }
    var index = 0
    while index + 2 <= rest.count {
      let first = unit(index)
      var count = 2
      var code = first
      if (0xD800..<0xDC00).contains(first) {
        guard index + 4 <= rest.count else { break }
        let second = unit(index + 2)
        // Half a pair is no character in UTF-8 either: the tokenizer refuses it.
        if (0xDC00..<0xE000).contains(second) {
          code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
          count = 4
        }
      }
      UTF8Sequence.append(code, to: &buffer)
      index += count
    }
    rest.removeFirst(index)
    if isLast, !rest.isEmpty { throw .inputEnds(inside: "a character", at: buffer.count) }
  }
}
