/// When two values are equal: numbers by exact value, strings by code points, arrays by order, objects by members in any
/// order (RFC 6902 §4.6). An object with two members of one name equals only one with the same members in the same
/// order. A list of pairs to compare replaces recursion.
package enum JSONEquality {
  package static func equal(_ left: JSONTree, _ right: JSONTree) -> Bool {
    if let a = left.untouched, let b = right.untouched, a.hasSameText(as: b) { return true }
    var pending = [(left, right)]
    while let (a, b) = pending.popLast() {
      let isSame =
        switch (a.kind, b.kind) {
        case (.array, .array): pairElements(a, b, &pending)
        case (.object, .object): pairMembers(a, b, &pending)
        default: scalarsAreEqual(a.origin, b.origin)
        }
      if !isSame { return false }
    }
    return true
  }

  /// Whether two scalars are equal; false if one is a container.
  static func scalarsAreEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left.kind, right.kind) {
    case (.number, .number): JSONNumber.equal(left, right)
    case let (x, y) where x.isString && y.isString: JSONString.equal(left, right)
    case let (x, y): x == y && !x.isContainer
    }
  }

  /// - Returns: false if the lengths differ.
  private static func pairElements(_ a: JSONTree, _ b: JSONTree, _ pending: inout [(JSONTree, JSONTree)]) -> Bool {
    var others = b.children
    for (_, element) in a.children {
      guard let other = others.next() else { return false }
      pending.append((element, other.value))
    }
    return others.next() == nil
  }

  /// - Returns: false if the names differ.
  private static func pairMembers(_ a: JSONTree, _ b: JSONTree, _ pending: inout [(JSONTree, JSONTree)]) -> Bool {
    let start = pending.count
    var others = b.children
    var sameOrder = true
    for (key, value) in a.children {
      guard let other = others.next() else { return false }
      guard let key, let otherKey = other.key, JSONString.equal(key, otherKey) else {
        sameOrder = false
        break
      }
      pending.append((value, other.value))
    }
    if sameOrder { return others.next() == nil }

    pending.removeLast(pending.count - start)
    var members: [[UInt8]: JSONTree] = [:]
    var count = 0
    for (key, value) in b.children {
      guard let key, members.updateValue(value, forKey: JSONString.decoded(key)) == nil else { return false }
      count += 1
    }
    for (key, value) in a.children {
      guard let key, let other = members.removeValue(forKey: JSONString.decoded(key)) else { return false }
      pending.append((value, other))
      count -= 1
    }
    return count == 0
  }
}
