// Matches PATH against the tags of the input.

import FeedCore

/// Follows PATH through the open elements, with the namespaces in scope.
struct ElementSelector {
  private var matcher: PathMatcher
  private(set) var namespaces = Namespaces()

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
    if !attributes.isEmpty { namespaces.enter(bytes, tag, attributes) }
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
    _ name: XMLPath.Name, _ test: XMLPath.PathCondition.Test, _ attributes: [StartTag.Attribute],
    _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> Bool {
    for attribute in attributes where try matches(name, attribute.name, bytes, isAttribute: true) {
      if test.passes({ XMLText.decoded(array(bytes, attribute.value)) }) { return true }
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
