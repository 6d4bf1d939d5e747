import FeedCore

/// Repairs a start tag as a whole, in one pass: a value without quotes gets them, an attribute without a value gets an
/// empty one, the second of two equal attributes goes, and values are repaired like text. If something else is wrong, it
/// is no tag, and its `<` is text.
struct TagRepair {
  /// A tag with a `<` in it may have no end. So its end is only searched this far.
  static let maxSuspect = 4096

  private let start: Int
  /// Where the search for the end stops.
  private let limit: Int
  private let ifNoTag: RepairStep
  private let ifCut: RepairStep
  private var index: Int
  /// The tag, up to `copied`.
  private var text: [UInt8] = []
  private var copied: Int
  private var names: Set<[UInt8]> = []
  private var hasChanges = false

  /// - Parameters:
  ///   - start: the offset of `<`.
  ///   - limit: the offset before which the tag must end.
  ///   - ifNoTag: what to do if it is no tag.
  ///   - ifCut: what to do if the bytes end before the tag.
  /// - Returns: `none` if nothing is wrong with it, except perhaps a limit.
  static func run(
    _ bytes: borrowing Span<UInt8>, at start: Int, limit: Int, ifNoTag: RepairStep, ifCut: RepairStep,
    _ document: inout DocumentContext
  ) -> RepairStep {
    var repair = TagRepair(
      start: start, limit: limit, ifNoTag: ifNoTag, ifCut: ifCut, index: start + 1, copied: start)
    guard let nameEnd = XMLName.end(bytes, start + 1) else { return ifCut }
    if nameEnd == start + 1 { return ifNoTag }
    repair.index = nameEnd
    return repair.rest(bytes, &document)
  }

  /// Reads what follows the name.
  private mutating func rest(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairStep {
    while true {
      let before = index
      skipSpace(bytes)
      guard index < limit else { return ifCut }
      switch bytes[index] {
      case UInt8(ascii: ">"): return end(bytes, 1)
      case UInt8(ascii: "/"):
        guard index + 1 < limit else { return ifCut }
        if bytes[index + 1] == UInt8(ascii: ">") { return end(bytes, 2) }
        return ifNoTag
      default:
        if let result = attribute(bytes, after: before, &document) { return result }
      }
    }
  }

  private mutating func end(_ bytes: borrowing Span<UInt8>, _ count: Int) -> RepairStep {
    guard hasChanges else { return .none }
    index += count
    copy(bytes, to: index)
    return .edit(Repair(start..<index, text))
  }

  /// - Parameter before: the offset after what comes before the attribute.
  /// - Returns: nil if the tag goes on.
  private mutating func attribute(
    _ bytes: borrowing Span<UInt8>, after before: Int, _ document: inout DocumentContext
  ) -> RepairStep? {
    let start = index
    guard let nameEnd = XMLName.end(bytes, start) else { return ifCut }
    if nameEnd == start { return ifNoTag }
    copy(bytes, to: before)
    let count = text.count
    if start == before { insert(" ") }
    index = nameEnd
    skipSpace(bytes)
    guard index < limit else { return ifCut }
    if bytes[index] == UInt8(ascii: "=") {
      index += 1
      skipSpace(bytes)
      guard index < limit else { return ifCut }
      if let result = value(bytes, &document) { return result }
    } else {
      index = nameEnd
      copy(bytes, to: index)
      insert("=\"\"")
    }
    if !names.insert(array(bytes, start..<nameEnd)).inserted {
      text.removeLast(text.count - count)
      copied = index
      hasChanges = true
    }
    return nil
  }

  /// Reads a value, with quotes or without.
  private mutating func value(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairStep? {
    let quote = bytes[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return bareValue(bytes, &document) }
    index += 1
    var hasTag = false
    while index < limit, bytes[index] != quote {
      if bytes[index] == UInt8(ascii: "<") { hasTag = true }
      if let result = character(bytes, &document) { return result }
    }
    index += 1
    guard index < limit else { return ifCut }
    // A quote in front of something else probably begins a value: then the quote before the `<` ended none.
    let next = bytes[index]
    return !hasTag || next.isWhiteSpace || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") ? nil : ifNoTag
  }

  private mutating func bareValue(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairStep? {
    copy(bytes, to: index)
    insert("\"")
    while index < limit, !isBareEnd(bytes) {
      if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "<") { return ifNoTag }
      if let result = character(bytes, &document) { return result }
    }
    // What follows a slash shows whether it ends the tag.
    guard index < limit, bytes[index] != UInt8(ascii: "/") || index + 1 < limit else { return ifCut }
    copy(bytes, to: index)
    insert("\"")
    return nil
  }

  /// Whether a value without quotes ends here.
  private func isBareEnd(_ bytes: borrowing Span<UInt8>) -> Bool {
    if bytes[index].isWhiteSpace || bytes[index] == UInt8(ascii: ">") { return true }
    guard bytes[index] == UInt8(ascii: "/") else { return false }
    return index + 1 >= limit || bytes[index + 1] == UInt8(ascii: ">")
  }

  /// Reads a character or a reference of a value.
  private mutating func character(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairStep? {
    switch bytes[index] {
    case UInt8(ascii: "<"): replace(bytes, Repair(index..<(index + 1), "&lt;"))
    case UInt8(ascii: "&"):
      var isRight = false
      if let end = (try? XMLReference.end(bytes, from: index + 1)) ?? nil, end <= limit {
        isRight = document.accepts(index..<end, bytes)
        if isRight { index = end }
      }
      if !isRight { replace(bytes, RepairStep.reference(bytes, at: index)) }
    default:
      switch XMLCharacters.at(bytes, index) {
      case .character(_, let count): index += count
      case .cut: return ifCut
      case .illegal:
        let step = RepairStep.character(bytes, at: index, isLast: false)
        guard case .edit(let repair) = step else { return ifCut }
        replace(bytes, repair)
      }
    }
    return nil
  }

  // MARK: The text

  private mutating func skipSpace(_ bytes: borrowing Span<UInt8>) {
    while index < limit, bytes[index].isWhiteSpace { index += 1 }
  }

  private mutating func copy(_ bytes: borrowing Span<UInt8>, to end: Int) {
    guard end > copied else { return }
    text.append(span: bytes.extracting(copied..<end))
    copied = end
  }

  private mutating func insert(_ bytes: StaticString) {
    text += Array(bytes.description.utf8)
    hasChanges = true
  }

  private mutating func replace(_ bytes: borrowing Span<UInt8>, _ repair: Repair) {
    copy(bytes, to: repair.range.lowerBound)
    text += repair.replacement
    index = repair.range.upperBound
    copied = index
    hasChanges = true
  }
}
