import FeedCore

/// Markup with a fixed beginning and end, and characters between them.
enum DelimitedMarkup {
  /// [15] Comment.
  case comment
  /// [18] CDSect.
  case cdataSection
  /// [16] PI.
  case processingInstruction

  var start: StaticString {
    switch self {
    case .comment: "<!--"
    case .cdataSection: "<![CDATA["
    case .processingInstruction: "<?"
    }
  }

  var end: StaticString {
    switch self {
    case .comment: "-->"
    case .cdataSection: "]]>"
    case .processingInstruction: "?>"
    }
  }

  /// The first byte of `end`.
  var endByte: UInt8 {
    switch self {
    case .comment: UInt8(ascii: "-")
    case .cdataSection: UInt8(ascii: "]")
    case .processingInstruction: UInt8(ascii: "?")
    }
  }

  /// For messages.
  var shown: String {
    switch self {
    case .comment: "a comment"
    case .cdataSection: "a CDATA section"
    case .processingInstruction: "a processing instruction"
    }
  }

  /// The text between the beginning, which is at `start`, and the end.
  func content(in bytes: borrowing Span<UInt8>, at start: Int) -> Range<Int> {
    let first = start + self.start.utf8CodeUnitCount
    var index = first
    while let found = firstIndex(of: endByte, in: bytes, index..<bytes.count) {
      if startsWith(bytes, end, at: found) == .yes { return first..<found }
      index = found + 1
    }
    return first..<bytes.count
  }
}
