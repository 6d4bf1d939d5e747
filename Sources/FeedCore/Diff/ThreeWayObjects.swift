// Merges two objects: members are paired by name.

extension ThreeWayMerge {
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
      } else if let part = lone(theirs: name + 1, base: value(baseOfTheirs[partner]), .theirsName(name)) {
        only[place].append(part)
      }
    }

    var parts: [MergedPart] = []
    var waiting = only[0]
    for (place, name) in mine.names.enumerated() {
      let partner = theirsOfOurs[place]
      if partner < 0 {
        if let part = lone(ours: name + 1, base: value(baseOfOurs[place]), .oursName(name)) { parts.append(part) }
        continue
      }
      parts += waiting
      waiting = only[place + 1]
      parts.append(
        .both(
          MergedChild(
            token: .oursName(name), base: value(baseOfOurs[place]), ours: name + 1, theirs: others.names[partner] + 1)))
    }
    return parts + waiting
  }
}

// Children that only one side has.
extension ThreeWayMerge {
  /// - Returns: what becomes of a child that THEIRS lacks; nil if it is removed.
  mutating func lone(ours position: Int, base: Int, _ token: ChildToken) -> MergedPart? {
    if base < 0 { return .ours(position) }
    return ourChanges.areEqual(base, position) ? nil : .conflict(token, base: base, ours: [position], theirs: [])
  }

  /// - Returns: what becomes of a child that OURS lacks; nil if it stays removed.
  mutating func lone(theirs position: Int, base: Int, _ token: ChildToken) -> MergedPart? {
    if base < 0 { return .theirs(position) }
    return theirChanges.areEqual(base, position) ? nil : .conflict(token, base: base, ours: [], theirs: [position])
  }
}
