import FeedCore

/// A hunk is one container that changed. This is what it has in a row: the children that changed, at their places, and
/// those that did not.
struct Hunk {
  enum HunkLine {
    /// A child of the old container that stays. Its label is its index, or the tape position of its name.
    case same(label: Int, value: Int)
    /// The old value of a change (its number in `changes`), its new value, or both.
    case gone(Int)
    case come(Int)
    case replaced(Int)

    var isChange: Bool { if case .same = self { false } else { true } }
  }

  let differ: Differ
  /// The container, as an index of `Differ.paths`; `PathNode.none` if the whole document is replaced.
  let path: Int
  let changes: [Change]

  var isWholeDocument: Bool { path == PathNode.none }
  var isObject: Bool { !isWholeDocument && differ.old.document.kind(differ.paths[path].old) == .object }

  var entries: [HunkLine] {
    if isWholeDocument { return changes.indices.map(HunkLine.replaced) }
    return isObject ? members() : items()
  }

  /// The entries that are changes or at most `width` entries away from one. Nil is a gap between them.
  func entries(context width: Int) -> [HunkLine?] {
    let entries = entries
    let changed = entries.indices.filter { entries[$0].isChange }
    var shown: [HunkLine?] = []
    var next = 0
    for place in changed {
      let first = place - min(width, place)
      if first > next, next > 0, width > 0 { shown.append(nil) }
      next = max(next, first)
      // Up to the change, and after it: the next change sees what is left.
      let end = min(place + min(width, entries.count) + 1, entries.count)
      while next < end { shown.append(entries[next]); next += 1 }
    }
    return shown
  }

  // MARK: Objects

  /// The members in the order of the old object. An added one follows the member that it follows in the new object.
  private func members() -> [HunkLine] {
    let node = differ.paths[path]
    var changeOf: [Int: Int] = [:]
    for (number, change) in changes.enumerated() where change.old >= 0 { changeOf[change.old] = number }
    let added = addedMembers(node)
    var entries = added[-1, default: []].map(HunkLine.come)
    for member in differ.old.value(node.old).children {
      guard let name = member.key?.position else { continue }
      let value = member.value.position
      if let number = changeOf[value] {
        entries.append(changes[number].new < 0 ? .gone(number) : .replaced(number))
      } else if !differ.old.isVoid(value) {
        entries.append(.same(label: name, value: value))
      }
      if let numbers = added[name] { entries += numbers.map(HunkLine.come) }
    }
    return entries
  }

  /// The added members by the name in the old object that comes before them; -1 for none.
  private func addedMembers(_ node: PathNode) -> [Int: [Int]] {
    var changeOf: [Int: Int] = [:]
    for (number, change) in changes.enumerated() where change.old < 0 { changeOf[change.new] = number }
    if changeOf.isEmpty { return [:] }
    var names: [UInt64: Int] = [:]
    for member in differ.old.value(node.old).children {
      if let name = member.key?.position { names[differ.old.scalarDigest(name)] = name }
    }
    var added: [Int: [Int]] = [:]
    var before = -1
    for member in differ.new.value(node.new).children {
      if let number = changeOf[member.value.position] {
        added[before, default: []].append(number)
      } else if let name = member.key?.position {
        before = names[differ.new.scalarDigest(name)] ?? before
      }
    }
    return added
  }

  // MARK: Arrays

  /// The items in the order of both arrays, which are visited in parallel.
  private func items() -> [HunkLine] {
    let olds = differ.old.items(differ.paths[path].old)
    let newCount = differ.new.items(differ.paths[path].new).count
    var gone: [Int: Int] = [:]
    var come: [Int: Int] = [:]
    for (number, change) in changes.enumerated() {
      if change.kind != .add { gone[change.oldIndex] = number }
      if change.kind != .remove { come[change.newIndex] = number }
    }
    var entries: [HunkLine] = []
    var (old, new) = (0, 0)
    while old < olds.count || new < newCount {
      switch (gone[old], come[new]) {
      case (let left?, let right?) where left == right && changes[left].kind == .replace:
        entries.append(.replaced(left))
        old += 1
        new += 1
      case (let left?, _):
        entries.append(.gone(left))
        old += 1
      case (nil, let right?):
        entries.append(.come(right))
        new += 1
      case (nil, nil):
        if old < olds.count { entries.append(.same(label: old, value: olds[old])) }
        old += 1
        new += 1
      }
    }
    return entries
  }
}
