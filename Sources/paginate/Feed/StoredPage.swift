import FeedCore

/// The place in a stored feed at which a view begins or ends.
enum FeedPlace {
  /// Everything, from the top.
  case top
  /// What is below an item, at this position.
  case after(Int)
  /// What is above an item, up from it.
  case before(Int)

  var isBesideItem: Bool { if case .top = self { false } else { true } }
  /// Whether what is nearest to the place comes last in the order of the feed.
  var isAtEnd: Bool { if case .before = self { true } else { false } }

  /// The positions of a run on this side of the place; nil if there are none.
  func positions(in run: FeedRun) -> ClosedRange<Int>? {
    var (first, last) = (run.top, run.bottom)
    switch self {
    case .top: break
    case .after(let position): first = max(first, position + 1)
    case .before(let position): last = min(last, position - 1)
    }
    return first <= last ? first...last : nil
  }

  /// The index of the run that has the place. If the place is in none, its item is gone, and this is the nearest run on
  /// this side; an index past the first or last if there is none.
  func index(in runs: [FeedRun]) -> Int {
    switch self {
    case .top: 0
    case .after(let position): runs.firstIndex { $0.bottom >= position } ?? runs.count
    case .before(let position): runs.lastIndex { $0.top <= position } ?? -1
    }
  }
}

/// A page of a stored feed, as it is printed.
struct StoredPage {
  /// In the order of the feed.
  var items: [WaitingItem] = []
  /// Whether items above the page are known.
  var hasPrevious = false
  /// Whether items below the page are known.
  var hasMore = false
  /// Whether items are missing between the page and the known item above it.
  var isBelowGap = false
  /// What is below the page if it ends where its run ends.
  var lowerEnd: FeedRun.LowerEnd?

  /// Writes `{"items":[…],"prev":"9","next":"7","has_more":true,"gap":true,"below":"open"}` as a line.
  func write(to output: inout ByteWriter) {
    output.append("{\"items\":[")
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(",") }
      output.append(item.data)
    }
    output.append("]")
    if hasPrevious { Self.write(items.first, as: ",\"prev\":", to: &output) }
    if hasMore { Self.write(items.last, as: ",\"next\":", to: &output) }
    output.append(hasMore ? ",\"has_more\":true" : ",\"has_more\":false")
    if isBelowGap { output.append(",\"gap_above\":true") }
    if let lowerEnd {
      if [.open, .lost].contains(lowerEnd) { output.append(",\"gap\":true") }
      output.append(",\"below\":\"\(lowerEnd.rawValue)\"")
    }
    output.append("}")
    output.endLine()
  }

  private static func write(_ item: WaitingItem?, as member: StaticString, to output: inout ByteWriter) {
    guard let item else { return }
    output.append(member)
    JSONString.write(item.id, to: &output)
  }
}
