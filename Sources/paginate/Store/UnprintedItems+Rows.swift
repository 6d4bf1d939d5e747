// The rows of the items that are not printed, and how they are asked for.

extension UnprintedItems {
  /// Items with consecutive numbers and consecutive positions.
  struct Row: Equatable {
    let item: Int
    let position: Int
    var count = 1
    var isUncertain = false

    /// The part from one index up to another; nil if there is nothing in it.
    func part(_ first: Int, _ end: Int) -> Row? {
      let (first, end) = (max(first, 0), min(end, count))
      if first >= end { return nil }
      return Row(item: item + first, position: position + first, count: end - first, isUncertain: isUncertain)
    }
  }

  // MARK: Statements

  /// Rows that wait do not overlap, so only the nearest one above a range can reach into it.
  static let inRange = """
    \(rows) AND is_uncertain = 0 AND position <= ?3 AND position >= coalesce((
        SELECT max(position) FROM unprinted WHERE feed = ?1 AND is_uncertain = 0 AND position <= ?2), ?2)
      ORDER BY position, item
    """
  static let containing = "\(rows) AND item <= ?2 ORDER BY item DESC LIMIT 1"
  static let ofState = "\(rows) AND is_uncertain = ?2"
  static let ofNoState = "\(rows) AND is_uncertain NOT IN (0, 1)"
  static let items =
    "SELECT position, id, data, version, 0 FROM item WHERE number BETWEEN ?2 AND ?3 AND +feed = ?1 ORDER BY number"
  static let counted = """
    SELECT coalesce(sum(count) FILTER (WHERE is_uncertain = 0), 0), coalesce(sum(count) FILTER (WHERE is_uncertain = 1), 0)
    FROM unprinted WHERE feed = ?1
    """
  private static let rows = "SELECT item, position, count, is_uncertain FROM unprinted WHERE feed = ?1"

  /// How many items wait, and how many are uncertain.
  func counts() throws(StoreError) -> (waiting: Int, uncertain: Int) {
    try counted.first(feed) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }
}
