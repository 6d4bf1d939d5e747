// Merges the children of two containers: the members of objects by name, and the items of arrays as they are paired with
// BASE for a diff. So an item is followed from BASE to both sides, even if one of them has moved it.
//
// The result has the order of the side that has moved items, or else of OURS. The items that both sides still have
// divide each side into gaps. What only one side has is in the same gap of the result, OURS first.

extension ThreeWayMerge {
  // MARK: Objects

  /// - Returns: the parts of the result: the members of OURS in their order, and each new member of THEIRS after the one
  ///   that it follows there. Nil if a name occurs twice, so that members cannot be paired.
  mutating func mergeObjects(_ child: MergedChild) -> [MergedPart]? {
    let mine = Members(ours, child.ours)
    let others = Members(theirs, child.theirs)
    let bases = child.base < 0 ? nil : Members(base, child.base)
    func partners(of members: Members) -> [Int]? {
      bases.map(members.partners) ?? [Int](repeating: -1, count: members.names.count)
    }
    guard let theirsOfOurs = mine.partners(in: others), let baseOfOurs = partners(of: mine),
      let baseOfTheirs = partners(of: others)
    else { return nil }
    func value(_ place: Int) -> Int { place < 0 ? -1 : (bases?.names[place] ?? -2) + 1 }

    // The members that only THEIRS has, after the member of OURS that they follow; at 0 those that follow none.
    var only = [[MergedPart]](repeating: [], count: mine.names.count + 1)
    var oursOfTheirs = [Int](repeating: -1, count: others.names.count)
    for (place, partner) in theirsOfOurs.enumerated() where partner >= 0 { oursOfTheirs[partner] = place }
    var place = 0
    for (partner, name) in others.names.enumerated() {
      if oursOfTheirs[partner] >= 0 {
        place = oursOfTheirs[partner] + 1
      } else if let part = lone(theirs: name + 1, base: value(baseOfTheirs[partner]), .newName(name)) {
        only[place].append(part)
      }
    }

    var parts: [MergedPart] = []
    var waiting = only[0]
    for (place, name) in mine.names.enumerated() {
      let partner = theirsOfOurs[place]
      if partner < 0 {
        if let part = lone(ours: name + 1, base: value(baseOfOurs[place]), .oldName(name)) { parts.append(part) }
        continue
      }
      parts += waiting
      waiting = only[place + 1]
      parts.append(
        .both(
          MergedChild(
            token: .oldName(name), base: value(baseOfOurs[place]), ours: name + 1, theirs: others.names[partner] + 1)))
    }
    return parts + waiting
  }

  // MARK: Children that only one side has

  /// - Returns: what becomes of a child that THEIRS lacks; nil if it is removed.
  mutating func lone(ours position: Int, base: Int, _ token: ReferenceToken) -> MergedPart? {
    if base < 0 { return .ours(position) }
    return ourChanges.areEqual(base, position)
      ? nil : .conflict(FoundConflict(token: token, base: base, ours: [position], theirs: []))
  }

  /// - Returns: what becomes of a child that OURS lacks; nil if it stays removed.
  mutating func lone(theirs position: Int, base: Int, _ token: ReferenceToken) -> MergedPart? {
    if base < 0 { return .theirs(position) }
    return theirChanges.areEqual(base, position)
      ? nil : .conflict(FoundConflict(token: token, base: base, ours: [], theirs: [position]))
  }

  // MARK: Arrays

  /// - Returns: the parts of the result. Nil if both sides have put the items in a different order.
  mutating func mergeArrays(_ child: MergedChild) -> [MergedPart]? {
    guard child.base >= 0 else { return nil }
    let identity = ItemIdentity.of([(base, child.base), (ours, child.ours), (theirs, child.theirs)])
    var gaps = ArrayGaps(
      ours: ItemHistory(&ourChanges, child.base, child.ours, identity),
      theirs: ItemHistory(&theirChanges, child.base, child.theirs, identity))
    let orders = (gaps.ours.order(sharedWith: gaps.theirs), gaps.theirs.order(sharedWith: gaps.ours))
    let haveMoved = (!Self.isIncreasing(orders.0), !Self.isIncreasing(orders.1))
    if haveMoved.0, haveMoved.1, orders.0 != orders.1 { return nil }
    if let name = identity.found { guess(name) }
    gaps.findTwins(ours, theirs, identity)
    var identifying: IdentifyingMembers?

    let isTheirOrder = haveMoved.1 && !haveMoved.0
    let (first, second) = isTheirOrder ? (gaps.theirs, gaps.ours) : (gaps.ours, gaps.theirs)
    let (after, last) = second.itemsAlone(without: first)
    var parts: [MergedPart] = []
    func close(_ alone: [Int], _ others: [Int]) {
      if alone.isEmpty && others.isEmpty { return }
      parts += isTheirOrder ? merge(gaps, others, alone) : merge(gaps, alone, others)
    }
    var alone: [Int] = []
    var anchor = 0
    for (place, item) in first.baseOf.enumerated() {
      guard item >= 0, second.ofBase[item] >= 0 else {
        alone.append(place)
        continue
      }
      close(alone, after[anchor])
      (alone, anchor) = ([], item + 1)
      parts.append(.both(shared(item, gaps, &identifying)))
    }
    // What is at the end of an array stays there.
    close(alone, after[anchor] + last)
    return parts
  }

  private static func isIncreasing(_ order: [Int]) -> Bool { zip(order, order.dropFirst()).allSatisfy { $0 < $1 } }

  /// An item that is in all three arrays. If only its position says so, a side may have replaced it by another one: then
  /// what it tells has changed, and the changes of both sides must not be mixed.
  private mutating func shared(_ item: Int, _ gaps: ArrayGaps, _ identifying: inout IdentifyingMembers?) -> MergedChild
  {
    let place = gaps.ours.ofBase[item]
    let (base, mine) = (gaps.ours.bases[item], gaps.ours.items[place])
    let other = gaps.theirs.items[gaps.theirs.ofBase[item]]
    var child = MergedChild(token: .index(place), base: base, ours: mine, theirs: other)
    guard gaps.ours.guessed.contains(item) || gaps.theirs.guessed.contains(item), sides.mayDiffer(mine, other),
      ourChanges.mayDiffer(base, mine), theirChanges.mayDiffer(base, other)
    else { return child }
    let members = identifying ?? IdentifyingMembers(self.base, gaps.ours.bases)
    identifying = members
    child.isAtomic = members.haveChanged(base, to: mine, ours) || members.haveChanged(base, to: other, theirs)
    return child
  }

  // MARK: A gap

  /// Merges what only OURS has with what only THEIRS has at the same place.
  /// - Parameters:
  ///   - mine: indexes of OURS.
  ///   - others: indexes of THEIRS.
  private mutating func merge(_ gaps: ArrayGaps, _ mine: [Int], _ others: [Int]) -> [MergedPart] {
    let fresh = (mine.filter(gaps.isNew(ours:)), others.filter(gaps.isNew(theirs:)))
    let copies = copies(fresh.0.map { gaps.ours.items[$0] }, fresh.1.map { gaps.theirs.items[$0] })
    var conflict: MergedPart?
    if let first = fresh.0.first, !fresh.1.isEmpty, copies.isOrderLost {
      conflict = .conflict(
        FoundConflict(
          token: .index(first), base: -1, ours: fresh.0.map { gaps.ours.items[$0] },
          theirs: fresh.1.map { gaps.theirs.items[$0] }))
    }

    var parts: [MergedPart] = []
    for place in mine {
      let position = gaps.ours.items[place]
      if let twin = gaps.twins[place] {
        let twin = gaps.theirs.items[twin]
        parts.append(.both(MergedChild(token: .index(place), base: -1, ours: position, theirs: twin)))
      } else if gaps.ours.baseOf[place] >= 0 {
        parts += lone(ours: position, base: gaps.ours.base(of: place), .index(place)).map { [$0] } ?? []
      } else if conflict == nil {
        parts.append(.ours(position))
      } else if place == fresh.0.first {
        parts += conflict.map { [$0] } ?? []
      }
    }
    for place in others where !gaps.twinsOfOurs.contains(place) {
      let position = gaps.theirs.items[place]
      if gaps.theirs.baseOf[place] >= 0 {
        parts += lone(theirs: position, base: gaps.theirs.base(of: place), .index(place)).map { [$0] } ?? []
      } else if conflict == nil, !copies.theirs.contains(position) {
        parts.append(.theirs(position))
      }
    }
    return parts
  }

  /// Finds the items that both sides added at the same place.
  /// - Returns: those of THEIRS that OURS has too, and whether the rest cannot be put in a row: numbers and arrays, as in
  ///   coordinates, have a meaning by their place. Strings and objects make lists, so both are kept.
  private mutating func copies(_ mine: [Int], _ others: [Int]) -> (theirs: Set<Int>, isOrderLost: Bool) {
    if mine.isEmpty || others.isEmpty { return ([], false) }
    if mine.count == others.count, zip(mine, others).allSatisfy({ sides.areEqual($0, $1) }) {
      return (Set(others), false)
    }
    let kinds = mine.map(ours.document.kind) + others.map(theirs.document.kind)
    guard kinds.allSatisfy({ $0.isString || $0 == .object }) else { return ([], true) }
    var waiting = Dictionary(grouping: mine.reversed()) { sides.oldDigest($0) }
    var copies: Set<Int> = []
    for other in others {
      let digest = sides.newDigest(other)
      guard let item = waiting[digest]?.last, sides.areEqual(item, other) else { continue }
      waiting[digest]?.removeLast()
      copies.insert(other)
    }
    return (copies, false)
  }
}
