// A feed in a SQLite file: its changes, and the record of what has been printed.

import FeedCore

extension FeedStore {
  func commit<T>(_ judge: () throws(StoreError) -> (T, FeedChange?)) throws(StoreError) -> T {
    try database.transaction { () throws(StoreError) in
      let (result, change) = try judge()
      if let change { try make(change) }
      return result
    }
  }

  private func make(_ change: FeedChange) throws(StoreError) {
    let now = Statement.Value.integer(Int(Clock.now() / 1_000_000))
    var releases = Releases()
    fresh = FreshItems()
    for item in change.items { if let release = try apply(item, now) { releases.append(release) } }
    releases.sort()
    try releaseLog.add(releases.all)
    try unprintedItems.add(releases.all)
    for range in change.gone { try statements.markGone.run(feedValue, first(range), last(range), now) }
    for range in change.removedPages { try statements.removePages.run(feedValue, first(range), last(range)) }
    for page in change.savedPages {
      try statements.savePage.run(feedValue, .integer(page.top), .init(page.next))
    }
    for number in change.removedRuns { try statements.removeRun.run(feedValue, .integer(number)) }
    for run in change.savedRuns {
      try statements.saveRun.run(
        feedValue, .integer(run.number), .integer(run.top), .integer(run.bottom),
        .text(Array(run.lowerEnd.rawValue.utf8)))
    }
    if let mark = change.mark { try save(mark) }
    if change.isCovered { try coverAll() }
    if let page = change.firstPage {
      try statements.saveFirstPage.run(feedValue, .init(page.etag), .integer(page.size), .init(page.total))
    }
  }

  /// - Returns: the release that the change makes.
  private func apply(
    _ change: FeedChange.ChangedItem, _ now: Statement.Value
  ) throws(StoreError) -> Releases.Stretch? {
    let (item, position) = (change.item.texts, Statement.Value(change.position))
    guard let handle = change.handle else {
      try statements.insertItem.run(
        feedValue, .text(item.id), position, .init(item.orderKey), .text(item.version), .text(item.data), now)
      let number = database.lastInsertedRow
      // It follows the largest, which a damaged store may have anywhere.
      guard StoreLimit.numbers.contains(number) else { throw .damaged("the number of an item cannot be \(number)") }
      fresh.add(item, number)
      return .init(item: number, position: change.position ?? 0, isAgain: false)
    }
    try statements.placeItem.run(.integer(handle), position, .init(item.orderKey))
    if change.isEdited {
      try statements.editItem.run(.integer(handle), .text(item.version), .text(item.data), now)
    }
    if change.isPrintedAgain {
      try unprintedItems.remove(handle)
      return .init(item: handle, position: try releaseLog.position(of: handle), isAgain: true)
    }
    if let place = change.position { try unprintedItems.move(handle, to: place) }
    return nil
  }

  private var feedValue: Statement.Value { .integer(feed) }
  private func first(_ range: ClosedRange<Int>) -> Statement.Value { .integer(range.lowerBound) }
  private func last(_ range: ClosedRange<Int>) -> Statement.Value { .integer(range.upperBound) }

  // MARK: Printing

  func waiting(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try unprintedItems.waiting(in: range, lines: lines, bytes: bytes, fresh)
  }

  func recordIntent(_ range: ClosedRange<Int>) throws(StoreError) {
    try statements.setIntent.run(feedValue, first(range), last(range))
  }

  func recordPrinted(_ printed: ClosedRange<Int>?, count: Int, torn: Int?) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      if let printed {
        // A damaged table could list items that do not wait; they would be printed again and again.
        guard try unprintedItems.settle(printed) == count else {
          throw .damaged("what waits to be printed is not what was found")
        }
      }
      if let torn { try unprintedItems.settle(torn...torn, asUncertain: true) }
      // A torn line stays recorded until the next run has reported it.
      try statements.setIntent.run(feedValue, .init(torn), .init(torn))
    }
  }

  func recoverInterrupted(_ note: (Int) -> Void) throws(StoreError) {
    let intent = try statements.intent.first(feedValue) { (row) throws(StoreError) in
      try row.range(0, "what was being printed")
    }
    guard let intent = intent ?? nil else { return }
    try database.transaction { () throws(StoreError) in
      // A torn line was marked uncertain when it was cut, so it does not wait now.
      let count = max(try unprintedItems.settle(intent, asUncertain: true), intent.count == 1 ? 1 : 0)
      try statements.setIntent.run(feedValue, .null, .null)
      if count > 0 { note(count) }
    }
  }

  // MARK: Readers

  func released(after number: Int, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem] {
    try items(releaseLog.released, (number + 1)...StoreLimit.numbers.upperBound, lines: lines, bytes: bytes)
  }

  func releaseNumber(of id: [UInt8], again: Int?) throws(StoreError) -> Int? {
    if let again, try releaseLog.hasAgain(id, at: again) { return again }
    return try releaseLog.firstNumber(of: id)
  }

  func redeliver() throws(StoreError) {
    try database.transaction { () throws(StoreError) in try unprintedItems.redeliver() }
  }
}
