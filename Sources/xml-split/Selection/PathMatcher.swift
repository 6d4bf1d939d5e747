// How far a path has been followed into the open elements. For each depth there is a word; bit n is set if the step n
// can match the elements in there.

import FeedCore

struct PathMatcher {
  let path: XMLPath
  /// For each open element, the possible next steps as bits; first, the word of the root.
  private var steps: [UInt64]
  /// For each of them, the counters of the path's numbers.
  private var counts: [Int]

  init(_ path: XMLPath) {
    self.path = path
    steps = [path.first]
    counts = Array(repeating: 0, count: path.counters)
  }

  /// The possible next steps, as bits.
  var open: UInt64 { steps[steps.count - 1] }

  /// Counts the element that is about to be entered.
  /// - Parameter counter: of the steps of the path.
  /// - Returns: its number among its siblings.
  mutating func count(_ counter: Int) -> Int {
    let place = counts.count - path.counters + counter
    counts[place] += 1
    return counts[place]
  }

  /// Enters an element.
  /// - Parameter matching: the open steps that match it.
  /// - Returns: those of them that are the last of a path.
  @discardableResult
  mutating func enter(_ matching: UInt64) -> UInt64 {
    // A deep step may still match further in.
    steps.append(open & path.deep | (matching & ~path.last) << 1)
    if path.counters > 0 { counts.append(contentsOf: repeatElement(0, count: path.counters)) }
    return matching & path.last
  }

  mutating func leave() {
    steps.removeLast()
    if path.counters > 0 { counts.removeLast(path.counters) }
  }

  /// Leaves elements until `depth` of them are open.
  mutating func leave(to depth: Int) {
    while steps.count > depth + 1 { leave() }
  }
}
