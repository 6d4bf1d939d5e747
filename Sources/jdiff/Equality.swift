// Whether a value of the old document equals one of the new: by their digests, and then for certain.

import FeedCore

/// The two documents of a diff.
struct Sides {
  let old: Side
  let new: Side

  func areEqual(_ a: Int, _ b: Int) -> Bool {
    guard old.digests[a] == new.digests[b] else { return false }
    if old.value(a).hasSameText(as: new.value(b)) { return true }
    guard old.hasMarks || new.hasMarks else {
      return JSONEquality.equal(JSONTree(old.value(a)), JSONTree(new.value(b)))
    }
    return areEqualWithMarks(a, b)
  }

  /// JSONEquality where the order of some arrays does not count, and some values do not. Members and the elements of
  /// such arrays are brought into the order of their digests, in which equal ones stand at the same place.
  private func areEqualWithMarks(_ a: Int, _ b: Int) -> Bool {
    var pending = [(a, b)]
    while let (a, b) = pending.popLast() {
      guard old.digests[a] == new.digests[b] else { return false }
      if old.isVoid(a) && new.isVoid(b) { continue }
      let (left, right) = (old.value(a), new.value(b))
      if left.hasSameText(as: right) { continue }
      guard left.kind == right.kind, left.kind.isContainer else {
        // Two strings may be of two kinds: with escapes and without.
        if !JSONEquality.equal(JSONTree(left), JSONTree(right)) { return false }
        continue
      }
      let (mine, others) = (old.inCanonicalOrder(a), new.inCanonicalOrder(b))
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
  fileprivate func inCanonicalOrder(_ container: Int) -> [(name: Int?, value: Int)] {
    var children: [(name: Int?, value: Int)] = []
    let isObject = document.kind(container) == .object
    var position = document.first(container)
    while position < document.last(container) {
      let value = isObject ? position + 1 : position
      if !isObject || !isVoid(value) { children.append((isObject ? position : nil, value)) }
      position = document.next(value)
    }
    if isObject || isSet(container) {
      children.sort { (digests[$0.name ?? $0.value], $0.value) < (digests[$1.name ?? $1.value], $1.value) }
    }
    return children
  }
}
