// Compares two arrays: items are paired by value, then by identity, then by position. Those that can stay stay; the
// others move.

extension Differ {
  /// - Returns: the paired items with different values, as replacements.
  mutating func compareArrays(_ arrays: Change, _ path: Int) -> [Change] {
    var pairing = ItemPairing(&sides, arrays.old, arrays.new)
    pairing.pairByValue(&sides)
    pairing.pairByIdentity()
    if !pairing.isSet { pairing.findKept() }
    pairing.pairByPosition()

    let offset = pairing.offset
    for place in pairing.olds.indices.reversed() where pairing.newOf[place] < 0 {
      emit(
        Change(
          kind: .remove, parent: path, token: .index(offset + place), old: pairing.olds[place], new: -1,
          oldIndex: offset + place))
    }
    if pairing.hasMoved { emitMoves(pairing, path) }
    if isHopeless { return [] }

    var children: [Change] = []
    let places = pairing.finalPlaces()
    for (place, item) in pairing.news.enumerated() {
      let partner = pairing.oldOf[place]
      let index = offset + places[place]
      if partner < 0 {
        emit(
          Change(kind: .add, parent: path, token: .index(index), old: -1, new: item, newIndex: offset + place))
      } else if !pairing.isEqual[place] {
        children.append(
          Change(
            kind: .replace, parent: path, token: .index(index), old: pairing.olds[partner], new: item,
            oldIndex: offset + partner, newIndex: offset + place))
      }
    }
    return children
  }

  /// Moves the items that cannot stay, in their new order, each after the items that come before it at the end. At this
  /// point, items to be removed are gone, and items to be added are not there yet.
  ///
  /// Kept items divide the array into gaps. A gap first has the items that were moved into it, then those that must
  /// still leave. So an index is a sum of three counts.
  private mutating func emitMoves(_ pairing: ItemPairing, _ path: Int) {
    let goingOn = pairing.olds.indices.filter { pairing.newOf[$0] >= 0 }
    var waiting = Counts(goingOn.map { pairing.isKept[$0] ? 0 : 1 })
    // For each old item: how many kept ones come before it, and its rank among those with a partner.
    var gaps = [Int](repeating: 0, count: pairing.olds.count)
    var ranks = gaps
    // The rank after each kept item; the first gap begins at 0.
    var gapStarts = [0]
    for (rank, place) in goingOn.enumerated() {
      gaps[place] = gapStarts.count - 1
      ranks[place] = rank
      if pairing.isKept[place] { gapStarts.append(rank + 1) }
    }

    // How many items have been moved into the gaps up to each one, so far.
    var movedUpTo: [Int] = []
    var moved = 0
    for (place, item) in pairing.news.enumerated() {
      let partner = pairing.oldOf[place]
      guard partner >= 0 else { continue }
      if pairing.isKept[partner] {
        movedUpTo.append(moved)
        continue
      }
      let gap = movedUpTo.count
      let source = gaps[partner]
      if isHopeless { return }
      let from = source + (source < gap ? movedUpTo[source] : moved) + waiting.sum(before: ranks[partner])
      waiting.decrement(at: ranks[partner])
      let to = gap + moved + waiting.sum(before: gapStarts[gap])
      moved += 1
      emit(
        Change(
          kind: .move, parent: path, token: .index(pairing.offset + to), from: pairing.offset + from,
          old: pairing.olds[partner], new: item, oldIndex: pairing.offset + partner, newIndex: pairing.offset + place))
    }
  }
}

/// Counts that change, with their prefix sums: a Fenwick tree.
private struct Counts {
  private var nodes: [Int]

  init(_ counts: [Int]) {
    nodes = [0] + counts
    for index in nodes.indices.dropFirst() {
      let parent = index + (index & -index)
      if parent < nodes.count { nodes[parent] += nodes[index] }
    }
  }

  func sum(before place: Int) -> Int {
    var (sum, index) = (0, place)
    while index > 0 {
      sum += nodes[index]
      index -= index & -index
    }
    return sum
  }

  mutating func decrement(at place: Int) {
    var index = place + 1
    while index < nodes.count {
      nodes[index] -= 1
      index += index & -index
    }
  }
}
