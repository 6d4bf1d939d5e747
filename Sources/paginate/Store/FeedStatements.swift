// The statements that work on a feed, prepared once. The condition on `gone_at` must be written as in the schema's
// partial index; otherwise SQLite would not use that.

struct FeedStatements {
  let runs, item, firstLive, lastLive, liveCount, firstPage, lastPage, firstPageFacts: Statement
  let live, intent: Statement
  let insertItem, placeItem, editItem, markGone, removePages, savePage, removeRun, saveRun, saveFirstPage: Statement
  let setIntent, retryTime, setRetryTime: Statement

  init(_ database: Database) throws(StoreError) {
    runs = try database.prepare(
      "SELECT number, top, bottom, lower_end, is_placed FROM run WHERE feed = ? ORDER BY top")
    item = try database.prepare(
      "SELECT number, position, order_key, version, gone_at FROM item WHERE feed = ? AND id = ?")
    let isLive = "FROM item WHERE feed = ? AND position BETWEEN ? AND ? AND gone_at IS NULL"
    firstLive = try database.prepare("SELECT position \(isLive) ORDER BY position LIMIT 1")
    lastLive = try database.prepare("SELECT position \(isLive) ORDER BY position DESC LIMIT 1")
    liveCount = try database.prepare("SELECT count(*) \(isLive)")
    live = try database.prepare("SELECT position, id, data, version, 0 \(isLive) ORDER BY position")
    let isPage = "FROM page WHERE feed = ? AND top BETWEEN ? AND ?"
    firstPage = try database.prepare("SELECT top, next \(isPage) ORDER BY top LIMIT 1")
    lastPage = try database.prepare("SELECT top, next \(isPage) ORDER BY top DESC LIMIT 1")
    firstPageFacts = try database.prepare("SELECT etag, page_size, total FROM feed WHERE number = ?")
    retryTime = try database.prepare("SELECT retry_at, retry_said_at FROM feed WHERE number = ?")

    intent = try database.prepare("SELECT writing_from, writing_to FROM feed WHERE number = ?")

    insertItem = try database.prepare(
      """
      INSERT INTO item (feed, id, position, order_key, version, data, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    placeItem = try database.prepare(
      "UPDATE item SET position = coalesce(?2, position), gone_at = NULL, order_key = ?3 WHERE number = ?1")
    editItem = try database.prepare("UPDATE item SET version = ?2, data = ?3, changed_at = ?4 WHERE number = ?1")
    markGone = try database.prepare(
      "UPDATE item SET gone_at = ?4 WHERE feed = ?1 AND position BETWEEN ?2 AND ?3 AND gone_at IS NULL")
    removePages = try database.prepare("DELETE FROM page WHERE feed = ? AND top BETWEEN ? AND ?")
    savePage = try database.prepare("INSERT OR REPLACE INTO page (feed, top, next) VALUES (?, ?, ?)")
    removeRun = try database.prepare("DELETE FROM run WHERE feed = ? AND number = ?")
    saveRun = try database.prepare(
      "INSERT OR REPLACE INTO run (feed, number, top, bottom, lower_end, is_placed) VALUES (?, ?, ?, ?, ?, ?)")
    saveFirstPage = try database.prepare("UPDATE feed SET etag = ?2, page_size = ?3, total = ?4 WHERE number = ?1")

    setIntent = try database.prepare("UPDATE feed SET writing_from = ?2, writing_to = ?3 WHERE number = ?1")
    setRetryTime = try database.prepare("UPDATE feed SET retry_at = ?2, retry_said_at = ?3 WHERE number = ?1")
  }
}
