// Matches PATH against the tags of the input.

import FeedCore

/// Follows PATH through the open elements, with the namespaces in scope.
struct ElementSelector {
  private var matcher: PathMatcher
  private(set) var namespaces = Namespaces()
  /// The entities of the document; nil if it has none, or references stay as they are.
  var entities: EntityTexts?

  init(_ path: XMLPath) { matcher = PathMatcher(path) }

  /// Whether PATH can match an element inside the innermost one.
  var leadsFurther: Bool { matcher.open != 0 }

  /// Enters an element.
  /// - Returns: the last steps of the paths that match it, as bits. Their late conditions are still to be tested.
  /// - Throws: if that cannot be decided. PATH then matches nothing inside it.
  @inline(__always)
  mutating func enter(
    _ tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> UInt64 {
    if !attributes.isEmpty { namespaces.enter(bytes, tag, attributes, entities) }
    var matching: UInt64 = 0
    do throws(XMLError) {
      for step in SetBits(matcher.open) where try matches(step, tag, attributes, bytes) {
        matching |= 1 << UInt64(step)
      }
    } catch {
      enterLost()
      throw error
    }
    matcher.enter(matching)
    return matching & matcher.path.last
  }

  /// Enters an element whose tag is not well-formed.
  mutating func enterLost() { matcher.enter(0) }

  /// Leaves elements until `depth` of them are open.
  mutating func leave(to depth: Int) {
    matcher.leave(to: depth)
    namespaces.leave(to: depth)
  }

  private mutating func matches(
    _ index: Int, _ tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> Bool {
    guard try matches(matcher.path.steps[index].name, tag.name, bytes, isAttribute: false) else { return false }
    for predicate in matcher.path.steps[index].predicates {
      switch predicate {
      case .number(let number, let counter): if matcher.count(counter) != number { return false }
      case .last: return false
      case .condition(let condition):
        guard case .attribute(let name) = condition.value, condition.isEarly else { continue }
        if try hasAttribute(name, condition.test, attributes, bytes) == condition.isNegated { return false }
      }
    }
    return true
  }

  private func hasAttribute(
    _ name: XMLPath.Name, _ test: XMLPath.StepCondition.Test, _ attributes: [StartTag.Attribute],
    _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> Bool {
    for attribute in attributes where try matches(name, attribute.name, bytes, isAttribute: true) {
      if test == .exists { return true }
      let value = try attribute.value(bytes, entities)
      if test.passes({ value }) { return true }
    }
    return false
  }

  private func matches(
    _ wanted: XMLPath.Name, _ name: Range<Int>, _ bytes: borrowing Span<UInt8>, isAttribute: Bool
  ) throws(XMLError) -> Bool {
    if let isMatch = wanted.matches(bytes, name, namespaces, isAttribute: isAttribute) { return isMatch }
    throw .undeclared(prefix: XMLName.prefix(bytes, name).map { array(bytes, $0) } ?? [], at: name.lowerBound)
  }
}

/// How far a path has been followed into the open elements. For each depth there is a word; bit n is set if the step n
/// can match the elements in there.
struct PathMatcher {
  let path: XMLPath
  /// The possible next steps, as bits.
  private(set) var open: UInt64
  /// The same, outside of each open element.
  private var outer: [UInt64] = []
  /// For the document and each open element, the counters of the path's numbers.
  private var counts: [Int]

  init(_ path: XMLPath) {
    self.path = path
    open = path.first
    counts = Array(repeating: 0, count: path.counters)
  }

  /// Counts the element that is about to be entered.
  /// - Parameter counter: of the steps of the path.
  /// - Returns: its number among its siblings.
  // Inlined into a loop, it would check before each loop whether it owns the counters.
  @inline(never)
  mutating func count(_ counter: Int) -> Int {
    let place = counts.count - path.counters + counter
    counts[place] += 1
    return counts[place]
  }

  /// The possible next steps in an element that the open steps `matching` match.
  @inline(__always)
  func steps(inside matching: UInt64) -> UInt64 {
    // A deep step may still match further in.
    open & path.deep | (matching & ~path.last) << 1
  }

  /// Enters an element that the open steps `matching` match.
  @inline(__always)
  mutating func enter(_ matching: UInt64) {
    outer.append(open)
    open = steps(inside: matching)
    if path.counters > 0 { counts.append(contentsOf: repeatElement(0, count: path.counters)) }
  }

  mutating func leave() {
    open = outer.removeLast()
    if path.counters > 0 { counts.removeLast(path.counters) }
  }

  /// Leaves elements until `depth` of them are open; with the root element, also the document.
  @inline(__always)
  mutating func leave(to depth: Int) {
    while outer.count > depth { leave() }
    if depth == 0, path.counters > 0 { counts = Array(repeating: 0, count: path.counters) }
  }
}

/// The numbers of the bits that are set in a word.
struct SetBits: Sequence, IteratorProtocol {
  private var rest: UInt64

  @inline(__always)
  init(_ word: UInt64) { rest = word }

  @inline(__always)
  mutating func next() -> Int? {
    if rest == 0 { return nil }
    defer { rest &= rest - 1 }
    return rest.trailingZeroBitCount
  }
}

/// What a complete element must have in order to be written.
struct ElementConditions {
  let path: XMLPath
  /// There must be a match for each of these.
  let having: [Field]

  /// No element meets these.
  static let none = ElementConditions(
    path: XMLPath([], first: 0, last: 0, itself: 0, counters: 0), having: [])

  /// Whether the contents of elements must be read.
  var needsTree: Bool { path.late != 0 || !having.isEmpty }

  /// - Parameter matched: the last steps of the paths of PATH that matched its start tag.
  func areMet(by tree: borrowing ElementTree, _ matched: UInt64) -> Bool {
    pathMatches(tree, matched) && having.allSatisfy { $0.hasMatch(in: tree) }
  }

  private func pathMatches(_ tree: borrowing ElementTree, _ matched: UInt64) -> Bool {
    if matched & ~path.late != 0 { return true }
    var test = TreeTest(tree, path)
    for step in SetBits(matched) where test.holdsLate(path.steps[step], 0, tree) { return true }
    return false
  }
}
