/// What became of the items of an array on one side of a merge.
struct ItemHistory {
  /// The tape positions of the items in BASE and on this side.
  let bases: [Int]
  let items: [Int]
  /// For each item the index of the one in BASE that it was, and the reverse; -1 for none.
  private(set) var baseOf: [Int]
  private(set) var ofBase: [Int]
  /// The indexes in BASE of the items that only their position pairs, or a number that may be one.
  private(set) var guessed: Set<Int> = []

  init(_ sides: inout Sides, _ base: Int, _ array: Int, _ identity: ItemIdentity) {
    var pairing = ItemPairing(&sides, base, array)
    pairing.pairByValue(&sides)
    let equal = pairing.newOf
    pairing.pairByIdentity(identity)
    let known = identity.mayCount ? equal : pairing.newOf
    if !pairing.isSet { pairing.findKept() }
    pairing.pairByPosition()

    bases = sides.old.items(base)
    items = sides.new.items(array)
    baseOf = [Int](repeating: -1, count: items.count)
    ofBase = [Int](repeating: -1, count: bases.count)
    let (start, end) = (pairing.offset, pairing.offset + pairing.olds.count)
    let shift = items.count - bases.count
    for place in bases.indices {
      var partner =
        if place < start { place } else if place >= end { place + shift } else {
          pairing.newOf[place - start] < 0 ? -1 : pairing.newOf[place - start] + start
        }
      if place >= start, place < end, partner >= 0, !pairing.isEqual[partner - start],
        identity.separates(bases[place], items[partner], sides)
      {
        // The old item is gone, and its members must not be mixed with those of the new one.
        partner = -1
      }
      if place >= start, place < end, partner >= 0, known[place - start] < 0 { guessed.insert(place) }
      ofBase[place] = partner
      if partner >= 0 { baseOf[partner] = place }
    }
  }

  /// The tape position in BASE of an item; -1 if it is new.
  func base(of place: Int) -> Int { baseOf[place] < 0 ? -1 : bases[baseOf[place]] }

  /// The items that both sides still have, as indexes of BASE in the order of this side.
  func order(sharedWith other: ItemHistory) -> [Int] { baseOf.filter { $0 >= 0 && other.ofBase[$0] >= 0 } }

  /// The indexes of the items that only this side has, after the index in BASE of the shared item that they follow; at 0
  /// those that follow none. And those that follow the last shared item.
  func itemsAlone(without other: ItemHistory) -> (after: [[Int]], last: [Int]) {
    var alone = [[Int]](repeating: [], count: bases.count + 1)
    var anchor = 0
    for (place, item) in baseOf.enumerated() {
      if item >= 0, other.ofBase[item] >= 0 { anchor = item + 1 } else { alone[anchor].append(place) }
    }
    let last = alone[anchor]
    alone[anchor] = []
    return (alone, last)
  }
}

/// The two sides of an array.
struct ArrayGaps {
  let ours: ItemHistory
  let theirs: ItemHistory
  /// Objects that both sides added with the same identity: the index of THEIRS for each of OURS.
  private(set) var twins: [Int: Int] = [:]
  private(set) var twinsOfOurs: Set<Int> = []

  init(ours: ItemHistory, theirs: ItemHistory) {
    self.ours = ours
    self.theirs = theirs
  }

  func isNew(ours place: Int) -> Bool { ours.baseOf[place] < 0 && twins[place] == nil }
  func isNew(theirs place: Int) -> Bool { theirs.baseOf[place] < 0 && !twinsOfOurs.contains(place) }

  /// Pairs the items that both sides added with one identity, so that they are merged into one.
  mutating func findTwins(_ mine: Side, _ other: Side, _ identity: ItemIdentity) {
    guard ours.baseOf.contains(-1), theirs.baseOf.contains(-1) else { return }
    let others = Self.identities(theirs.items, other, identity)
    if others.isEmpty { return }
    for (value, place) in Self.identities(ours.items, mine, identity) {
      guard let twin = others[value], place >= 0, twin >= 0, ours.baseOf[place] < 0, theirs.baseOf[twin] < 0 else {
        continue
      }
      twins[place] = twin
      twinsOfOurs.insert(twin)
    }
  }

  /// The index of each identity; -1 if two objects of the array have it: then it does not tell them apart.
  private static func identities(_ objects: [Int], _ side: Side, _ identity: ItemIdentity) -> [UInt64: Int] {
    var places: [UInt64: Int] = [:]
    for (place, object) in objects.enumerated() {
      guard let value = identity.value(of: object, side) else { continue }
      places[value] = places[value] == nil ? place : -1
    }
    return places
  }
}
