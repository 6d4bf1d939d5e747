import FeedCore

/// The pointers in the headings. One is mostly made of the one before, so that a deep document with many changes costs
/// no more than a flat one.
struct Headings {
  /// A longer pointer is shown without its middle: with all of it, the text could be the square of the input.
  private static let half = 500

  /// The last pointer.
  private var text: [UInt8] = []
  /// The containers on its way, and where in the text the pointer to each ends. Each has a greater number than the one
  /// around it.
  private var way: [(path: Int, end: Int)] = []

  /// The pointer to a container in the old document, as shown; empty for the whole document.
  mutating func pointer(to path: Int, _ differ: Differ) -> [UInt8] {
    var missing: [Int] = []
    var next = path
    while next != Paths.none {
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
