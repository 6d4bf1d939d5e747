// Whether a value of the old document equals one of the new: by their digests, and then for certain.

import FeedCore

/// The two documents of a diff, with what is known of their values.
///
/// Two texts are compared at most once in each place: what turns out to differ is digested, and from there on inwards
/// words are compared. So a document costs what its size is, however deep it is.
struct Sides {
  let old: Side
  let new: Side
  private var olds: DigestCache
  private var news: DigestCache

  init(old: Side, new: Side) {
    self.old = old
    self.new = new
    olds = old.digests
    news = new.digests
  }

  /// Whether two values have the same text, and so are equal.
  func haveSameText(_ a: Int, _ b: Int) -> Bool { old.value(a).hasSameText(as: new.value(b)) }

  mutating func areEqual(_ a: Int, _ b: Int) -> Bool {
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

  /// Whether two values of one place have to be looked into: false only when they are equal.
  mutating func mayDiffer(_ a: Int, _ b: Int) -> Bool {
    let kind = old.document.kind(a)
    if kind.isContainer, kind == new.document.kind(b), !isDigested(a, b), old.size(a) != new.size(b) {
      // Looking into them tells as much as digests would.
      return !(old.isVoid(a) && new.isVoid(b))
    }
    return !areEqual(a, b)
  }

  /// Whether the digests of two values are known, and so those of all in them.
  func isDigested(_ a: Int, _ b: Int) -> Bool { olds.known(a) != nil && news.known(b) != nil }

  mutating func oldDigest(_ position: Int) -> UInt64 { olds.digest(of: position) }
  mutating func newDigest(_ position: Int) -> UInt64 { news.digest(of: position) }

  /// JSONEquality where the order of some arrays does not count, and some values do not. Members and the elements of
  /// such arrays are brought into the order of their digests, in which equal ones stand at the same place.
  private func areEqualWithMarks(_ a: Int, _ b: Int) -> Bool {
    var pending = [(a, b)]
    while let (a, b) = pending.popLast() {
      guard olds.known(a) == news.known(b) else { return false }
      if old.isVoid(a) && new.isVoid(b) { continue }
      let (left, right) = (old.value(a), new.value(b))
      if left.hasSameText(as: right) { continue }
      guard left.kind == right.kind, left.kind.isContainer else {
        // Two strings may be of two kinds: with escapes and without.
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
