// The layout of a text, learnt from the bytes of a container, or from the whole document if the container shows
// nothing. Only inserted values need it; everything else is copied.

/// The white space of one container, in the document that it came with.
struct ContainerLayout {
  private let document: JSONDocument
  private let container: JSONValue

  /// From the opening bracket to the first child; empty if there is no child.
  let lead: [UInt8]
  /// The text before the closing bracket; without children, the text between the brackets.
  let trail: [UInt8]
  /// A comma with the white space around it, copied from between two children. Nil if there are fewer than two.
  let separator: [UInt8]?
  /// A colon with the white space around it. Nil if there is no member.
  let colon: [UInt8]?

  init(of container: JSONValue) {
    self.container = container
    document = container.document
    let start = document.start(container.position) + 1
    let end = document.end(container.position) - 1
    let first = document.first(container.position)
    let last = document.last(container.position)
    trail = Self.layout(document, (end - Self.whiteSpace(endingAt: end, in: document.bytes).count)..<end)
    guard first < last else {
      (lead, separator, colon) = ([], nil, nil)
      return
    }
    lead = Self.layout(document, start..<document.start(first))
    let isObject = container.kind == .object
    colon = isObject ? Self.layout(document, document.end(first)..<document.start(first + 1)) : nil
    let second = document.next(isObject ? first + 1 : first)
    separator = second < last ? Self.separator(document, second) : nil
  }

  var isEmpty: Bool { document.first(container.position) == document.last(container.position) }
  var isMultiLine: Bool { (isEmpty ? trail : lead).contains(UInt8(ascii: "\n")) }

  /// Whether the first child that is a non-empty container is on one line.
  var hasChildrenOnOneLine: Bool {
    for child in container.children where child.value.kind.isContainer {
      let inner = child.value
      if document.first(inner.position) == document.last(inner.position) { continue }
      return !document.bytes[inner.range].contains(UInt8(ascii: "\n"))
    }
    return false
  }

  /// The comma, with its white space, before the child that begins at tape position `place`, which is not the first.
  func separator(before place: Int) -> [UInt8] { Self.separator(document, place) }

  func isFirst(_ place: Int) -> Bool { place == document.first(container.position) }

  private static func separator(_ document: JSONDocument, _ place: Int) -> [UInt8] {
    let end = document.start(place)
    let comma = end - whiteSpace(endingAt: end, in: document.bytes).count - 1
    let start = comma - whiteSpace(endingAt: comma, in: document.bytes).count
    return layout(document, start..<end)
  }

  /// The text between two tokens, less its comments.
  private static func layout(_ document: JSONDocument, _ range: Range<Int>) -> [UInt8] {
    guard let text = document.commented else { return Array(document.bytes[range]) }
    return CommentedGap.layout(of: range, in: text.span)
  }

  private static func whiteSpace(endingAt end: Int, in bytes: [UInt8]) -> [UInt8] {
    var start = end
    while start > 0, bytes[start - 1].isWhiteSpace { start -= 1 }
    return Array(bytes[start..<end])
  }
}

/// The layout habits of the whole document.
struct DocumentLayout {
  /// `\n` or `\r\n`.
  private(set) var lineEnd: [UInt8] = [UInt8(ascii: "\n")]
  /// One level of indentation.
  private(set) var unit: [UInt8] = []
  /// Whether containers are laid out over several lines at all.
  private(set) var isMultiLine = false
  /// White space after a comma or colon, if no new line follows.
  private(set) var afterComma: [UInt8] = []
  private(set) var afterColon: [UInt8] = []

  /// A habit shows in the first containers or not at all.
  private static let containersLookedAt = 1000

  /// Looks at containers from the top until every habit is known.
  init(of document: JSONDocument) {
    guard !document.isCompact else { return }
    var position = 0
    var looked = 0
    var (knowsComma, knowsColon) = (false, false)
    while position < document.tape.count, looked < Self.containersLookedAt, !(isMultiLine && knowsComma && knowsColon) {
      defer { position += 1 }
      guard document.tape[position] & 0xF < 0xE, document.kind(position).isContainer else { continue }
      let layout = ContainerLayout(of: JSONValue(document: document, position: position))
      position += 1  // past the second word
      looked += 1
      if layout.isMultiLine, !layout.isEmpty, !isMultiLine {
        isMultiLine = true
        learnLines(layout, Self.indentation(at: document.start(position - 1), in: document.text))
      }
      if let colon = layout.colon, !knowsColon {
        knowsColon = true
        afterColon = Array(colon.drop { $0 != UInt8(ascii: ":") }.dropFirst())
      }
      if !layout.isMultiLine, let separator = layout.separator, !separator.contains(UInt8(ascii: "\n")), !knowsComma {
        knowsComma = true
        afterComma = Array(separator.drop { $0 != UInt8(ascii: ",") }.dropFirst())
      }
    }
    if !isMultiLine, document.root.kind.isContainer { learnLines(ofEmpty: document.root) }
    // There is no member to learn from; multi-line JSON usually has a space there.
    if !knowsColon, isMultiLine { afterColon = [UInt8(ascii: " ")] }
    if !knowsComma { afterComma = afterColon }
  }

  /// A level of indentation is what the first child has more than its container.
  private mutating func learnLines(_ layout: ContainerLayout, _ outer: [UInt8]) {
    let inner = Self.lastLine(layout.lead)
    unit = inner.starts(with: outer) ? Array(inner.dropFirst(outer.count)) : inner
    if layout.lead.contains(UInt8(ascii: "\r")) { lineEnd = [UInt8(ascii: "\r"), UInt8(ascii: "\n")] }
  }

  /// Without children, a comment may show the unit.
  private mutating func learnLines(ofEmpty root: JSONValue) {
    let layout = ContainerLayout(of: root)
    guard layout.isEmpty, layout.isMultiLine else { return }
    isMultiLine = true
    if layout.trail.contains(UInt8(ascii: "\r")) { lineEnd = [UInt8(ascii: "\r"), UInt8(ascii: "\n")] }
    let first = root.document.text[root.range].drop { $0 != UInt8(ascii: "\n") }.dropFirst()
    let blanks = first.prefix(while: \.isBlank)
    let isComment = first.dropFirst(blanks.count).first == UInt8(ascii: "/")
    unit = isComment && !blanks.isEmpty ? Array(blanks) : Array("  ".utf8)
  }

  /// The white space at the start of the line that `offset` is on.
  static func indentation(at offset: Int, in bytes: [UInt8]) -> [UInt8] {
    var start = offset
    while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    return Array(bytes[start..<offset].prefix(while: \.isBlank))
  }

  /// The text after the last line end of `text`.
  static func lastLine(_ text: [UInt8]) -> [UInt8] {
    guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    return Array(text[(end + 1)...])
  }
}
