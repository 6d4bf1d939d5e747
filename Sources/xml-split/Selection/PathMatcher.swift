import FeedCore

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
