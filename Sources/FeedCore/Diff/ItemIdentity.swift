// What tells the items of an array apart in a three-way merge, so that an item can be followed from BASE to both sides.

/// The members that identify the items of an array.
struct ItemIdentity {
  /// Lists of members. The first list that an item has counts; the members of a list identify it together.
  let choices: [[[UInt8]]]
  /// Whether items without them may be among the others: the user has named them.
  var isGiven = false
  /// The name, if it was found in the data. That is a guess.
  var found: [UInt8]?
  /// Whether its values are numbers, which may only count the items. Such a pair is as uncertain as one by position.
  var mayCount = false

  static let usual = ItemIdentity(choices: Side.identityNames.map { [$0] })

  /// What the user says about an array in some documents; nil for nothing.
  static func given(_ arrays: [(side: Side, array: Int)]) -> ItemIdentity? {
    arrays.lazy.compactMap { $0.side.identity($0.array) }.first.map { ItemIdentity(choices: [$0], isGiven: true) }
  }

  /// For an array in each document, BASE first: what the user says; else a member with a usual name that tells all items
  /// apart; else the one member that does. If several would pair the items differently, none of them counts.
  static func of(_ arrays: [(side: Side, array: Int)]) -> ItemIdentity {
    if let given = given(arrays) { return given }
    guard let members = ItemMembers(arrays) else { return usual }
    let candidates = members.identifying
    if candidates.contains(where: usualNames.contains) { return usual }
    for kind in [candidates.filter(members.isText), candidates] {
      guard let first = kind.first else { continue }
      guard kind.dropFirst().allSatisfy({ members.pairAlike(first, $0) }) else { return usual }
      return ItemIdentity(choices: [[first]], found: first, mayCount: !members.isText(first))
    }
    return usual
  }

  private static let usualNames = Set(Side.identityNames)

  /// What identifies an object: a digest of the number of the list and of the values.
  /// - Returns: nil if it has none of the members.
  func value(of item: Int, _ side: Side) -> UInt64? {
    for (choice, names) in choices.enumerated() {
      if let digest = side.identity(of: item, names) { return JSONDigests.mix(digest, UInt64(choice)) }
    }
    return nil
  }

  /// Whether the members that identify an item of BASE say that an item of a side is another one.
  func separates(_ base: Int, _ item: Int, _ sides: Sides) -> Bool {
    for names in choices {
      if let digest = sides.old.identity(of: base, names) { return sides.new.identity(of: item, names) != digest }
    }
    return false
  }
}

/// The scalar members that all items of some arrays have: for each name and array, the digests of their values in order.
private struct ItemMembers {
  private var values: [[UInt8]: [[UInt64]]] = [:]
  /// Those of which some value is no string.
  private var notTexts: Set<[UInt8]> = []

  /// - Returns: nil if an item is no object, or has a member twice, or they have no scalar in common. Nil too if BASE has
  ///   not several items, so that there is nothing to tell apart.
  init?(_ arrays: [(side: Side, array: Int)]) {
    guard arrays.allSatisfy({ $0.side.document.kind($0.array) == .array }), let base = arrays.first,
      base.side.items(base.array).count > 1
    else { return nil }
    var count = 0
    for (number, (side, array)) in arrays.enumerated() {
      for item in side.items(array) {
        guard let members = side.scalars(of: item) else { return nil }
        if count == 0 { for name in members.keys { values[name] = arrays.map { _ in [] } } }
        count += 1
        for name in Array(values.keys) {
          guard let member = members[name] else {
            values[name] = nil
            continue
          }
          values[name]?[number].append(member.digest)
          if !member.isText { notTexts.insert(name) }
        }
        if values.isEmpty { return nil }
      }
    }
  }

  /// The names whose values tell all items of each array apart, in an order that does not depend on the layout.
  var identifying: [[UInt8]] {
    values.filter { $0.value.allSatisfy { Set($0).count == $0.count } }.keys
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether all values are strings.
  func isText(_ name: [UInt8]) -> Bool { !notTexts.contains(name) }

  /// Whether two names pair the items of the first array with the same items of the others.
  func pairAlike(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard let a = values[a], let b = values[b] else { return false }
    return a.indices.dropFirst().allSatisfy { Self.pairs(a[0], a[$0]) == Self.pairs(b[0], b[$0]) }
  }

  private static func pairs(_ olds: [UInt64], _ news: [UInt64]) -> [Int?] {
    let places = Dictionary(news.enumerated().map { ($1, $0) }) { $1 }
    return olds.map { places[$0] }
  }
}

extension Side {
  /// The scalar members of an object, without null.
  /// - Returns: nil if it is no object, or has a member twice.
  func scalars(of object: Int) -> [[UInt8]: (digest: UInt64, isText: Bool)]? {
    members(of: object) { member in
      member.kind.isContainer ? nil : (JSONDigests.ofScalar(member), member.kind.isString)
    }
  }

  /// What the members of an object are, without those that are null or for which `body` returns nil.
  /// - Returns: nil if it is no object, or has a member twice.
  fileprivate func members<Fact>(of object: Int, _ body: (JSONValue) -> Fact?) -> [[UInt8]: Fact]? {
    guard document.kind(object) == .object else { return nil }
    var members: [[UInt8]: Fact] = [:]
    var names: Set<[UInt8]> = []
    for member in value(object).children {
      let name = member.key?.string ?? []
      guard names.insert(name).inserted else { return nil }
      if member.value.kind != .null { members[name] = body(member.value) }
    }
    return members
  }
}

/// Tells whether an item that only its position pairs may have been replaced by another one, by its members that are
/// scalars or have nothing else in them, such as the lines of a text.
struct IdentifyingMembers {
  private let base: Side
  /// How many items of BASE have a member with this value.
  private var counts: [[UInt8]: [[UInt64]: Int]] = [:]

  init(_ base: Side, _ items: [Int]) {
    self.base = base
    for item in items {
      for (name, value) in Self.values(of: item, base) ?? [:] { counts[name, default: [:]][value, default: 0] += 1 }
    }
  }

  /// The digests of the scalars in each member; nil if the item is no object, or has a member twice.
  private static func values(of item: Int, _ side: Side) -> [[UInt8]: [UInt64]]? {
    side.members(of: item) { member in
      if !member.kind.isContainer { return [JSONDigests.ofScalar(member)] }
      guard member.children.allSatisfy({ !$0.value.kind.isContainer }) else { return nil }
      return member.children.map { JSONDigests.ofScalar($0.value) }
    }
  }

  /// Whether a side has changed what told an item apart, or more than half of these members. Of several scalars in one
  /// member, half may change.
  func haveChanged(_ item: Int, to new: Int, _ side: Side) -> Bool {
    guard let old = Self.values(of: item, base), let new = Self.values(of: new, side) else { return false }
    let changed = old.filter { name, values in
      let kept = Set(new[name] ?? [])
      return 2 * values.count { !kept.contains($0) } > values.count
    }
    if 2 * changed.count > old.count { return true }
    return changed.contains { counts[$0.key]?[$0.value] == 1 }
  }
}
