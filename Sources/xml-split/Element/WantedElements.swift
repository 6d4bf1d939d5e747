// The wanted elements that have not ended.
//
// Under --on-error repair, nobody knows whether an open element will end. So the elements inside it that have its name
// are kept too. If it is lost, because it has no end tag or for another reason, they are written as if they stood in its
// place, and nothing is read again.

import FeedCore

/// A wanted element that has not ended.
struct WantedElement {
  /// The offset of its start tag.
  var start: Int
  /// The offset after its name.
  var nameEnd: Int
  /// The number of elements around it, including itself.
  var depth: Int
  /// Its place on the tape, if its tree is needed.
  let node: Int?
  /// How many references to entities came before it.
  let referencesBefore: Int
  /// The last steps of the paths of PATH that its start tag matches, as bits.
  var matched: UInt64 = 0
  /// How many complete elements were kept when it began.
  var keptBefore: Int
  /// Whether it inherits namespace declarations, and is written with them.
  fileprivate(set) var hasInherited = false
}

/// Those that are open, and under repair also complete ones that may take the place of one around them.
struct WantedElements {
  /// A complete element inside a wanted one, and the offset after it.
  typealias Inner = (element: WantedElement, end: Int)

  /// The outermost first. Under repair, each of the others has its name.
  private(set) var open: [WantedElement] = []
  /// So many of these, the outermost first, are lost, and only what is inside them can be written.
  private(set) var lostCount = 0
  /// The complete elements inside the first one that is not lost, in their order. None of them is inside another.
  private(set) var kept: [Inner] = []
  /// Complete elements inside those that are lost: they are to be written, as if they stood at this depth.
  private var freed: [Inner] = []
  private(set) var freedDepth = 0
  /// The name of elements to keep inside the open ones; empty for none.
  private(set) var name: [UInt8] = []
  /// The namespace declarations of those that inherit some.
  private var inherited: [[[UInt8]]] = []

  /// The outermost one that is not lost.
  var first: WantedElement? { lostCount < open.count ? open[lostCount] : nil }
  /// Whether that one is larger than this if it reaches `end`.
  @inline(__always)
  func isTooLarge(endingAt end: Int, limit: Int) -> Bool {
    lostCount < open.count && end - open[lostCount].start > limit
  }
  /// The depth of the innermost one; 0 if there is none.
  @inline(__always)
  var lastDepth: Int { open.isEmpty ? 0 : open[open.count - 1].depth }
  var hasFreed: Bool { !freed.isEmpty }
  /// The offset of the first byte that is still needed.
  var start: Int { first?.start ?? .max }
  /// How many elements are open inside the first one that is not lost.
  var innerCount: Int { max(0, open.count - lostCount - 1) }

  /// Prepares for the removal of the first `count` bytes.
  mutating func drop(_ count: Int) {
    for index in open.indices {
      open[index].start -= count
      open[index].nameEnd -= count
    }
    for index in kept.indices {
      kept[index].element.start -= count
      kept[index].element.nameEnd -= count
      kept[index].end -= count
    }
  }

  /// Adds an element inside the others.
  /// - Parameters:
  ///   - inherited: the namespace declarations that it inherits, if it is written with them.
  ///   - name: to keep the elements inside it that have this name.
  mutating func begin(_ element: WantedElement, inherited: [[UInt8]] = [], keeping name: [UInt8] = []) {
    if !name.isEmpty { self.name = name }
    open.append(element)
    if inherited.isEmpty { return }
    self.inherited.append(inherited)
    open[open.count - 1].hasInherited = true
  }

  /// Ends the innermost one.
  /// - Parameter limit: the size of the largest element that is kept inside another.
  /// - Returns: the element; nil if it is lost, or kept because the one around it may have no end.
  @inline(__always)
  mutating func end(at offset: Int, limit: Int) -> WantedElement? {
    let element = open.removeLast()
    return name.isEmpty && lostCount == 0 ? element : end(element, at: offset, limit: limit)
  }

  private mutating func end(_ element: WantedElement, at offset: Int, limit: Int) -> WantedElement? {
    let isOuter = open.count <= lostCount || name.isEmpty
    if open.isEmpty, !name.isEmpty { name = [] }
    if open.count < lostCount {
      lostCount = open.count
      _ = takeInherited(of: element)
      return nil
    }
    // The elements inside one that is too large stay.
    if !isOuter, offset - element.start > limit { return nil }
    if kept.count > element.keptBefore { kept.removeLast(kept.count - element.keptBefore) }
    if isOuter { return element }
    kept.append((element, offset))
    return nil
  }

  /// The declarations that an element inherits that has just ended.
  mutating func takeInherited(of element: WantedElement) -> [[UInt8]] {
    element.hasInherited ? inherited.removeLast() : []
  }

  // MARK: Lost elements

  /// Loses the outermost one that is not lost.
  mutating func loseFirst() {
    lostCount += 1
    free(first?.keptBefore ?? kept.count)
  }

  /// Loses all.
  mutating func loseAll() {
    lostCount = open.count
    free(kept.count)
  }

  private mutating func free(_ count: Int) {
    if count == 0 { return }
    freedDepth = open[0].depth
    freed += kept[..<count]
    kept.removeFirst(count)
    for index in lostCount..<open.count { open[index].keptBefore -= count }
  }

  mutating func takeFreed() -> [Inner] {
    defer { freed = [] }
    return freed
  }

  /// Forgets those that are deeper, which are lost.
  mutating func leave(to depth: Int) {
    while lastDepth > depth { _ = takeInherited(of: open.removeLast()) }
    lostCount = min(lostCount, open.count)
    if open.isEmpty, !name.isEmpty { name = [] }
  }
}

/// A wanted, complete element, as a range of the text.
struct FoundElement: ~Copyable {
  let range: Range<Int>
  /// The offset after its name, where inherited declarations are inserted.
  let nameEnd: Int
  let depth: Int
  /// The namespace declarations that it inherits from the elements around it.
  let inherited: [[UInt8]]
  /// The last steps of the paths of PATH that its start tag matches, as bits.
  let matched: UInt64
  /// For an element that was in an encoding with one byte for each character.
  let table: SingleByteTable?
  /// Whether it may refer to entities that need a declaration.
  let mayHaveEntities: Bool

  init(
    _ element: WantedElement, endingAt end: Int, inherited: [[UInt8]], in document: DocumentContext,
    _ table: SingleByteTable?
  ) {
    range = element.start..<end
    nameEnd = element.nameEnd
    depth = element.depth
    self.inherited = inherited
    self.table = table
    mayHaveEntities = document.referenceCount > element.referencesBefore
    matched = element.matched
  }

  /// Writes the element unchanged, except for the declarations that it inherits.
  func write(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    if let table { output.append(table.original(text(bytes).span)) } else { writeText(bytes, to: &output) }
  }

  /// The same, as an array.
  func original(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
    table.map { $0.original(text(bytes).span) } ?? text(bytes)
  }

  /// Its text in UTF-8, with the declarations that it inherits.
  func text(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
    var output = ByteWriter()
    writeText(bytes, to: &output)
    return output.take()
  }

  private func writeText(_ bytes: borrowing Span<UInt8>, to output: inout ByteWriter) {
    output.append(bytes.extracting(range.lowerBound..<nameEnd))
    for declaration in inherited {
      output.append(" ")
      output.append(declaration)
    }
    output.append(bytes.extracting(nameEnd..<range.upperBound))
  }
}
