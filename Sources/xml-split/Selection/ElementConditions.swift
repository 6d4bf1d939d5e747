import FeedCore

/// What a complete element must have in order to be written.
struct ElementConditions {
  let path: XMLPath
  /// There must be a match for each of these.
  let having: [Field]
  /// There must be no match for any of these.
  let notHaving: [Field]

  /// No element meets these.
  static let none = ElementConditions(
    path: XMLPath([], first: 0, last: 0, itself: 0, counters: 0), having: [], notHaving: [])

  /// Whether the contents of elements must be read.
  var needsTree: Bool { path.late != 0 || !having.isEmpty || !notHaving.isEmpty }

  /// - Parameter matched: the last steps of the paths of PATH that matched its start tag.
  func areMet(by tree: borrowing ElementTree, _ matched: UInt64) -> Bool {
    pathMatches(tree, matched) && having.allSatisfy { $0.hasMatch(in: tree) }
      && !notHaving.contains { $0.hasMatch(in: tree) }
  }

  private func pathMatches(_ tree: borrowing ElementTree, _ matched: UInt64) -> Bool {
    if matched & ~path.late != 0 { return true }
    var test = TreeTest(tree, path)
    for step in SetBits(matched) where test.holdsLate(path.steps[step], 0, tree) { return true }
    return false
  }
}
