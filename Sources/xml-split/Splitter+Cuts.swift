// Where a document is cut off, because a connection broke, and another begins: behind a form feed. What was open is lost and
// told; reading goes on.
//
// A form feed is a character that XML does not allow, so it is met where the tokenizer finds an error, and is not looked for
// but then. What comes before is read again as if nothing followed yet, so the error is either wrong without it, and an error
// as any other, or came of the cut.

import FeedCore

/// What an error of the tokenizer has turned out to be.
enum CutOff {
  /// An error.
  case none
  /// The end of a document; another has begun.
  case passed
  /// The end of a document; another begins here, which may be in another encoding.
  case newEncoding(at: Int)
}

extension Splitter {
  /// Looks whether an error of the tokenizer is there because the document was cut off, and begins with the next.
  mutating func passCut(
    _ bytes: borrowing Span<UInt8>, _ source: InputSource, isLast: Bool, _ seeksFormFeed: Bool
  ) throws(ToolFailure) -> CutOff {
    guard seeksFormFeed, let end = formFeed(bytes) else { return .none }
    _ = try process(bytes.extracting(0..<end), source, isLast: false, seeksFormFeed: false)
    try endDocument(at: end, bytes, source)
    let next = end + 1
    begin(at: next)
    let isKnown = !source.isUTF16 && InputDecoder.passes(bytes, from: next, isLast: isLast)
    return isKnown ? .passed : .newEncoding(at: next)
  }

  /// The next form feed, if it ends a document. No byte is searched twice.
  private mutating func formFeed(_ bytes: borrowing Span<UInt8>) -> Int? {
    guard options.endsAtFormFeed else { return nil }
    let start = max(feedless, tokenizer.offset)
    let found = firstIndex(of: XMLCharacters.formFeed, in: bytes, start..<bytes.count)
    feedless = found ?? bytes.count
    return found
  }

  /// The document ends, complete or not: tells what is lost, if that is an element that would be written, or may be.
  mutating func endDocument(
    at end: Int, _ bytes: borrowing Span<UInt8>, _ source: InputSource
  ) throws(ToolFailure) {
    let inside: String
    if let record = records.first {
      if isTooLarge(record, endingAt: end) { return try report(tooLarge(record), source) }
      inside = "element '\(shortened(array(bytes, (record.start + 1)..<record.nameEnd)))'"
    } else {
      guard tokenizer.depth < deepest, selector.leadsFurther, tokenizer.isInStartTag(bytes.extracting(0..<end)) else {
        return
      }
      inside = "a tag"
    }
    hasFailed = true
    try warn(XMLError.documentIsCutOff(inside: inside, at: end), source)
  }
}
