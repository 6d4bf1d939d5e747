import FeedCore

/// The lower half of the tokenizer: an offset in the text, and the unfinished token or markup there. It checks
/// characters as they come, and finds the ends of tokens; the tokens are checked when complete.
///
/// No byte is read more than a few times, however the text is cut: if the end of a token has not come, the search for it
/// continues from there later.
struct XMLScanner {
  private enum ScannerState {
    /// Markup or text begins at `offset`.
    case ready
    /// Inside a comment, a CDATA section or a processing instruction.
    case inside(DelimitedMarkup)
    /// A token begins at `offset`; its end has not come.
    case cut(TokenSearch)
    /// Inside a start tag that is not well-formed. Its end decides how to continue.
    case brokenTag(TokenSearch)
  }

  /// Everything before this has been checked.
  private(set) var offset: Int
  private var state = ScannerState.ready
  /// The largest token in bytes.
  let maxToken: Int
  /// Whether a form feed ends the document, so that tokens are not searched beyond it.
  private let endsAtFormFeed: Bool

  /// Whether elements are looked for where the offset is.
  var isSearched = false
  /// The first entity there that has elements. They are not found.
  private var entity: XMLError?
  private var hasWarned = false

  /// - Parameter start: the offset at which it begins.
  init(at start: Int, maxToken: Int, endsAtFormFeed: Bool) {
    offset = start
    self.maxToken = maxToken
    self.endsAtFormFeed = endsAtFormFeed
  }

  /// Whether markup or text begins here, and none of it has been read.
  var isReady: Bool { if case .ready = state { true } else { false } }

  /// Whether the offset is between the beginning and the end of markup.
  var isInside: Bool {
    switch state {
    case .inside, .brokenTag: true
    case .ready, .cut: false
    }
  }

  /// The markup around the offset.
  var markup: DelimitedMarkup? { if case .inside(let markup) = state { markup } else { nil } }

  /// Prepares for the removal of the first `count` bytes, all before `offset`.
  mutating func drop(_ count: Int) {
    offset -= count
    switch state {
    case .ready, .inside: break
    case .cut(var search):
      search.offset -= count
      state = .cut(search)
    case .brokenTag(var search):
      search.offset -= count
      state = .brokenTag(search)
    }
  }

  /// Moves to where other markup or text begins.
  @inline(__always)
  mutating func move(to end: Int) {
    offset = end
    state = .ready
  }

  /// Moves one byte further, in the same markup.
  mutating func skipByte() { offset += 1 }

  /// Enters markup whose characters begin at `start`.
  mutating func enter(_ markup: DelimitedMarkup, at start: Int) {
    offset = start
    state = .inside(markup)
  }

  /// Enters markup if it begins here.
  mutating func enter(_ markup: DelimitedMarkup, _ bytes: borrowing Span<UInt8>) -> StartsWith {
    let found = startsWith(bytes, markup.start, at: offset)
    if found == .yes { enter(markup, at: offset + markup.start.utf8CodeUnitCount) }
    return found
  }

  /// Enters a start tag that is not well-formed.
  /// - Parameter start: the offset of its name.
  mutating func enterBrokenTag(at start: Int) {
    offset = start
    state = .brokenTag(TokenSearch(.tag, from: start, endsAtFormFeed: endsAtFormFeed))
  }

  // MARK: Tokens

  /// The offset after the token of this kind that begins at `offset`.
  /// - Returns: nil if its end has not come.
  mutating func tokenEnd(
    _ bytes: borrowing Span<UInt8>, _ kind: TokenSearch.Kind, _ isLast: Bool
  ) throws(XMLError) -> Int? {
    var search = TokenSearch(kind, from: offset + 1, endsAtFormFeed: endsAtFormFeed)
    if case .cut(let former) = state { search = former }
    state = .ready
    if let end = try search.run(bytes) { return end }
    if isLast { throw .inputEnds(inside: kind.shown, at: bytes.count) }
    guard bytes.count - offset <= maxToken else { throw tooLong() }
    state = .cut(search)
    return nil
  }

  func tooLong() -> XMLError {
    XMLError("markup of more than \(maxToken) bytes (--max-size)", at: offset)
  }

  /// Enters the processing instruction at `offset`, and checks its target ([17]).
  /// - Returns: false if more bytes are needed.
  mutating func enterInstruction(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    guard let end = try tokenEnd(bytes, .target, isLast) else { return false }
    try XMLName.checkTarget(bytes, (offset + 2)..<end)
    if !bytes[end].isWhiteSpace {
      let isMark = bytes[end] == UInt8(ascii: "?")
      if isMark, end + 1 == bytes.count {
        if isLast { throw .inputEnds(inside: "a processing instruction", at: bytes.count) }
        return false
      }
      guard isMark, bytes[end + 1] == UInt8(ascii: ">") else {
        throw XMLError("expected white space or '?>' after the target of a processing instruction", at: end)
      }
    }
    enter(.processingInstruction, at: end)
    return true
  }

  // MARK: Characters

  /// Moves to the end of the current markup, and checks the characters up to there.
  /// - Returns: false if more bytes are needed.
  mutating func finishMarkup(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    guard case .inside(let markup) = state else { return true }
    search: while try skip(to: markup.endByte, bytes, isLast) {
      switch startsWith(bytes, markup.end, at: offset) {
      case .yes:
        move(to: offset + markup.end.utf8CodeUnitCount)
        return true
      case .cut: break search
      case .no: break
      }
      if markup == .comment, startsWith(bytes, "--", at: offset) == .yes {
        throw XMLError("'--' in a comment", at: offset)
      }
      offset += 1
    }
    if isLast { throw .inputEnds(inside: markup.shown, at: bytes.count) }
    return false
  }

  /// Checks characters up to the next `stop`.
  /// - Returns: false if it has not come.
  private mutating func skip(to stop: UInt8, _ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    while offset < bytes.count {
      offset = XMLText.plainEnd(bytes, offset, stop: stop)
      guard offset < bytes.count else { return false }
      if bytes[offset] == stop { return true }
      let end = XMLCharacters.wideEnd(bytes, offset)
      if end > offset {
        offset = end
        continue
      }
      guard try skipCharacter(bytes, &offset, isLast) else { return false }
    }
    return false
  }

  /// - Returns: false if the character is cut.
  private func skipCharacter(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ isLast: Bool
  ) throws(XMLError) -> Bool {
    switch XMLCharacters.at(bytes, index) {
    case .character(_, let count): index += count
    case .cut where !isLast: return false
    case .cut, .illegal: throw XMLText.illegal(bytes, index)
    }
    return true
  }

  /// Checks character data and references up to the next `<`.
  /// - Returns: false if more bytes are needed.
  mutating func text(
    _ bytes: borrowing Span<UInt8>, _ isLast: Bool, _ document: inout DocumentContext
  ) throws(XMLError) -> Bool {
    var index = offset
    defer { offset = max(offset, index) }
    while true {
      index = XMLText.plainEnd(bytes, index)
      guard index < bytes.count else { return true }
      switch bytes[index] {
      case UInt8(ascii: "<"): return true
      case UInt8(ascii: "]"):
        guard index + 2 < bytes.count else {
          // `]]` at the very end of the bytes may become `]]>`, which text must not contain.
          let isBracket = index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: "]")
          if !isLast, isBracket { return false }
          index += 1
          continue
        }
        if bytes[index + 1] == UInt8(ascii: "]"), bytes[index + 2] == UInt8(ascii: ">") {
          throw XMLError("']]>' in text", at: index)
        }
        index += 1
      case UInt8(ascii: "&"):
        if isReady, let reference = XMLReference.simple(bytes, at: index) {
          index = reference.end
          continue
        }
        offset = index
        guard let end = try tokenEnd(bytes, .reference, isLast) else { return false }
        if case .entity(let name) = try XMLReference(bytes, offset..<end) {
          try document.check(name, in: .content, at: offset)
          if isSearched, entity == nil, document.entities.mayHaveElements(name) {
            entity = XMLError("the elements in entity '\(shortened(name))' are not compared with PATH", at: offset)
          }
        }
        index = end
        offset = end
      default:
        let end = XMLCharacters.wideEnd(bytes, index)
        if end > index {
          index = end
          continue
        }
        guard try skipCharacter(bytes, &index, isLast) else { return false }
      }
    }
  }

  /// The warning of that entity, once.
  mutating func takeWarning() -> XMLError? {
    guard let entity, !hasWarned else { return nil }
    hasWarned = true
    return entity
  }

  // MARK: After an error

  /// Moves to the end of the current broken start tag, if there is one: after a `>` outside quotes, or before the next
  /// `<` or a form feed that ends the document.
  /// - Returns: whether it is an empty tag; nil if more bytes are needed.
  mutating func finishBrokenTag(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) -> Bool? {
    guard case .brokenTag(var search) = state else { return false }
    do {
      if let end = try search.run(bytes) {
        move(to: end)
        return bytes[end - 2] == UInt8(ascii: "/")
      }
    } catch {
      move(to: error.offset)
      return false
    }
    if isLast {
      move(to: bytes.count)
      return false
    }
    // The last byte stays, because it shows whether the tag is empty.
    offset = max(offset, bytes.count - 1)
    state = .brokenTag(search)
    return nil
  }
}
