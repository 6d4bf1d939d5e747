// A path that begins at the root, such as `/item`, matches nothing in most feeds, where the items are further in.

import FeedCore

/// Counts the elements that `//name` would match, while PATH matches nothing.
struct PathHint {
  /// The name of the last step; nil if there is nothing to count.
  private var name: [UInt8]?
  private var count = 0

  /// - Parameter isWanted: whether anybody would read it.
  init(_ path: XMLPath, isWanted: Bool) {
    // Not for a union.
    if isWanted, path.last.nonzeroBitCount == 1, path.steps.first?.isDeep == false,
      case .written(let name) = path.steps.last?.name
    {
      self.name = name
    } else {
      name = nil
    }
  }

  @inline(__always)
  mutating func see(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) {
    if let name, isName(bytes, tag.name, name) { count += 1 }
  }

  /// Stops counting, because PATH matches something.
  mutating func stop() { name = nil }

  /// What to say at the end, if nothing matched.
  var message: String? {
    guard let name, count > 0 else { return nil }
    let elements = count == 1 ? "1 element" : "\(count) elements"
    return "nothing matches PATH, but //\(quoted(name)) would match \(elements)"
  }
}
