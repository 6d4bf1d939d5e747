// Pairs the items of two lists by value, and finds those that can stay where they are.
//
// A value that is once in each list has only one possible partner. For values with copies, the longest common
// subsequence decides, by Myers' greedy algorithm ("An O(ND) Difference Algorithm", 1986). If the lists differ too much
// for it, it runs only in the gaps between values that are once in each list (Cohen's patience diff). Time and memory
// are linear in the lists, except for a logarithm.

/// Items are class numbers: equal items have the same number, and none is negative.
package enum Alignment {
  /// Two items, or two values, that go together: an index or a tape position on each side.
  package struct Pair: Hashable {
    package let old: Int
    package let new: Int
  }

  /// The largest possible set of pairs of items with the same class.
  /// - Parameter classCount: greater than every class.
  static func pairs(_ old: [Int], _ new: [Int], classCount: Int) -> [Pair] {
    var oldCounts = [Int](repeating: 0, count: classCount)
    var newCounts = oldCounts
    for item in old { oldCounts[item] += 1 }
    for item in new { newCounts[item] += 1 }

    // Items that are on one side only have no partner, and would make Myers' search longer.
    let olds = old.indices.filter { newCounts[old[$0]] > 0 }
    let news = new.indices.filter { oldCounts[new[$0]] > 0 }
    let hasCopies = olds.contains { oldCounts[old[$0]] > 1 } || news.contains { newCounts[new[$0]] > 1 }
    var pairs: [Pair] = []
    if hasCopies {
      let a = olds.map { old[$0] }
      let b = news.map { new[$0] }
      for pair in commonSubsequence(a, b, isUnique: { oldCounts[$0] == 1 && newCounts[$0] == 1 }) {
        pairs.append(Pair(old: olds[pair.old], new: news[pair.new]))
      }
    }
    return pairs + pairsInOrder(olds, news, old, new, without: pairs, classCount)
  }

  /// Those of these pairs that can stay where they are.
  package static func orderedPairs(_ old: [Int], _ new: [Int], classCount: Int) -> [Pair] {
    let pairs = pairs(old, new, classCount: classCount).sorted { $0.old < $1.old }
    let isKept = longestIncreasingRun(pairs.map(\.new))
    return zip(pairs, isKept).filter(\.1).map(\.0)
  }

  /// Pairs in order between two lists whose items are not in classes, as many as possible: "is like" is not transitive.
  /// - Returns: none if that would take more than linear time.
  static func similar(_ oldCount: Int, _ newCount: Int, _ areAlike: (Int, Int) -> Bool) -> [Pair] {
    Myers.pairs(0..<oldCount, 0..<newCount, areAlike) ?? []
  }

  /// Pairs the remaining items: the first copy with the first, the second with the second.
  private static func pairsInOrder(
    _ olds: [Int], _ news: [Int], _ old: [Int], _ new: [Int], without pairs: [Pair], _ classCount: Int
  ) -> [Pair] {
    var isOldTaken = [Bool](repeating: false, count: old.count)
    var isNewTaken = [Bool](repeating: false, count: new.count)
    for pair in pairs {
      isOldTaken[pair.old] = true
      isNewTaken[pair.new] = true
    }
    // The new items of each class as a linked list: its first item, and for each item the next.
    var first = [Int](repeating: -1, count: classCount)
    var next = [Int](repeating: -1, count: new.count)
    for item in news.reversed() where !isNewTaken[item] {
      next[item] = first[new[item]]
      first[new[item]] = item
    }
    var more: [Pair] = []
    for item in olds where !isOldTaken[item] {
      let partner = first[old[item]]
      guard partner >= 0 else { continue }
      first[old[item]] = next[partner]
      more.append(Pair(old: item, new: partner))
    }
    return more
  }

  // MARK: The longest common subsequence, or a long one

  /// Myers' algorithm if it is linear; else in the gaps between the longest row of unique items.
  private static func commonSubsequence(_ a: [Int], _ b: [Int], isUnique: (Int) -> Bool) -> [Pair] {
    if let pairs = Myers.pairs(a.indices, b.indices, { a[$0] == b[$1] }) { return pairs }
    var places: [Int: Int] = [:]
    for (place, item) in b.enumerated() where isUnique(item) { places[item] = place }
    let candidates = a.indices.compactMap { place in places[a[place]].map { Pair(old: place, new: $0) } }
    let isKept = longestIncreasingRun(candidates.map(\.new))
    let anchors = zip(candidates, isKept).filter(\.1).map(\.0) + [Pair(old: a.count, new: b.count)]

    var pairs: [Pair] = []
    var start = Pair(old: 0, new: 0)
    for anchor in anchors {
      pairs += Myers.pairs(start.old..<anchor.old, start.new..<anchor.new, { a[$0] == b[$1] }) ?? []
      if anchor.old < a.count { pairs.append(anchor) }
      start = Pair(old: anchor.old + 1, new: anchor.new + 1)
    }
    return pairs
  }

  /// Marks the members of a longest strictly increasing subsequence, by patience sorting.
  static func longestIncreasingRun(_ values: [Int]) -> [Bool] {
    // For each length, the run with the smallest end so far: the index of that end.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: values.count)
    for (place, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var isMember = [Bool](repeating: false, count: values.count)
    var place = ends.last ?? -1
    while place >= 0 {
      isMember[place] = true
      place = before[place]
    }
    return isMember
  }
}

/// Myers' search for the longest common subsequence of two lists: how far each diagonal k = x - y is reached with d
/// edits, for d = 0, 1, 2 …, up to the end; then back along the same way.
private struct Myers {
  /// For each d the ends on the diagonals k = -d, -d + 2 … d: row d begins at d(d + 1)/2.
  private var ends: [Int32] = []

  /// - Returns: nil if it needs more than linear time and memory.
  @inline(__always)
  static func pairs(_ a: Range<Int>, _ b: Range<Int>, _ areSame: (Int, Int) -> Bool) -> [Alignment.Pair]? {
    guard a.count < Int32.max, b.count < Int32.max else { return nil }
    var search = Myers()
    guard let edits = search.findEnd(a, b, areSame) else { return nil }
    return search.wayBack(from: edits, a, b)
  }

  /// - Returns: the number of edits.
  @inline(__always)
  private mutating func findEnd(_ a: Range<Int>, _ b: Range<Int>, _ areSame: (Int, Int) -> Bool) -> Int? {
    let (n, m) = (a.count, b.count)
    let (aStart, bStart) = (a.lowerBound, b.lowerBound)
    // Short lists are always searched to the end: 2^14 ends are enough for 180 edits.
    let maxEnds = 2 * (n + m) + 1 << 14
    var work = 16 * (n + m) + 1 << 14
    for d in 0... {
      guard work >= 0, ends.count + d < maxEnds else { return nil }
      for step in 0...d {
        let k = 2 * step - d
        let (start, _) = lastEdit(d, step)
        var x = start
        while x < n, x - k < m, areSame(aStart + x, bStart + x - k) { x += 1 }
        ends.append(Int32(x))
        work -= 1 + x - start
        if x >= n && x - k >= m { return d }
      }
    }
    return nil
  }

  /// How step `step` of row d begins: from the better of the two neighbouring diagonals.
  /// - Returns: its start, and whether the edit is an insertion, which does not change x.
  private func lastEdit(_ d: Int, _ step: Int) -> (x: Int, isInsertion: Bool) {
    if d == 0 { return (0, false) }
    let above = d * (d - 1) / 2
    if step == 0 || (step < d && ends[above + step - 1] < ends[above + step]) { return (Int(ends[above + step]), true) }
    return (Int(ends[above + step - 1]) + 1, false)
  }

  /// Follows the edits from the end to the start, and collects the items that both lists share on the way.
  private func wayBack(from edits: Int, _ a: Range<Int>, _ b: Range<Int>) -> [Alignment.Pair] {
    var pairs: [Alignment.Pair] = []
    var (x, y) = (a.count, b.count)
    for d in stride(from: edits, through: 0, by: -1) {
      let (start, isInsertion) = lastEdit(d, (x - y + d) / 2)
      while x > start {
        x -= 1
        y -= 1
        pairs.append(Alignment.Pair(old: a.lowerBound + x, new: b.lowerBound + y))
      }
      if isInsertion { y -= 1 } else { x -= 1 }
    }
    return pairs.reversed()
  }
}

/// The items of two lists by class: those that are equal have the same number.
package struct Classes<Item: Hashable> {
  package let olds: [Int]
  package let news: [Int]
  package let count: Int
  /// Whether a class is in a list twice.
  let hasCopies: Bool

  package init(_ a: [Item], _ b: [Item]) {
    var numbers: [Item: Int] = [:]
    func classified(_ items: [Item]) -> [Int] {
      items.map { item in
        if let known = numbers[item] { return known }
        numbers[item] = numbers.count
        return numbers.count - 1
      }
    }
    olds = classified(a)
    let oldCount = numbers.count
    news = classified(b)
    count = numbers.count
    var isTaken = [Bool](repeating: false, count: count)
    for item in news { isTaken[item] = true }
    hasCopies = oldCount < olds.count || isTaken.count { $0 } < news.count
  }
}
