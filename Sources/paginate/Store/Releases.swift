// The items that a change releases for printing. A page may have a million items, which usually follow each other both in
// the table of items and in the feed, so they are kept as stretches.

/// Released items, from the top of the feed down.
struct Releases {
  /// Items whose numbers and positions follow each other.
  struct Stretch: Equatable {
    /// The rowid of the first.
    let item: Int
    /// The position of the first.
    let position: Int
    var count = 1
    /// Whether it was released before; then it is one item.
    let isAgain: Bool
  }

  private(set) var all: [Stretch] = []

  mutating func append(_ release: Stretch) {
    if let last = all.last, !last.isAgain, !release.isAgain, release.item &- last.item == last.count,
      release.position - last.position == last.count
    {
      all[all.count - 1].count += release.count
    } else {
      all.append(release)
    }
  }

  /// Live items have different positions, so stretches do not overlap.
  mutating func sort() { all.sort { $0.position < $1.position } }
}
