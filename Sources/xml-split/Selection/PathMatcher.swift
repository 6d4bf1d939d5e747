// How far a path has been followed into the elements that are open: for each depth a word with a bit for every number of
// steps that the elements up to there can have made.

import FeedCore

struct PathMatcher {
  let path: XMLPath
  /// For each open element, the numbers of steps made; below it, the word of the root, no step.
  private var made: [UInt64] = [1]
  /// The bits of steps before which any number of elements may lie.
  private let deep: UInt64
  private let last: UInt64

  init(_ path: XMLPath) {
    self.path = path
    var deep: UInt64 = 0
    for (index, step) in path.steps.enumerated() where step.isDeep { deep |= 1 << UInt64(index) }
    self.deep = deep
    last = 1 << UInt64(path.steps.count)
  }

  /// The steps that may be made next, as bits.
  var open: UInt64 { made[made.count - 1] & ~last }

  /// Goes into an element.
  /// - Parameter matching: which of the open steps match it.
  /// - Returns: whether the path leads to it.
  mutating func enter(_ matching: UInt64) -> Bool {
    // A deep step may still be made further in.
    let inner = made[made.count - 1] & deep | matching << 1
    made.append(inner)
    return inner & last != 0
  }

  /// The same, asking for each open step whether it matches.
  mutating func enter(_ matches: (XMLPath.Step) -> Bool) -> Bool {
    var rest = open
    var matching: UInt64 = 0
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      if matches(path.steps[index]) { matching |= 1 << UInt64(index) }
    }
    return enter(matching)
  }

  mutating func leave() { made.removeLast() }

  /// Leaves elements until this many are open.
  mutating func leave(to depth: Int) {
    while made.count > depth + 1 { made.removeLast() }
  }
}
