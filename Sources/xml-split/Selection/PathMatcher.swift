// How far a path has been followed into the open elements. For each depth there is a word; bit n is set if n steps can
// match the elements down to there.

import FeedCore

struct PathMatcher {
  let path: XMLPath
  /// For each open element, the possible numbers of steps as bits; first, the word of the root: no step.
  private var made: [UInt64] = [1]
  /// The bits of steps that may skip any number of elements.
  private let deep: UInt64
  private let last: UInt64

  init(_ path: XMLPath) {
    self.path = path
    var deep: UInt64 = 0
    for (index, step) in path.steps.enumerated() where step.isDeep { deep |= 1 << UInt64(index) }
    self.deep = deep
    last = 1 << UInt64(path.steps.count)
  }

  /// The possible next steps, as bits.
  var open: UInt64 { made[made.count - 1] & ~last }

  /// Enters an element.
  /// - Parameter matching: the open steps that match it.
  /// - Returns: whether the whole path matches it.
  mutating func enter(_ matching: UInt64) -> Bool {
    // A deep step may still match further in.
    let inner = made[made.count - 1] & deep | matching << 1
    made.append(inner)
    return inner & last != 0
  }

  /// The same, with a test for each open step.
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

  /// Leaves elements until `depth` of them are open.
  mutating func leave(to depth: Int) {
    while made.count > depth + 1 { made.removeLast() }
  }
}
