/// The text between the children of an opened container in a JSONC document. The verbatim writer asks for it before
/// each child and before the closing bracket.
///
/// Where no child was removed or inserted, the text is copied. Elsewhere it is put together of parts of gaps (see
/// CommentedGap): the comments of the child before, those of nobody in all gaps up to the next child, and the comments
/// of that child. Just one comma is kept; after the last child, only if the container had a trailing one.
struct CommentedChildren {
  /// What was written last.
  private enum Previous { case bracket, old, new }

  private let document: JSONDocument
  private let text: [UInt8]
  private let container: JSONValue
  private let isObject: Bool
  /// The tape position of the next child as read, and the gap before it.
  private var place: Int
  private var gap: CommentedGap
  private var previous = Previous.bracket
  private var isOwnDone = false
  private var isRestDone = false
  /// The comments of nobody in the gaps before `gap`, with their white space.
  private var free: [CommentPiece] = []

  init(of container: JSONValue) {
    let document = container.document
    let text = document.text
    let first = document.first(container.position)
    let range = (document.start(container.position) + 1)..<document.start(first)
    self.container = container
    self.document = document
    self.text = text
    isObject = container.kind == .object
    place = first
    gap = CommentedGap(range, at: .lead, in: text.span)
  }

  // MARK: Text

  /// The text before a new child.
  /// - Parameter separator: a comma with white space, without comments.
  mutating func beforeNew(separator: [UInt8]) -> [UInt8] {
    defer {
      previous = .new
      isOwnDone = true
    }
    var own = ownPiece
    if previous == .bracket {
      isRestDone = true
      return joined(own, [rest], lineBreak, hasComma: false)
    }
    // After a trailing comma, on the line of the bracket.
    if own.comma != nil, !lineBreak.contains(where: \.isLineEnd) { own.dropComma() }
    var piece = CommentPiece(separator)
    if !own.bytes.isEmpty, own.comma == nil, let comma = piece.comma, !separator[..<comma].contains(where: \.isLineEnd),
      own.needsBreak || separator[comma...].contains(where: \.isLineEnd)
    {
      // The comma goes between the child before and its comment.
      piece.dropComma()
    }
    return joined(own, [piece], lineBreak, hasComma: true)
  }

  /// The text before the child that was read from this place on the tape.
  mutating func before(_ child: Int, separator: [UInt8]) -> [UInt8] {
    defer {
      enterGap(after: child)
      (previous, isOwnDone, isRestDone) = (.old, false, false)
      free = []
    }
    if previous != .new, place == child { return Array(text[gap.range]) }
    let (own, lineBreak) = (ownPiece, lineBreak)
    let isFirst = previous == .bracket
    pass(to: child)
    let next = CommentPiece(text, gap.nextStart..<gap.range.upperBound, comma: gap.comma)
    var pieces = free
    // The comments of the child must not get on the line of another one.
    let needsLine = !next.bytes.isEmpty && rest.hasLine
    if isRestDone {
      let separator = CommentPiece(separator)
      pieces.append(needsLine && !separator.hasLine ? rest : separator)
    } else if !isFirst || gap.hasFree || needsLine && pieces.last?.hasLine != true {
      pieces.append(rest)
    }
    return joined(own, pieces, then: next, lineBreak, hasComma: !isFirst)
  }

  /// The text before the closing bracket.
  mutating func atEnd() -> [UInt8] {
    let last = document.last(container.position)
    if previous == .old, place == last { return Array(text[gap.range]) }
    let (own, lineBreak) = (ownPiece, lineBreak)
    let isEmptied = previous == .bracket
    // No line is needed for a first child.
    if isEmptied { isRestDone = !gap.hasFree }
    pass(to: last)
    if isEmptied, own.bytes.isEmpty, free.isEmpty, !gap.hasFree { return [] }
    return joined(own, free + [rest], lineBreak, hasComma: !isEmptied && gap.comma != nil, isEnd: true)
  }

  // MARK: Parts

  /// Passes the removed children up to `end`.
  private mutating func pass(to end: Int) {
    while place < end {
      let isLead = place == document.first(container.position)
      if !isRestDone, gap.hasFree || isLead { free.append(rest) }
      enterGap(after: place)
      isRestDone = false
    }
  }

  /// Goes to the gap after a child, which begins where its value ends: a name and its colon are never in one.
  private mutating func enterGap(after child: Int) {
    let value = isObject ? child + 1 : child
    place = document.next(value)
    let isLast = place == document.last(container.position)
    let range = document.end(value)..<TapeWord.offset(document.tape[place])
    gap = CommentedGap(range, at: isLast ? .trail : .middle, in: text.span)
  }

  private var ownPiece: CommentPiece {
    isOwnDone
      ? CommentPiece([])
      : CommentPiece(text, gap.range.lowerBound..<gap.ownEnd, comma: gap.comma, endsWithLine: gap.ownEndsWithLine)
  }

  private var rest: CommentPiece { CommentPiece(text, gap.ownEnd..<gap.nextStart, comma: gap.comma) }

  /// The white space after a value's own comments.
  private var lineBreak: [UInt8] { rest.leadingSpace.filter(\.isWhiteSpace) }

  /// - Parameters:
  ///   - own: the comments of the child before.
  ///   - pieces: comments of nobody, and white space.
  ///   - next: the comments of the child after.
  ///   - lineBreak: what `own` needs after it, if no piece brings it.
  ///   - isEnd: whether a closing bracket follows.
  private func joined(
    _ own: CommentPiece, _ pieces: [CommentPiece], then next: CommentPiece = CommentPiece([]), _ lineBreak: [UInt8],
    hasComma: Bool, isEnd: Bool = false
  ) -> [UInt8] {
    var all = [own] + pieces + [next]
    let needsBreak = own.needsBreak
    var isKept = !hasComma
    for index in all.indices where all[index].comma != nil {
      if isKept { all[index].dropComma() }
      isKept = true
    }
    if needsBreak, all[1].lines == 0 {
      all[1].dropLeadingSpace()
      all[1].prepend(lineBreak)
    }
    if own.endsWithLine { all[1].dropBlanks() }
    for index in 2..<max(2, all.count - 1) {
      // Where two stretches of white space meet, the one with more lines stays; before the bracket, its own.
      if all[index].lines > 0, isEnd && all[index].isSpace || all[index].lines >= all[index - 1].linesAtEnd {
        all[index - 1].dropTrailingSpace()
      } else {
        all[index].dropLeadingSpace()
      }
    }
    let lacksComma = hasComma && all.allSatisfy { $0.comma == nil }
    return (lacksComma ? [UInt8(ascii: ",")] : []) + all.flatMap(\.bytes)
  }
}

/// A part of the text between two children.
private struct CommentPiece {
  private(set) var bytes: [UInt8]
  /// Where it has the comma.
  private(set) var comma: Int?
  /// Whether it ends with a comment of the form `//`.
  let endsWithLine: Bool
  /// Whether the line must end after it. After the comma, only that shows whose the comment is.
  var needsBreak: Bool { endsWithLine || comma != nil && !isSpace }

  /// - Parameter bytes: without comments.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    comma = bytes.firstIndex(of: UInt8(ascii: ","))
    endsWithLine = false
  }

  init(_ text: [UInt8], _ range: Range<Int>, comma: Int?, endsWithLine: Bool = false) {
    bytes = Array(text[range])
    self.comma = comma.flatMap { range.contains($0) ? $0 - range.lowerBound : nil }
    self.endsWithLine = endsWithLine
  }

  /// A comma counts as white space here, as it may be moved or dropped like it.
  private static func isSpace(_ byte: UInt8) -> Bool { byte.isWhiteSpace || byte == UInt8(ascii: ",") }

  var isSpace: Bool { leadingSpace.count == bytes.count }
  var leadingSpace: ArraySlice<UInt8> { bytes.prefix(while: Self.isSpace) }
  var hasLine: Bool { leadingSpace.contains(where: \.isLineEnd) }
  /// How many lines end before the first comment or comma.
  var lines: Int { Self.lines(bytes.prefix(while: \.isWhiteSpace)) }
  /// How many lines end after the last comment.
  var linesAtEnd: Int { Self.lines(bytes.reversed().prefix(while: Self.isSpace)) }

  /// Only line feeds are counted, so that CR LF is one line end.
  private static func lines(_ space: some Sequence<UInt8>) -> Int {
    space.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
  }

  mutating func dropComma() {
    if let comma { bytes.remove(at: comma) }
    comma = nil
  }

  mutating func dropLeadingSpace() { dropFirst(leadingSpace.count) }
  mutating func dropBlanks() { dropFirst(bytes.prefix(while: \.isBlank).count) }

  private mutating func dropFirst(_ count: Int) {
    bytes.removeFirst(count)
    comma = comma.flatMap { $0 < count ? nil : $0 - count }
  }

  mutating func dropTrailingSpace() {
    while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
    if let place = comma, place >= bytes.count { comma = nil }
  }

  mutating func prepend(_ space: [UInt8]) {
    bytes.insert(contentsOf: space, at: 0)
    comma = comma.map { $0 + space.count }
  }
}
