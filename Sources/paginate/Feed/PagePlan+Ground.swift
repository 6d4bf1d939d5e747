// What a page changes in the known items that are read again, before its new items are added after them.

extension PagePlan {
  /// Removes what the page proves to be gone, and the records of the pages that it replaces.
  /// - Returns: where the page begins in the known ground; nil if it shows nothing of it at its place.
  mutating func cross(_ ground: inout KnownGround?, _ compared: ComparedPage, _ page: FeedPage) -> Int? {
    guard var known = ground else { return nil }
    let isFirst = !known.isRead
    let begin = known.isEntered ? known.last + 1 : compared.firstMet
    let met = compared.seen.compactMap(\.position)
    let top = isFirst && known.isPageTop ? known.top : met.first
    if isFirst, let top, top <= known.bottom { change.removedPages.append(top...known.bottom) }
    // Known items were to come before anything that follows them. If one comes later, it is back.
    if let begin, !compared.unseen.isEmpty || page.next == nil {
      markGone(from: max(begin, known.asked), to: known.bottom, except: met)
    }
    known.isRead = true
    if let first = compared.firstMet {
      known.isEntered = true
      known.last = max(known.last, met.last ?? first - 1)
    }
    ground = known
    return top
  }

  /// - Parameter met: positions in this range, ascending.
  private mutating func markGone(from begin: Int, to bottom: Int, except met: [Int]) {
    var start = begin
    for position in met where position >= begin {
      if start < position { change.gone.append(start...(position - 1)) }
      start = position + 1
    }
    if start <= bottom { change.gone.append(start...bottom) }
  }
}
