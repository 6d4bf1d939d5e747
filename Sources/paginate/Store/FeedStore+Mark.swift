// A feed in a SQLite file: the value of `--since`. These statements are for runs with that option only.

import FeedCore

extension FeedStore {
  func mark() throws(StoreError) -> SinceMark? {
    try database.prepare("SELECT source, kind, greatest, covered FROM mark WHERE feed = ?")
      .first(.integer(feed)) { (row) throws(StoreError) in
        let kind = SinceValue.Kind(rawValue: String(decoding: try row.text(1, "the kind of the mark"), as: UTF8.self))
        func value(_ text: [UInt8]) throws(StoreError) -> SinceValue {
          guard let kind, let value = SinceValue(text, as: kind) else {
            throw .damaged("the mark cannot be '\(shortened(text))'")
          }
          return value
        }
        let covered = try row.textIfAny(3, "the mark")
        return SinceMark(
          source: try row.text(0, "the source of the mark"),
          covered: covered == nil ? nil : try value(covered ?? []), greatest: try value(try row.text(2, "the mark")))
      }
  }

  /// Saves the value. If the values come from another place than before, nothing is covered yet.
  func save(_ mark: SinceMark) throws(StoreError) {
    try database.prepare(
      """
      INSERT INTO mark (feed, source, kind, greatest) VALUES (?, ?, ?, ?)
        ON CONFLICT (feed) DO UPDATE SET source = excluded.source, kind = excluded.kind,
          greatest = excluded.greatest, covered = CASE WHEN source = excluded.source THEN covered END
      """
    ).run(
      .integer(feed), .text(mark.source), .text(Array(mark.greatest.kind.rawValue.utf8)), .text(mark.greatest.text))
  }

  /// The server does not know the value any more.
  func forgetMark() throws(StoreError) {
    try database.prepare("DELETE FROM mark WHERE feed = ?").run(.integer(feed))
  }

  /// Records that nothing is missing.
  func coverAll() throws(StoreError) {
    try database.prepare("UPDATE mark SET covered = greatest WHERE feed = ? AND covered IS NOT greatest")
      .run(.integer(feed))
  }
}
