import FeedCore

/// What the view knows of the containers with changes inside, for their headings: the pointers to them, and what
/// identifies the array items around them. A pointer is mostly made of the one before, so that a deep document with many
/// changes costs no more than a flat one.
struct Headings {
  /// A longer pointer is shown without its middle: with all of it, the text could be the square of the input.
  private static let half = 500

  /// The tape positions, in the old document, of the containers with a hunk of their own, and of those around them.
  let haveHunk: Set<Int>
  /// For each path: the names of the members that identify the innermost array item around it.
  private(set) var identities: [[JSONValue]] = []
  private let differ: Differ
  /// The last pointer.
  private var text: [UInt8] = []
  /// The containers on its way, and where in the text the pointer to each ends. Each has a greater number than the one
  /// around it.
  private var way: [(path: Int, end: Int)] = []

  init(_ differ: Differ) {
    self.differ = differ
    haveHunk = Set(differ.paths.map(\.old))
    for node in differ.paths {
      var own: [JSONValue] = []
      if case .index = node.token { own = differ.old.identifyingMembers(node.old, in: differ.paths[node.parent].old) }
      identities.append(own.isEmpty && node.parent != PathNode.none ? identities[node.parent] : own)
    }
  }

  /// The pointer to a container in the old document, as shown; empty for the whole document.
  mutating func pointer(to path: Int) -> [UInt8] {
    var missing: [Int] = []
    var next = path
    while next != PathNode.none {
      while let last = way.last, last.path > next { way.removeLast() }
      if way.last?.path == next { break }
      missing.append(next)
      next = differ.paths[next].parent
    }
    text.removeSubrange((way.last?.end ?? 0)...)
    for path in missing.reversed() {
      if let token = differ.oldToken(path) { text += JSONPointer(tokens: [token]).text }
      way.append((path, text.count))
    }
    return Array(shortened(text, half: Self.half).utf8)
  }
}
