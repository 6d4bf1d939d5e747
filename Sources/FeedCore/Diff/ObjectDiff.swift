// Compares two objects: members are paired by name.

extension Differ {
  /// - Returns: the members that are in both and differ. Nil if a name occurs twice: no path can name its members, so
  ///   the object can only be replaced.
  mutating func compareObjects(_ objects: Child, _ path: Int) -> [Child]? {
    let olds = Members(old, objects.old)
    let news = Members(new, objects.new)
    guard !olds.hasDuplicates, !news.hasDuplicates else { return nil }

    var partners = [Int](repeating: -1, count: olds.names.count)
    var isTaken = [Bool](repeating: false, count: news.names.count)
    for (place, name) in olds.names.enumerated() {
      guard let partner = news.place(of: olds.digests[place], near: place) else { continue }
      // Two names with the same digest cannot be distinguished here, so the whole object is replaced.
      guard JSONString.equal(old.value(name), new.value(news.names[partner])) else { return nil }
      partners[place] = partner
      isTaken[partner] = true
    }

    var children: [Child] = []
    for (place, name) in olds.names.enumerated() {
      let partner = partners[place]
      if partner < 0 {
        if old.isVoid(name + 1) { continue }
        emit(Change(kind: .remove, parent: path, token: .oldName(name), old: name + 1, new: -1))
      } else if sides.mayDiffer(name + 1, news.names[partner] + 1) {
        children.append(
          Child(token: .oldName(name), oldIndex: 0, newIndex: 0, old: name + 1, new: news.names[partner] + 1))
      }
    }
    for (place, name) in news.names.enumerated() where !isTaken[place] && !new.isVoid(name + 1) {
      emit(Change(kind: .add, parent: path, token: .newName(name), old: -1, new: name + 1))
    }
    return children
  }
}

/// The members of an object by the digests of their names.
struct Members {
  /// Tape positions, in the order of the object.
  private(set) var names: [Int] = []
  private(set) var hasDuplicates = false
  private(set) var digests: [UInt64] = []
  private var places: [UInt64: Int] = [:]

  /// Objects with at most this many names are searched one by one.
  private static let indexThreshold = 16

  init(_ side: Side, _ object: Int) {
    let document = side.document
    let end = document.last(object)
    var position = document.first(object)
    while position < end {
      names.append(position)
      digests.append(side.scalarDigest(position))
      position = document.next(position + 1)
    }
    if names.count > Self.indexThreshold {
      places = Dictionary(zip(digests, names.indices), uniquingKeysWith: { first, _ in first })
      hasDuplicates = places.count < names.count
    } else {
      hasDuplicates = digests.indices.contains { digests[..<$0].contains(digests[$0]) }
    }
  }

  /// - Parameter near: its index if both objects have their members in the same order.
  func place(of digest: UInt64, near: Int) -> Int? {
    if near < digests.count, digests[near] == digest { return near }
    return names.count > Self.indexThreshold ? places[digest] : digests.firstIndex(of: digest)
  }
}
