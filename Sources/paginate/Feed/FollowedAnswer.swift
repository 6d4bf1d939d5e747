// What a walk has seen of an answer to `--since` that follows the tail.
//
// If the answer is sorted by the value, an item that is edited moves to its end. If its pages are numbered, the others
// then move up, one of them to a page that was read already. The item itself comes again: this shows it.

struct FollowedAnswer {
  /// Digests of the ids so far.
  private var met: Set<Int> = []
  /// Whether an item may have moved to a page that was read already.
  private(set) var hasShifted = false

  /// - Parameters:
  ///   - isExpected: whether the page comes after those so far; if not, it was requested again.
  ///   - mayShift: whether its pages may be numbered.
  /// - Returns: whether the page has only what came before.
  mutating func take(_ page: FeedPage, isExpected: Bool, mayShift: Bool) -> Bool {
    let count = page.items.count { !met.insert($0.id.hashValue).inserted }
    if isExpected, mayShift, count > 0 { hasShifted = true }
    return count == page.items.count
  }
}
