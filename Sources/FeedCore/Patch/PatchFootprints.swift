// Where the operations of a patch have been. It answers, by pointers alone, which operations depend on each other:
//
//     0  replace /n             1  add /l/0             2  replace /n
//
// The last operation before 2 that matters for /n is 0. So 2 could come directly after 0, and one of the two is enough.
// It is not known which containers are arrays. So every token that can be an index is taken for one: after `add /l/0`,
// the pointer /l/3 may name something else.

/// The last operation that touched each pointer. Operations have ascending times.
struct PatchFootprints {
  /// What an operation does at a pointer.
  enum Footprint {
    case read
    /// Changes the value, and nothing beside it.
    case replace
    /// Puts a value there or takes it away. In an array, other elements may get other indexes.
    case shift
  }

  /// The time of no operation.
  static let never = -1

  /// A token sequence that an operation has used, with the last times.
  private struct FootprintNode {
    /// Whether its last token can be an index.
    let isIndex: Bool
    /// The nodes after one more token.
    var next: [[UInt8]: Int] = [:]
    var read = never
    var readBelow = never
    var written = never
    var writtenBelow = never
    /// A value was put or taken at a possible index below this.
    var shifted = never
    /// A possible index below this was used, for any purpose.
    var indexed = never
  }

  private var nodes = [FootprintNode(isIndex: false)]
  /// The last pointer, and its nodes as far as they exist: the one for no token first. One pointer is asked for several
  /// times, and the next one often begins like it.
  private var last: (pointer: JSONPointer, way: [Int]) = (JSONPointer(), [0])

  /// The last operation that `access` cannot change places with; `never` if there is none.
  mutating func latest(_ access: Footprint, at pointer: JSONPointer) -> Int {
    find(pointer)
    let count = pointer.tokens.count
    var latest = Self.never
    for (depth, place) in last.way.enumerated() {
      let node = nodes[place]
      latest = max(latest, access == .read ? node.written : max(node.written, node.read))
      if depth == count {
        latest = max(latest, node.writtenBelow, access == .read ? Self.never : node.readBelow)
      } else if isIndex(pointer, depth) {
        latest = max(latest, access == .shift && depth == count - 1 ? node.indexed : node.shifted)
      }
    }
    return latest
  }

  /// The known pointers on the way to `pointer`, the whole document first: the number of each, and the time of the last
  /// change to the value there.
  mutating func way(to pointer: JSONPointer) -> [(number: Int, changed: Int)] {
    find(pointer)
    var above = Self.never
    return last.way.enumerated().map { depth, place in
      let node = nodes[place]
      defer { above = max(above, node.written, isIndex(pointer, depth) ? node.shifted : Self.never) }
      return (place, max(above, node.written, node.writtenBelow))
    }
  }

  /// Notes an access.
  /// - Returns: the number of the pointer.
  @discardableResult
  mutating func mark(_ access: Footprint, at pointer: JSONPointer, _ time: Int) -> Int {
    find(pointer)
    let count = pointer.tokens.count
    for token in pointer.tokens.dropFirst(last.way.count - 1) {
      nodes[last.way[last.way.count - 1]].next[Array(token)] = nodes.count
      last.way.append(nodes.count)
      nodes.append(FootprintNode(isIndex: JSONPointer.isIndex(token)))
    }
    for (depth, place) in last.way.enumerated() {
      let isIndex = isIndex(pointer, depth)
      func note(_ time: Int, _ node: inout FootprintNode) {
        switch (access, depth == count) {
        case (.read, true): node.read = max(node.read, time)
        case (.read, false): node.readBelow = max(node.readBelow, time)
        case (_, true): node.written = max(node.written, time)
        case (_, false): node.writtenBelow = max(node.writtenBelow, time)
        }
        if isIndex { node.indexed = max(node.indexed, time) }
        if isIndex, access == .shift, depth == count - 1 { node.shifted = max(node.shifted, time) }
      }
      note(time, &nodes[place])
    }
    return last.way[count]
  }

  /// Makes `pointer` the last one.
  private mutating func find(_ pointer: JSONPointer) {
    if pointer != last.pointer {
      let kept = min(pointer.commonCount(with: last.pointer) + 1, last.way.count)
      last.way.removeSubrange(kept...)
      last.pointer = pointer
    }
    for token in pointer.tokens.dropFirst(last.way.count - 1) {
      guard let next = nodes[last.way[last.way.count - 1]].next[Array(token)] else { return }
      last.way.append(next)
    }
  }

  /// Whether the token that leads on from the last pointer's node at `depth` can be an index.
  private func isIndex(_ pointer: JSONPointer, _ depth: Int) -> Bool {
    if depth + 1 < last.way.count { return nodes[last.way[depth + 1]].isIndex }
    return depth < pointer.tokens.count && JSONPointer.isIndex(pointer.tokens[depth])
  }
}

extension JSONPatch.Operation {
  /// What the operation does, in order.
  var accesses: [(access: PatchFootprints.Footprint, pointer: JSONPointer)] {
    switch self {
    case .add(_, let path), .remove(let path): [(.shift, path)]
    case .replace(let path, _): [(.replace, path)]
    case .copy(let from, let path): [(.read, from), (.shift, path)]
    case .move(let from, let path): [(.shift, from), (.shift, path)]
    case .test(let path, _): [(.read, path)]
    }
  }
}

extension JSONPointer {
  /// Whether the last token can be an array index, or the end of an array. Otherwise it is certainly a member's name.
  var mayEndInArray: Bool { tokens.last.map(Self.isIndex) ?? false }

  /// Whether putting or taking a value here may give the elements on the way to `other` other indexes.
  func mayShift(_ other: JSONPointer) -> Bool {
    let depth = tokens.count - 1
    return mayEndInArray && other.tokens.count > depth && Self.isIndex(other.tokens[depth])
      && other.begins(with: prefix(depth))
  }
}
