// Compares two objects: members are paired by name.

extension Differ {
  /// - Returns: the members that are in both and differ, as replacements. Nil if they cannot be paired: if a name occurs
  ///   twice, no path can name its members. Then the object can only be replaced.
  mutating func compareObjects(_ objects: Change, _ path: Int) -> [Change]? {
    let olds = Members(old, objects.old)
    let news = Members(new, objects.new)
    guard let partners = olds.partners(in: news) else { return nil }

    var children: [Change] = []
    for (place, name) in olds.names.enumerated() {
      let partner = partners[place]
      if partner < 0 {
        if old.isVoid(name + 1) { continue }
        emit(Change(kind: .remove, parent: path, token: .oldName(name), old: name + 1, new: -1))
      } else if sides.mayDiffer(name + 1, news.names[partner] + 1) {
        children.append(
          Change(kind: .replace, parent: path, token: .oldName(name), old: name + 1, new: news.names[partner] + 1))
      }
    }
    for name in news.names(without: partners) where !new.isVoid(name + 1) {
      emit(Change(kind: .add, parent: path, token: .newName(name), old: -1, new: name + 1))
    }
    return children
  }
}

/// The members of an object by the digests of their names.
struct Members {
  /// Tape positions, in the order of the object.
  private(set) var names: [Int] = []
  /// Whether a digest occurs twice.
  private(set) var hasDuplicates = false
  private let side: Side
  private var digests: [UInt64] = []
  private var places: [UInt64: Int] = [:]

  /// Objects with at most this many names are searched one by one.
  private static let indexThreshold = 16

  init(_ side: Side, _ object: Int) { self.init(side, object) { side.scalarDigest($0) } }

  /// Members whose names are numbered, so that different names have different digests.
  /// - Parameter numbers: of the names of this object, and of those that it will be paired with.
  init(_ side: Side, _ object: Int, numbers: inout [[UInt8]: UInt64]) {
    self.init(side, object) {
      let next = UInt64(numbers.count)
      let name = JSONString.decoded(side.value($0))
      return numbers[name] ?? numbers.updateValue(next, forKey: name) ?? next
    }
  }

  private init(_ side: Side, _ object: Int, digest: (Int) -> UInt64) {
    self.side = side
    let document = side.document
    let end = document.last(object)
    var position = document.first(object)
    while position < end {
      names.append(position)
      digests.append(digest(position))
      position = document.next(position + 1)
    }
    if names.count > Self.indexThreshold {
      places = Dictionary(zip(digests, names.indices), uniquingKeysWith: { first, _ in first })
      hasDuplicates = places.count < names.count
    } else {
      hasDuplicates = digests.indices.contains { digests[..<$0].contains(digests[$0]) }
    }
  }

  /// - Returns: for each member the index in `others` of the one with the same name; -1 for none. Nil if names cannot be
  ///   told apart: one occurs twice, or the digests of two are the same.
  func partners(in others: Members) -> [Int]? {
    if hasDuplicates || others.hasDuplicates { return nil }
    var partners: [Int] = []
    partners.reserveCapacity(names.count)
    for (place, name) in names.enumerated() {
      guard let partner = others.place(of: digests[place], near: place) else {
        partners.append(-1)
        continue
      }
      guard JSONString.equal(side.value(name), others.side.value(others.names[partner])) else { return nil }
      partners.append(partner)
    }
    return partners
  }

  /// The names of the members that are nobody's partner.
  func names(without partners: [Int]) -> [Int] {
    var isTaken = [Bool](repeating: false, count: names.count)
    for partner in partners where partner >= 0 { isTaken[partner] = true }
    return zip(names, isTaken).filter { !$0.1 }.map(\.0)
  }

  /// - Parameter near: its index if both objects have their members in the same order.
  private func place(of digest: UInt64, near: Int) -> Int? {
    if near < digests.count, digests[near] == digest { return near }
    return names.count > Self.indexThreshold ? places[digest] : digests.firstIndex(of: digest)
  }
}
