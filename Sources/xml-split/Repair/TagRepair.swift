import FeedCore

/// Repairs a start tag as a whole, in one pass: a value without quotes gets them, an attribute without a value gets an
/// empty one, the second of two equal attributes goes, and values are repaired like text. If something else is wrong, it
/// is no tag, and its `<` is text.
struct TagRepair {
  enum RepairedTag {
    /// The tag, and the offset after it.
    case tag([UInt8], end: Int)
    /// Nothing is wrong with it, except perhaps a limit.
    case unchanged
    /// It is no tag.
    case text
    /// The bytes end before the tag.
    case cut
  }

  /// A tag with a `<` in it may have no end. So its end is only searched this far.
  static let maxSuspect = 4096

  /// Where the search for the end stops.
  private let limit: Int
  private var index: Int
  /// The tag, up to `copied`.
  private var text: [UInt8] = []
  private var copied: Int
  private var names: Set<[UInt8]> = []
  private var hasChanges = false

  /// - Parameters:
  ///   - start: the offset of `<`.
  ///   - limit: the offset before which the tag must end.
  private init(at start: Int, limit: Int) {
    self.limit = limit
    index = start + 1
    copied = start
  }

  static func run(
    _ bytes: borrowing Span<UInt8>, at start: Int, limit: Int, _ document: inout DocumentContext
  ) -> RepairedTag {
    var repair = TagRepair(at: start, limit: limit)
    guard case .at(let nameEnd) = XMLName.end(bytes, start + 1) else { return .cut }
    if nameEnd == start + 1 { return .text }
    repair.index = nameEnd
    return repair.rest(bytes, &document)
  }

  /// Reads what follows the name.
  private mutating func rest(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairedTag {
    while true {
      let before = index
      skipSpace(bytes)
      guard index < limit else { return .cut }
      switch bytes[index] {
      case UInt8(ascii: ">"): return end(bytes, 1)
      case UInt8(ascii: "/"):
        guard index + 1 < limit else { return .cut }
        if bytes[index + 1] == UInt8(ascii: ">") { return end(bytes, 2) }
        return .text
      default:
        if let result = attribute(bytes, after: before, &document) { return result }
      }
    }
  }

  private mutating func end(_ bytes: borrowing Span<UInt8>, _ count: Int) -> RepairedTag {
    guard hasChanges else { return .unchanged }
    index += count
    copy(bytes, to: index)
    return .tag(text, end: index)
  }

  /// - Parameter before: the offset after what comes before the attribute.
  /// - Returns: nil if the tag goes on.
  private mutating func attribute(
    _ bytes: borrowing Span<UInt8>, after before: Int, _ document: inout DocumentContext
  ) -> RepairedTag? {
    let start = index
    guard case .at(let nameEnd) = XMLName.end(bytes, start) else { return .cut }
    if nameEnd == start { return .text }
    copy(bytes, to: before)
    let count = text.count
    if start == before { insert(" ") }
    index = nameEnd
    skipSpace(bytes)
    guard index < limit else { return .cut }
    if bytes[index] == UInt8(ascii: "=") {
      index += 1
      skipSpace(bytes)
      guard index < limit else { return .cut }
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
  private mutating func value(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairedTag? {
    let quote = bytes[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return bareValue(bytes, &document) }
    index += 1
    var hasTag = false
    while index < limit, bytes[index] != quote {
      if bytes[index] == UInt8(ascii: "<") { hasTag = true }
      if let result = character(bytes, &document) { return result }
    }
    index += 1
    guard index < limit else { return .cut }
    // A quote in front of something else probably begins a value: then the quote before the `<` ended none.
    let next = bytes[index]
    return !hasTag || next.isWhiteSpace || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") ? nil : .text
  }

  private mutating func bareValue(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairedTag? {
    copy(bytes, to: index)
    insert("\"")
    while index < limit, !isBareEnd(bytes) {
      if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "<") { return .text }
      if let result = character(bytes, &document) { return result }
    }
    // What follows a slash shows whether it ends the tag.
    guard index < limit, bytes[index] != UInt8(ascii: "/") || index + 1 < limit else { return .cut }
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
  private mutating func character(_ bytes: borrowing Span<UInt8>, _ document: inout DocumentContext) -> RepairedTag? {
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
      case .cut: return .cut
      case .illegal:
        let step = RepairStep.character(bytes, at: index, isLast: false)
        guard case .edit(let repair) = step else { return .cut }
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
