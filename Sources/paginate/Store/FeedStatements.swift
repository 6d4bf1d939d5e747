/// The statements that work on a feed, prepared once. The condition on `gone_at` must be written as in the schema's
/// partial index; otherwise SQLite would not use that.
struct FeedStatements {
  let runs, item, text, firstLive, lastLive, liveCount, firstPage, lastPage, firstPageFacts: Statement
  let live, intent: Statement
  let insertItem, placeItem, editItem, markGone, removePages, savePage, removeRun, saveRun, saveFirstPage: Statement
  let setIntent, retryTime, setRetryTime: Statement

  init(_ database: Database) {
    runs = database.prepare(
      "SELECT number, top, bottom, lower_end FROM run WHERE feed = ? ORDER BY top")
    item = database.prepare(
      "SELECT number, position, order_key, version, gone_at FROM item WHERE feed = ? AND id = ?")
    text = database.prepare("SELECT data FROM item WHERE number = ?")
    let isLive = "FROM item WHERE feed = ? AND position BETWEEN ? AND ? AND gone_at IS NULL"
    firstLive = database.prepare("SELECT position \(isLive) ORDER BY position LIMIT 1")
    lastLive = database.prepare("SELECT position \(isLive) ORDER BY position DESC LIMIT 1")
    liveCount = database.prepare("SELECT count(*) \(isLive)")
    live = database.prepare("SELECT position, id, data, version, 0 \(isLive) ORDER BY position")
    let isPage = "FROM page WHERE feed = ? AND top BETWEEN ? AND ?"
    firstPage = database.prepare("SELECT top, next \(isPage) ORDER BY top LIMIT 1")
    lastPage = database.prepare("SELECT top, next \(isPage) ORDER BY top DESC LIMIT 1")
    firstPageFacts = database.prepare("SELECT etag, page_size, total FROM feed WHERE number = ?")
    retryTime = database.prepare("SELECT retry_at, retry_said_at FROM feed WHERE number = ?")

    intent = database.prepare("SELECT writing_from, writing_to FROM feed WHERE number = ?")

    insertItem = database.prepare(
      """
      INSERT INTO item (feed, id, position, order_key, version, data, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    placeItem = database.prepare(
      "UPDATE item SET position = coalesce(?2, position), gone_at = NULL, order_key = ?3 WHERE number = ?1")
    editItem = database.prepare("UPDATE item SET version = ?2, data = ?3, changed_at = ?4 WHERE number = ?1")
    markGone = database.prepare(
      "UPDATE item SET gone_at = ?4 WHERE feed = ?1 AND position BETWEEN ?2 AND ?3 AND gone_at IS NULL")
    removePages = database.prepare("DELETE FROM page WHERE feed = ? AND top BETWEEN ? AND ?")
    savePage = database.prepare("INSERT OR REPLACE INTO page (feed, top, next) VALUES (?, ?, ?)")
    removeRun = database.prepare("DELETE FROM run WHERE feed = ? AND number = ?")
    saveRun = database.prepare(
      "INSERT OR REPLACE INTO run (feed, number, top, bottom, lower_end) VALUES (?, ?, ?, ?, ?)")
    saveFirstPage = database.prepare("UPDATE feed SET etag = ?2, page_size = ?3, total = ?4 WHERE number = ?1")

    setIntent = database.prepare("UPDATE feed SET writing_from = ?2, writing_to = ?3 WHERE number = ?1")
    setRetryTime = database.prepare("UPDATE feed SET retry_at = ?2, retry_said_at = ?3 WHERE number = ?1")
  }
}
