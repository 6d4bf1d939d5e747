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

  /// The namespace declarations that an element inherits.
  /// - Parameters:
  ///   - first: the depth of the outermost element that is not written with it.
  ///   - limit: the largest size of the declarations in bytes.
  func inherited(
    by tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>, from first: Int,
    limit: Int
  ) throws(XMLError) -> [[UInt8]] {
    if let texts = namespaces.inherited(by: tag, attributes, bytes, from: first, limit: limit) { return texts }
    throw XMLError(
      "an element that inherits more than \(limit) bytes of declarations (--max-inherited)", at: tag.range.lowerBound)
  }

  private mutating func matches(
    _ index: Int, _ tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> Bool {
    guard try matches(matcher.path.steps[index].name, tag.name, bytes, isAttribute: false) else { return false }
    for predicate in matcher.path.steps[index].predicates {
      switch predicate {
      case .number(let number, let counter): if matcher.count(counter) != number { return false }
      case .condition(let condition):
        guard case .attribute(let name) = condition.value, condition.isEarly else { continue }
        if try hasAttribute(name, condition.test, attributes, bytes) == condition.isNegated { return false }
      }
    }
    return true
  }

  private func hasAttribute(
    _ name: XMLPath.Name, _ test: XMLPath.Condition.Test, _ attributes: [StartTag.Attribute],
    _ bytes: borrowing Span<UInt8>
  ) throws(XMLError) -> Bool {
    for attribute in attributes where try matches(name, attribute.name, bytes, isAttribute: true) {
      switch test {
      case .exists: return true
      case .equals(let wanted): if value(of: attribute, bytes) == wanted { return true }
      case .differs(let other): if value(of: attribute, bytes) != other { return true }
      }
    }
    return false
  }

  private func value(of attribute: StartTag.Attribute, _ bytes: borrowing Span<UInt8>) -> [UInt8] {
    XMLText.decoded(array(bytes, attribute.value))
  }

  /// Whether PATH matches a name in the tag. An attribute without a prefix is in no namespace.
  private func matches(
    _ wanted: XMLPath.Name, _ name: Range<Int>, _ bytes: borrowing Span<UInt8>, isAttribute: Bool
  ) throws(XMLError) -> Bool {
    switch wanted {
    case .any: return !isAttribute || !Namespaces.isDeclaration(bytes, name)
    case .written(let written):
      return written.count == name.count && sameBytes(bytes.extracting(name), written.span)
    case .anyWithPrefix(let prefix):
      return prefixEnd(bytes, name).map { array(bytes, name.lowerBound..<$0) == prefix } == true
    case .inNamespace(let uri, let local):
      let colon = prefixEnd(bytes, name)
      if let local, array(bytes, (colon.map { $0 + 1 } ?? name.lowerBound)..<name.upperBound) != local { return false }
      if isAttribute, colon == nil { return uri.isEmpty }
      let prefix = colon.map { array(bytes, name.lowerBound..<$0) } ?? []
      guard let found = namespaces.uri(prefix[...]) else {
        throw XMLError("prefix '\(shortened(prefix))' is not declared", at: name.lowerBound)
      }
      return found == uri
    }
  }

  /// The end of a name's prefix; nil if it has none.
  private func prefixEnd(_ bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> Int? {
    firstIndex(of: UInt8(ascii: ":"), in: bytes, name)
  }
}
