// A page of a response to `--since`: only what is newer than a mark. Known items come again because they were edited, and
// in any order, so they stay in their places, and no item is gone because it does not come. The walk goes on to the end
// of the response. Only there does the new run join the known ones.
//
// A walk that did not end leaves an open gap. The next walk gets the same response, with more on top. When it comes to what
// the last walk has read, it goes on where that one stopped.

extension PagePlan {
  mutating func takeFiltered(_ page: FeedPage, _ compared: ComparedPage, below walked: FeedRun?) {
    let unfinished = unfinished(page, compared, below: walked)
    for item in compared.unseen where item.positionInRun != nil { note(item, at: nil) }
    for item in compared.seen { note(item, at: nil) }
    let new = compared.unseen.lazy.filter { $0.positionInRun == nil }
    if walked != nil || !new.isEmpty || (page.next != nil && unfinished == nil) { append(new, of: page, to: walked) }
    while let unfinished, runs.head?.number != unfinished.number, runs.all.contains(unfinished), joinNext() {}
  }

  /// The run of a walk that did not end, if the page ends in what that walk has read: its last item is newer than the
  /// mark, and known as it is now.
  private func unfinished(_ page: FeedPage, _ compared: ComparedPage, below walked: FeedRun?) -> FeedRun? {
    guard page.next != nil, let last = compared.unseen.last, last.item.id == page.items.last?.id, last.item.isNewer,
      !last.isEdited, let index = last.positionInRun.flatMap(runs.index)
    else { return nil }
    let candidates = runs.all.prefix { $0.lowerEnd == .open }.filter { $0.number != walked?.number }
    if let found = candidates.first(where: { $0.number == runs.all[index].number }) { return found }
    // An edited item has its place elsewhere. Only from page 1 do all these walks go on further down.
    return walked == nil ? candidates.first : nil
  }

  /// Joins the head with all runs down to the next one that was complete: the response has ended.
  mutating func joinAll() { while runs.head?.lowerEnd == .open, joinNext() {} }

  /// Joins the head with the run below it.
  @discardableResult
  private mutating func joinNext() -> Bool {
    guard var head = runs.head, let below = runs.all.dropFirst().first else { return false }
    head.bottom = below.bottom
    head.lowerEnd = below.lowerEnd
    save(head, removing: [below.number])
    return true
  }
}

extension ComparedPage {
  /// Whether the page has known items.
  var showsCovered: Bool { unseen.contains { $0.positionInRun != nil } }
  /// Whether it has items that are known as they are now: covered ones, or those that a walk has read which did not end.
  var showsUnchanged: Bool { unseen.contains { $0.positionInRun != nil && !$0.isEdited } }
}

// MARK: The oldest items come first

extension PagePlan {
  /// Adds a page of a response that follows the tail. Such a response is always read from its beginning, and what is new
  /// goes to the tail. A page without new items needs no record: no later run asks for the one after it.
  mutating func takeAfterTail(_ page: FeedPage, _ compared: ComparedPage) {
    // A full walk that did not end. The response has what is missing.
    joinAll()
    for item in compared.unseen where item.positionInRun != nil { note(item, at: nil) }
    let new = compared.unseen.filter { $0.positionInRun == nil }
    guard new.isEmpty, var run = runs.head else { return append(new, of: page, to: tailForNew()) }
    switch (run.lowerEnd, page.next) {
    case (.end, .some), (.unread, .some): run.lowerEnd = .wanted
    case (.wanted, nil), (.unread, nil): run.lowerEnd = .end
    default: return
    }
    save(run)
  }

  /// The run that new items are added to: another one if the page should show known items and does not.
  private mutating func tailForNew() -> FeedRun? {
    guard mustShowCovered, !showsCovered, runs.head != nil else { return runs.head }
    var run = newRun
    run.lowerEnd = .lost
    isGapLost = true
    return run
  }
}

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
