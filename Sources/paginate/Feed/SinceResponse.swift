/// What a walk has seen of a response to `--since`.
///
/// If it follows the tail and is sorted by the value, an item that is edited moves to its end. If its pages are numbered,
/// the others then move up, one of them to a page that was read already. The item itself comes again: this shows it.
struct SinceResponse {
  /// Whether values that come may raise the mark. Not if an earlier walk did not end: what changed since it began may be
  /// on pages that are not read again.
  var raisesMark = false
  /// Whether it has shown known items that the mark covers, or is known not to.
  var hasShownCovered = false
  /// Digests of the ids so far.
  private var met: Set<Int> = []
  /// Whether an item may have moved to a page that was read already.
  private(set) var hasShifted = false

  /// Takes a page of a response that follows the tail.
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
