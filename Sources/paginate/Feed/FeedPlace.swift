// The place in a stored feed at which a view begins or ends.

import FeedCore

/// - Parameter Item: an id, or a position.
enum FeedPlace<Item> {
  /// Everything, from the top.
  case top
  /// What is below an item.
  case after(Item)
  /// What is above an item, up from it.
  case before(Item)

  var isBesideItem: Bool { if case .top = self { false } else { true } }
  /// Whether what is nearest to the place comes last in the order of the feed.
  var isAtEnd: Bool { if case .before = self { true } else { false } }

  func map<Other, Failure>(_ convert: (Item) throws(Failure) -> Other) throws(Failure) -> FeedPlace<Other> {
    switch self {
    case .top: .top
    case .after(let item): .after(try convert(item))
    case .before(let item): .before(try convert(item))
    }
  }
}

extension FeedPlace<Int> {
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
  func index(in runs: ArraySlice<FeedRun>) -> Int {
    switch self {
    case .top: runs.startIndex
    case .after(let position): runs.firstIndex { $0.bottom >= position } ?? runs.endIndex
    case .before(let position): runs.lastIndex { $0.top <= position } ?? runs.startIndex - 1
    }
  }
}
