// Decides whether a value of the old document equals one of the new: by digests, and then with certainty.

/// The two documents of a diff, with the digests known so far.
///
/// Two texts are compared at most once at each place: if they differ, they are digested, and everything inside is
/// compared by digests. So the cost depends on a document's size, not on its depth.
package struct Sides {
  let old: Side
  let new: Side
  private var olds: DigestCache
  private var news: DigestCache

  package init(old: Side, new: Side) {
    self.old = old
    self.new = new
    olds = old.digests
    news = new.digests
  }

  /// Whether two values have the same text and are therefore equal.
  func haveSameText(_ a: Int, _ b: Int) -> Bool { old.value(a).hasSameText(as: new.value(b)) }

  package mutating func areEqual(_ a: Int, _ b: Int) -> Bool {
    if old.isVoid(a) && new.isVoid(b) { return true }
    guard old.document.kind(a).isContainer, new.document.kind(b).isContainer else {
      return JSONEquality.equal(JSONTree(old.value(a)), JSONTree(new.value(b)))
    }
    let isKnown = isDigested(a, b)
    if !isKnown && haveSameText(a, b) { return true }
    guard olds.digest(of: a) == news.digest(of: b) else { return false }
    if isKnown && haveSameText(a, b) { return true }
    guard old.hasMarks || new.hasMarks else {
      return JSONEquality.equal(JSONTree(old.value(a)), JSONTree(new.value(b)))
    }
    return areEqualWithMarks(a, b)
  }

  /// Whether two values at the same place must be compared further: false only if they are equal.
  mutating func mayDiffer(_ a: Int, _ b: Int) -> Bool {
    let kind = old.document.kind(a)
    if kind.isContainer, kind == new.document.kind(b), !isDigested(a, b), old.size(a) != new.size(b) {
      // Comparing their contents shows as much as digests would.
      return !(old.isVoid(a) && new.isVoid(b))
    }
    return !areEqual(a, b)
  }

  /// Whether the digests of two values, and so of everything in them, are known.
  func isDigested(_ a: Int, _ b: Int) -> Bool { olds.known(a) != nil && news.known(b) != nil }

  mutating func oldDigest(_ position: Int) -> UInt64 { olds.digest(of: position) }
  mutating func newDigest(_ position: Int) -> UInt64 { news.digest(of: position) }

  /// JSONEquality, except that some arrays have no order and some values do not count. Members, and the elements of
  /// such arrays, are sorted by digest, so that equal ones are at the same index.
  private func areEqualWithMarks(_ a: Int, _ b: Int) -> Bool {
    var pending = [(a, b)]
    while let (a, b) = pending.popLast() {
      guard olds.known(a) == news.known(b) else { return false }
      if old.isVoid(a) && new.isVoid(b) { continue }
      let (left, right) = (old.value(a), new.value(b))
      if left.hasSameText(as: right) { continue }
      guard left.kind == right.kind, left.kind.isContainer else {
        // One string may have escapes and the other none.
        if !JSONEquality.equal(JSONTree(left), JSONTree(right)) { return false }
        continue
      }
      let (mine, others) = (old.inCanonicalOrder(a, olds), new.inCanonicalOrder(b, news))
      guard mine.count == others.count else { return false }
      for (child, other) in zip(mine, others) {
        if let name = child.name, let otherName = other.name {
          guard JSONString.equal(old.value(name), new.value(otherName)) else { return false }
        }
        pending.append((child.value, other.value))
      }
    }
    return true
  }
}

extension Side {
  fileprivate func inCanonicalOrder(_ container: Int, _ digests: DigestCache) -> [(name: Int?, value: Int)] {
    var children: [(name: Int?, value: Int)] = []
    let isObject = document.kind(container) == .object
    var position = document.first(container)
    while position < document.last(container) {
      let value = isObject ? position + 1 : position
      if !isObject || !isVoid(value) { children.append((isObject ? position : nil, value)) }
      position = document.next(value)
    }
    if isObject || isSet(container) {
      func key(_ child: (name: Int?, value: Int)) -> (UInt64, Int) {
        (digests.known(child.name ?? child.value) ?? 0, child.value)
      }
      children.sort { key($0) < key($1) }
    }
    return children
  }
}
