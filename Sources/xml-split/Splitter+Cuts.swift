// What happens if a document is cut off because a connection broke, and another begins: after a form feed, or with a
// start tag that the user has named (--restart-at). The open elements are lost and reported; reading continues.
//
// XML does not allow a form feed, nor a start tag in the middle of other markup, so the tokenizer reports an error
// there. Only then is a cut considered. The text before it is read again as if nothing followed yet. If it has an error
// of its own, that is reported; otherwise the cut caused the error.

import FeedCore

/// Which cuts to look for.
enum Cuts {
  case all
  /// Only start tags: there is no form feed.
  case startTags
  case none
}

/// The meaning of a tokenizer error.
enum CutOff {
  /// A real error.
  case none
  /// The end of a document; another one has begun.
  case passed
  /// More bytes are needed to decide, or nothing more is wanted.
  case undecided
  /// More bytes are needed, but the next document must be decoded in another way first.
  case turn(EncodingChange)
}

extension Splitter {
  /// Checks whether a tokenizer error is there because the document was cut off, and if so, begins the next document.
  mutating func passCut(
    _ bytes: borrowing Span<UInt8>, _ source: InputSource, isLast: Bool, _ cuts: Cuts
  ) throws(ToolFailure) -> CutOff {
    if cuts == .all, let end = formFeed(bytes) {
      if let turn = try process(bytes.extracting(0..<end), source, isLast: false, cuts: .startTags) {
        return .turn(turn)
      }
      if repairs.isWaiting || isDone { return .undecided }
      try endDocument(at: end, bytes, source)
      let next = end + 1
      begin(at: next)
      let isKnown = !source.isUTF16 && !source.isConverting && InputDecoder.passes(bytes, from: next, isLast: isLast)
      if isKnown { return .passed }
      return .turn((next, StreamEncoding()))
    }
    guard cuts != .none, let (start, tag) = nextRestartTag(bytes), tag == .yes || !isLast else { return .none }
    let faultsBefore = faultCount
    if let turn = try process(bytes.extracting(0..<start), source, isLast: false, cuts: .none) { return .turn(turn) }
    // An error of its own decides how it goes on, as if the start tag had not come yet.
    if faultCount > faultsBefore { return .passed }
    if tag == .cut || repairs.isWaiting || isDone { return .undecided }
    try endDocument(at: start, bytes, source)
    begin(at: start, in: tokenizer.encoding)
    return .passed
  }

  /// The next form feed, if it ends a document. No byte is searched twice.
  private mutating func formFeed(_ bytes: borrowing Span<UInt8>) -> Int? {
    guard options.endsAtFormFeed else { return nil }
    let start = max(feedless, tokenizer.offset)
    let found = firstIndex(of: XMLCharacters.formFeed, in: bytes, start..<bytes.count)
    feedless = found ?? bytes.count
    return found
  }

  /// The start tag in or after the wrong markup, if it may begin a document.
  private func nextRestartTag(_ bytes: borrowing Span<UInt8>) -> (start: Int, tag: StartsWith)? {
    guard options.restartName != nil, joined.isRestart || tokenizer.depth == 0, !tokenizer.isInsideMarkup,
      tokenizer.offset < bytes.count
    else { return nil }
    let first = tokenizer.offset
    // Without an open element around it, the tag itself is the error.
    if tokenizer.depth > 0 {
      if restartTag(at: first, bytes) == .yes { return (first, .yes) }
      // XMPP begins its stream again with an XML declaration (RFC 6120, §4.3.3).
      switch XMLTokenizer.isXMLDeclaration(bytes, at: first, isLast: false) {
      case true: return (first, .yes)
      case nil: return (first, .cut)
      case false?: break
      }
    }
    guard let next = firstIndex(of: UInt8(ascii: "<"), in: bytes, (first + 1)..<bytes.count) else { return nil }
    let tag = restartTag(at: next, bytes)
    return tag == .no ? nil : (next, tag)
  }

  /// Whether a start tag is here that begins a document inside another (--restart-at).
  func restartTag(at start: Int, _ bytes: borrowing Span<UInt8>) -> StartsWith {
    guard let name = options.restartName, bytes[start] == UInt8(ascii: "<") else { return .no }
    guard let end = XMLName.end(bytes, start + 1) else { return bytes.count - start - 1 <= name.count ? .cut : .no }
    return isName(bytes, (start + 1)..<end, name) ? .yes : .no
  }

  /// Ends the document, complete or not. Reports a lost element if it would be written, or might be.
  mutating func endDocument(
    at end: Int, _ bytes: borrowing Span<UInt8>, _ source: InputSource
  ) throws(ToolFailure) {
    try warnOfEntity(source)
    let inside: String
    if let record = wanted.first {
      if wanted.isTooLarge(endingAt: end, limit: options.limits.maxToken) {
        return try report(tooLarge(record), source)
      }
      inside = "element '\(shortened(array(bytes, (record.start + 1)..<record.nameEnd)))'"
    } else {
      guard tokenizer.depth < deepest, selector.leadsFurther, tokenizer.isInStartTag(bytes.extracting(0..<end)) else {
        return
      }
      inside = "a tag"
    }
    hasFailed = true
    try warn(XMLError.documentIsCutOff(inside: inside, at: end), source)
    wanted.loseAll()
    try settleLost(bytes, source)
  }
}
