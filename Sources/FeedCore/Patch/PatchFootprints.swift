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
  enum Access {
    case read
    /// Changes the value, and nothing beside it.
    case replace
    /// Puts a value there or takes it away. In an array, other elements may get other indexes.
    case shift
  }

  /// The time of no operation.
  static let never = -1

  /// A token sequence that an operation has used, with the last times.
  private struct Node {
    var read = never
    var readBelow = never
    var written = never
    var writtenBelow = never
    /// A value was put or taken here at a possible index.
    var shifted = never
    /// A possible index was used here, for any purpose.
    var indexed = never
  }

  private struct Step: Hashable {
    let node: Int
    let token: [UInt8]
  }

  private var nodes = [Node()]
  private var steps: [Step: Int] = [:]

  /// The last operation that `access` cannot change places with; `never` if there is none.
  func latest(_ access: Access, at pointer: JSONPointer) -> Int {
    var latest = Self.never
    var place = 0
    for (depth, token) in pointer.tokens.enumerated() {
      let node = nodes[place]
      latest = max(latest, access == .read ? node.written : max(node.written, node.read))
      if JSONPointer.isIndex(token) {
        let isShift = access == .shift && depth == pointer.tokens.count - 1
        latest = max(latest, isShift ? node.indexed : node.shifted)
      }
      guard let next = steps[Step(node: place, token: token)] else { return latest }
      place = next
    }
    let node = nodes[place]
    latest = max(latest, node.written, node.writtenBelow)
    return access == .read ? latest : max(latest, node.read, node.readBelow)
  }

  /// The known pointers on the way to `pointer`, the whole document first: the number of each, and the time of the last
  /// change to the value there.
  func way(to pointer: JSONPointer) -> [(number: Int, changed: Int)] {
    var way: [(number: Int, changed: Int)] = []
    var above = Self.never
    var place = 0
    for token in pointer.tokens {
      let node = nodes[place]
      way.append((place, max(above, node.written, node.writtenBelow)))
      above = max(above, node.written, JSONPointer.isIndex(token) ? node.shifted : Self.never)
      guard let next = steps[Step(node: place, token: token)] else { return way }
      place = next
    }
    way.append((place, max(above, nodes[place].written, nodes[place].writtenBelow)))
    return way
  }

  /// Notes an access.
  /// - Returns: the number of the pointer.
  @discardableResult
  mutating func mark(_ access: Access, at pointer: JSONPointer, _ time: Int) -> Int {
    var place = 0
    for (depth, token) in pointer.tokens.enumerated() {
      if access == .read {
        nodes[place].readBelow = max(nodes[place].readBelow, time)
      } else {
        nodes[place].writtenBelow = max(nodes[place].writtenBelow, time)
      }
      if JSONPointer.isIndex(token) {
        nodes[place].indexed = max(nodes[place].indexed, time)
        if access == .shift, depth == pointer.tokens.count - 1 {
          nodes[place].shifted = max(nodes[place].shifted, time)
        }
      }
      place = child(of: place, token)
    }
    if access == .read {
      nodes[place].read = max(nodes[place].read, time)
    } else {
      nodes[place].written = max(nodes[place].written, time)
    }
    return place
  }

  private mutating func child(of place: Int, _ token: [UInt8]) -> Int {
    let step = Step(node: place, token: token)
    if let child = steps[step] { return child }
    steps[step] = nodes.count
    nodes.append(Node())
    return nodes.count - 1
  }
}

extension JSONPatch.Operation {
  /// What the operation does, in order.
  var accesses: [(access: PatchFootprints.Access, pointer: JSONPointer)] {
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

  /// Whether this pointer begins with `other`, or is the same.
  func begins(with other: JSONPointer) -> Bool { tokens.starts(with: other.tokens) }

  /// The part after `other`, with which this pointer begins.
  func after(_ other: JSONPointer) -> JSONPointer { JSONPointer(tokens: Array(tokens[other.tokens.count...])) }

  /// Whether putting or taking a value here may give the elements on the way to `other` other indexes.
  func mayShift(_ other: JSONPointer) -> Bool {
    let depth = tokens.count - 1
    return mayEndInArray && other.tokens.count > depth && Self.isIndex(other.tokens[depth])
      && other.tokens.starts(with: tokens[..<depth])
  }
}
