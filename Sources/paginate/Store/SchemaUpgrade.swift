// How a store of an earlier format becomes one of this format: in one transaction, at the first run that may write.
// Runs that only read leave it as it is.

extension Schema {
  /// The statements that make a store of format 4 out of an earlier one.
  static func upgrade(from version: Int) -> [String] {
    let names = "number, feed, id, position, order_key, version, data, seen_at, changed_at, gone_at"
    // The items without a column can only be written anew. It takes as long as writing them took.
    return (version < 3 ? releases : []) + unprinted + marks + [
      """
      INSERT INTO unprinted (feed, item, position, count, is_uncertain)
        SELECT feed, min(number), min(position), count(*), printed = 2
        FROM (
          SELECT feed, number, position, printed,
            row_number() OVER (PARTITION BY feed, printed ORDER BY position, number) AS place
          FROM item WHERE printed IN (0, 2))
        GROUP BY feed, printed, number - place, position - place
      """,
      "DROP VIEW IF EXISTS items", "ALTER TABLE item RENAME TO old_item", tables(4, checked: true)[3],
      "INSERT INTO item (\(names)) SELECT \(names) FROM old_item", "DROP TABLE old_item", tables(4, checked: true)[4],
      views[0],
    ]
  }
}
