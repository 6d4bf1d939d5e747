// How often pages of a numbered feed are read again because the feed has become smaller.
//
// Each time, its items may have been pulled up to a page that was already read. But servers that count differently, behind
// one address, say so for ever although nothing was deleted.

struct RereadLimit: Sendable {
  static let message = "the total changes again and again, but nothing new comes, so items may be missing"
  /// A feed that loses items at every second request does so this often in a row once in a million times.
  private static let most = 20

  private var count = 0

  /// Whether the limit was reached: then the total is not believed any more.
  var isReached: Bool { count >= Self.most }

  /// Counts one time.
  /// - Returns: whether pages may be read again.
  mutating func isAllowed() -> Bool {
    count = min(count + 1, Self.most)
    return !isReached
  }

  /// Something new was found.
  mutating func reset() { if !isReached { count = 0 } }
}
