/// What a walk knows of a feed whose pages are requested by a number or an offset. An insertion or deletion shifts
/// everything below it, so the number of a page is valid only while the feed does not change.
///
/// While pages are read one after another, inserted items push some down to the next page, where they are recognised.
/// Deleted ones pull some up to a page that was already read. Then `total` has shrunk, and the walk steps back. If new
/// items come at the end, they can hide in `total` that others were deleted. Then it steps back whenever `total` has
/// changed.
struct NumberedWalk {
  /// How many items a page has; nil if unknown.
  var pageSize: Int?
  /// How many items the feed had, according to the last page added.
  var total: Int?
  /// How often in a row the feed has become smaller, and showed nothing new.
  private var shrinkCount = 0

  /// The number of the page that should show the tail.
  /// - Parameter count: how many live items the run has, from the top of the feed.
  /// - Returns: nil if the page size is unknown.
  func tailNumber(_ numbering: FeedOptions.Numbering, count: Int, proof: Int) -> Int? {
    guard let pageSize, pageSize > 0 else { return nil }
    switch numbering {
    case .pages: return max(0, count - 1) / pageSize
    case .offsets: return count - min(proof, count)
    }
  }

  /// The number of the page before one; nil if there is none.
  func number(before number: Int, _ numbering: FeedOptions.Numbering) -> Int? {
    number > 0 ? max(0, number - (numbering == .pages ? 1 : max(1, pageSize ?? 1))) : nil
  }

  /// Whether what was at the top of a page may be on the page before now.
  func mayHaveShifted(_ page: FeedPage, _ order: FeedOrder?) -> Bool {
    guard let now = page.total, let total else { return false }
    return order == .oldestFirst ? now != total : now < total
  }

  static let totalUnsteady = "the total changes again and again, but nothing new comes, so items may be missing"
  /// A feed that loses items at every second request does so this often in a row once in a million times.
  private static let mostShrinks = 20

  /// Counts that the feed has become smaller. But servers that count differently, behind one address, say so for ever
  /// although nothing was deleted.
  /// - Returns: whether the total is still believed.
  mutating func believesTotal() -> Bool {
    shrinkCount = min(shrinkCount + 1, Self.mostShrinks)
    return shrinkCount < Self.mostShrinks
  }

  /// Something new was found.
  mutating func foundNew() { if shrinkCount < Self.mostShrinks { shrinkCount = 0 } }
}
