import FeedCore

/// A feed in a SQLite file. A statement is prepared when it is first run, and kept. The condition on `gone_at` must be
/// written as in the schema's partial index; otherwise SQLite would not use that.
final class FeedStore: FeedStorage {
  /// The longest wait that is remembered, in seconds: no server means a year.
  private static let longestWait = 86_400

  let database: Database
  let feed: Int
  private let feedValue: Statement.Value
  private let releaseLog: ReleaseLog
  private let unprintedItems: UnprintedItems
  /// What was added last, which is usually printed next.
  private var fresh = FreshItems()

  /// - Parameter feed: the number of the feed.
  init(_ database: Database, _ feed: Int) throws(StoreError) {
    (self.database, self.feed, feedValue) = (database, feed, .integer(feed))
    releaseLog = ReleaseLog(database, feedValue)
    unprintedItems = try UnprintedItems(database, feedValue)
  }

  // MARK: Knowledge

  private lazy var runRows = database.prepare(
    "SELECT number, top, bottom, lower_end FROM run WHERE feed = ? ORDER BY top")
  private lazy var itemRow = database.prepare(
    "SELECT number, position, order_key, version, gone_at FROM item WHERE feed = ? AND id = ?")
  private lazy var itemText = database.prepare("SELECT data FROM item WHERE number = ?")
  private static let isLive = "FROM item WHERE feed = ? AND position BETWEEN ? AND ? AND gone_at IS NULL"
  private lazy var firstLiveRow = database.prepare("SELECT position \(Self.isLive) ORDER BY position LIMIT 1")
  private lazy var lastLiveRow = database.prepare("SELECT position \(Self.isLive) ORDER BY position DESC LIMIT 1")
  private lazy var liveCountRow = database.prepare("SELECT count(*) \(Self.isLive)")
  private lazy var liveRows = database.prepare("SELECT position, id, data, version, 0 \(Self.isLive) ORDER BY position")
  private static let pages = "SELECT top, next FROM page WHERE feed = ? AND top BETWEEN ? AND ? ORDER BY top"
  private lazy var firstPageRow = database.prepare("\(Self.pages) LIMIT 1")
  private lazy var lastPageRow = database.prepare("\(Self.pages) DESC LIMIT 1")
  private lazy var firstPageFacts = database.prepare("SELECT etag, page_size, total FROM feed WHERE number = ?")

  func runs() throws(StoreError) -> [FeedRun] {
    let runs = try runRows.all(feedValue, read: FeedRun.init(_:))
    if let problem = FeedRuns(runs).problem { throw .damaged(problem) }
    return runs
  }

  func item(_ id: [UInt8]) throws(StoreError) -> KnownItem? {
    try itemRow.first(feedValue, .text(id), read: KnownItem.init(_:))
  }

  func text(of handle: Int) throws(StoreError) -> [UInt8] {
    try itemText.first(.integer(handle)) { (row) throws(StoreError) in try row.text(0, "the text of an item") } ?? []
  }

  func firstLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? {
    try firstLiveRow.first(feedValue, first(range), last(range), read: Statement.position)
  }

  func lastLive(in range: ClosedRange<Int>) throws(StoreError) -> Int? {
    try lastLiveRow.first(feedValue, first(range), last(range), read: Statement.position)
  }

  func liveCount(in range: ClosedRange<Int>) throws(StoreError) -> Int {
    try liveCountRow.first(feedValue, first(range), last(range), read: Statement.position) ?? 0
  }

  func firstPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? {
    try firstPageRow.first(feedValue, first(range), last(range), read: KnownPage.init(_:))
  }

  func lastPage(in range: ClosedRange<Int>) throws(StoreError) -> KnownPage? {
    try lastPageRow.first(feedValue, first(range), last(range), read: KnownPage.init(_:))
  }

  func firstPage() throws(StoreError) -> FeedChange.FirstPage? {
    try firstPageFacts.first(feedValue, read: FeedChange.FirstPage.read) ?? nil
  }

  private func first(_ range: ClosedRange<Int>) -> Statement.Value { .integer(range.lowerBound) }
  private func last(_ range: ClosedRange<Int>) -> Statement.Value { .integer(range.upperBound) }

  // MARK: Items

  /// Live items at some positions, in order; for `--cached`.
  /// - Parameters:
  ///   - lines: the most items.
  ///   - bytes: no more items once their data has this size.
  func live(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try items(liveRows, range, lines: lines, bytes: bytes)
  }

  private func items(
    _ statement: Statement, _ range: ClosedRange<Int>, lines: Int, bytes: Int
  ) throws(StoreError) -> [WaitingItem] {
    var size = 0
    var previous = range.lowerBound
    return try statement.all(feedValue, first(range), last(range)) { (row) throws(StoreError) in
      let item = try WaitingItem(row)
      // A damaged index may be out of order.
      guard item.position >= previous else { throw .damaged("the items are out of order") }
      previous = item.position
      size += item.data.count
      return item
    } while: {
      size < bytes && $0 < lines
    }
  }

  func released(after number: Int, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try items(releaseLog.released, (number + 1)...StoreLimit.numbers.upperBound, lines: lines, bytes: bytes)
  }

  func releaseNumber(of id: [UInt8], again: Int?) throws(StoreError) -> Int? {
    if let again, try releaseLog.hasAgain(id, at: again) { return again }
    return try releaseLog.firstNumber(of: id)
  }

  // MARK: Changes

  private lazy var insertItem = database.prepare(
    "INSERT INTO item (feed, id, position, order_key, version, data, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?)")
  private lazy var placeItem = database.prepare(
    "UPDATE item SET position = coalesce(?2, position), gone_at = NULL, order_key = ?3 WHERE number = ?1")
  private lazy var editItem = database.prepare(
    "UPDATE item SET version = ?2, data = ?3, changed_at = ?4 WHERE number = ?1")
  private lazy var markGone = database.prepare(
    "UPDATE item SET gone_at = ?4 WHERE feed = ?1 AND position BETWEEN ?2 AND ?3 AND gone_at IS NULL")
  private lazy var removePages = database.prepare("DELETE FROM page WHERE feed = ? AND top BETWEEN ? AND ?")
  private lazy var savePage = database.prepare("INSERT OR REPLACE INTO page (feed, top, next) VALUES (?, ?, ?)")
  private lazy var removeRun = database.prepare("DELETE FROM run WHERE feed = ? AND number = ?")
  private lazy var saveRun = database.prepare(
    "INSERT OR REPLACE INTO run (feed, number, top, bottom, lower_end) VALUES (?, ?, ?, ?, ?)")
  private lazy var saveFirstPage = database.prepare(
    "UPDATE feed SET etag = ?2, page_size = ?3, total = ?4 WHERE number = ?1")

  func commit<T>(_ judge: () throws(StoreError) -> (T, FeedChange?)) throws(StoreError) -> T {
    try database.transaction { () throws(StoreError) in
      let (result, change) = try judge()
      if let change { try make(change) }
      return result
    }
  }

  /// Writes a change, in the transaction of the caller.
  private func make(_ change: FeedChange) throws(StoreError) {
    let now = Statement.Value.integer(Int(Clock.now() / 1_000_000))
    var releases: [Stretch] = []
    fresh = FreshItems()
    for item in change.items { if let release = try apply(item, now) { releases.append(joining: release) } }
    // Live items have different positions, so stretches do not overlap.
    releases.sort { $0.place < $1.place }
    try releaseLog.add(releases)
    try unprintedItems.add(releases)
    for range in change.gone { try markGone.run(feedValue, first(range), last(range), now) }
    for range in change.removedPages { try removePages.run(feedValue, first(range), last(range)) }
    for page in change.savedPages { try savePage.run(feedValue, .integer(page.top), .init(page.next)) }
    for number in change.removedRuns { try removeRun.run(feedValue, .integer(number)) }
    for run in change.savedRuns {
      try saveRun.run(
        feedValue, .integer(run.number), .integer(run.top), .integer(run.bottom),
        .text(Array(run.lowerEnd.rawValue.utf8)))
    }
    if let mark = change.mark { try save(mark) }
    if change.isCovered { try coverAll() }
    if let page = change.firstPage {
      try saveFirstPage.run(feedValue, .init(page.etag), .integer(page.size), .init(page.total))
    }
  }

  /// - Returns: the release that the change makes: one item, at its position.
  private func apply(_ change: FeedChange.ChangedItem, _ now: Statement.Value) throws(StoreError) -> Stretch? {
    let (item, position) = (change.item.texts, Statement.Value(change.position))
    guard let handle = change.handle else {
      try insertItem.run(
        feedValue, .text(item.id), position, .init(item.orderKey), .text(item.version), .text(item.data), now)
      let number = database.lastInsertedRow
      // It follows the largest, which a damaged store may have anywhere.
      guard StoreLimit.numbers.contains(number) else { throw .damaged("the number of an item cannot be \(number)") }
      fresh.add(item, number)
      return Stretch(item: number, place: change.position ?? 0)
    }
    try placeItem.run(.integer(handle), position, .init(item.orderKey))
    if change.isEdited { try editItem.run(.integer(handle), .text(item.version), .text(item.data), now) }
    if change.isPrintedAgain {
      try unprintedItems.remove(handle)
      return Stretch(item: handle, place: try releaseLog.position(of: handle), isAgain: true)
    }
    if let place = change.position { try unprintedItems.move(handle, to: place) }
    return nil
  }

  // MARK: Printing

  private lazy var intent = database.prepare("SELECT writing_from, writing_to FROM feed WHERE number = ?")
  private lazy var setIntent = database.prepare("UPDATE feed SET writing_from = ?2, writing_to = ?3 WHERE number = ?1")

  func waiting(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try unprintedItems.waiting(in: range, lines: lines, bytes: bytes, fresh)
  }

  /// How many items wait to be printed, and for how many it is unknown whether they were.
  func unprinted() throws(StoreError) -> (waiting: Int, uncertain: Int) { try unprintedItems.counts() }

  func recordIntent(_ range: ClosedRange<Int>) throws(StoreError) {
    try setIntent.run(feedValue, first(range), last(range))
  }

  func recordPrinted(_ printed: ClosedRange<Int>?, count: Int, torn: Int?) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      // A damaged table could list items that do not wait; they would be printed again and again.
      if let printed, try unprintedItems.settle(printed) != count {
        throw .damaged("what waits to be printed is not what was found")
      }
      if let torn { try unprintedItems.settle(torn...torn, asUncertain: true) }
      // A torn line stays recorded until the next run has reported it.
      try setIntent.run(feedValue, .init(torn), .init(torn))
    }
  }

  func recoverInterrupted(_ note: (Int) -> Void) throws(StoreError) {
    let intent = try intent.first(feedValue) { (row) throws(StoreError) in try row.range(0, "what was being printed") }
    guard let intent = intent ?? nil else { return }
    try database.transaction { () throws(StoreError) in
      // A torn line was marked uncertain when it was cut, so it does not wait now.
      let count = max(try unprintedItems.settle(intent, asUncertain: true), intent.count == 1 ? 1 : 0)
      try setIntent.run(feedValue, .null, .null)
      if count > 0 { note(count) }
    }
  }

  func redeliver() throws(StoreError) {
    try database.transaction { () throws(StoreError) in try unprintedItems.redeliver() }
  }

  // MARK: Waits

  /// How long the server still wants no request, in seconds; nil if it has not said so.
  /// - Parameter now: seconds since 1970. If this is before the server's response, the clock has been set back.
  func retryWait(now: Int) throws(StoreError) -> Int? {
    let statement = database.prepare("SELECT retry_at, retry_said_at FROM feed WHERE number = ?")
    let times = try statement.first(feedValue) { (row) throws(StoreError) in
      (
        until: try row.integerIfAny(0, "the time of the next request", in: StoreLimit.times),
        said: try row.integerIfAny(1, "the time of a refusal", in: StoreLimit.times)
      )
    }
    guard let times, let until = times.until else { return nil }
    guard let said = times.said else { throw .damaged("the time of the next request has no beginning") }
    return now < said ? nil : min(until, said + Self.longestWait) - now
  }

  /// - Parameter wait: seconds from `now`; at most `longestWait` is kept; nil to delete it.
  func setRetryWait(_ wait: Int?, now: Int) throws(StoreError) {
    try database.prepare("UPDATE feed SET retry_at = ?2, retry_said_at = ?3 WHERE number = ?1")
      .run(feedValue, .init(wait.map { now + min($0, Self.longestWait) }), .init(wait.map { _ in now }))
  }

  // MARK: The value of `--since`

  /// What is kept for `--since`; nil if no run had a value.
  func mark() throws(StoreError) -> SinceMark? {
    try database.prepare("SELECT source, kind, greatest, covered FROM mark WHERE feed = ?")
      .first(feedValue) { (row) throws(StoreError) in
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
  private func save(_ mark: SinceMark) throws(StoreError) {
    try database.prepare(
      """
      INSERT INTO mark (feed, source, kind, greatest) VALUES (?, ?, ?, ?)
        ON CONFLICT (feed) DO UPDATE SET source = excluded.source, kind = excluded.kind,
          greatest = excluded.greatest, covered = CASE WHEN source = excluded.source THEN covered END
      """
    ).run(feedValue, .text(mark.source), .text(Array(mark.greatest.kind.rawValue.utf8)), .text(mark.greatest.text))
  }

  /// Puts a value that the server has given in place of the known one.
  func replace(_ mark: SinceMark) throws(StoreError) {
    try forgetMark()
    try save(mark)
    try coverAll()
  }

  /// The server does not know the value any more.
  func forgetMark() throws(StoreError) { try database.prepare("DELETE FROM mark WHERE feed = ?").run(feedValue) }

  /// Records that nothing is missing.
  private func coverAll() throws(StoreError) {
    try database.prepare("UPDATE mark SET covered = greatest WHERE feed = ? AND covered IS NOT greatest").run(feedValue)
  }
}

/// The items that this run has added last. They are usually printed next, and then need not be read from the store.
struct FreshItems {
  /// A larger page holds them in memory already, and should not hold them longer.
  private static let limit = 10_000
  private static let byteLimit = 4 << 20

  /// The number of the first.
  private var first = 0
  /// Their numbers follow each other.
  private var items: [FeedItem.Texts] = []
  private var byteCount = 0

  mutating func add(_ item: FeedItem.Texts, _ number: Int) {
    if items.isEmpty || number != first + items.count || items.count == Self.limit || byteCount >= Self.byteLimit {
      first = number
      items.removeAll()
      byteCount = 0
    }
    items.append(item)
    byteCount += item.data.count
  }

  func has(_ numbers: ClosedRange<Int>) -> Bool {
    numbers.lowerBound >= first && numbers.upperBound < first + items.count
  }

  func item(_ number: Int, at position: Int) -> WaitingItem {
    let item = items[number - first]
    return WaitingItem(position: position, id: item.id, data: item.data)
  }
}
