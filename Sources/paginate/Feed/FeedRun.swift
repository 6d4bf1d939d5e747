// The places of items in a feed. Each item has a position, a number; smaller is nearer to the top. A run is a range of
// positions whose items follow each other in the feed with nothing missing between them.
//
// Positions have gaps. Items below a run's tail get the next numbers; items above everything get numbers above
// everything. A new run that does not join starts `room` above the others, so that it can grow towards them. When it
// meets one, the two become one run. So an item that stays in its place never gets a new number. Joining two runs costs
// the same for ten items as for a million. An item that a walk finds at another place moves there.

/// A range of pages known to be contiguous.
struct FeedRun: Equatable, Sendable {
  /// What is known about the place below the last item.
  enum LowerEnd: String, Sendable {
    /// The feed ends here.
    case end
    /// More may follow, but nobody asked to read it.
    case unread
    /// More follows, but the walk that should read it did not end.
    case wanted
    /// Items are missing between here and the next run.
    case open
    /// The same, but the items are no longer available: the feed ends here.
    case lost
  }

  /// How many positions a new run can grow by before it meets the one below: more than anyone can fetch.
  static let room = 1 << 36

  /// Identifies a run within one feed; never used again.
  let number: Int
  /// The positions of its items are in `top...bottom`.
  var top: Int
  var bottom: Int
  var lowerEnd: LowerEnd

  var range: ClosedRange<Int> { top...bottom }
}

/// All runs of a feed, from the top down.
struct FeedRuns: Equatable, Sendable {
  private(set) var all: [FeedRun]

  init(_ runs: [FeedRun]) { all = runs.sorted { $0.top < $1.top } }

  /// The run at the top of the feed. Only this run is shown.
  var head: FeedRun? { all.first }
  var nextNumber: Int { (all.map(\.number).max() ?? 0) + 1 }

  /// The index of the run that contains a position.
  func index(of position: Int) -> Int? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].bottom < position { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].top <= position ? low : nil
  }

  /// Whether items are missing that are still available.
  var hasOpenGap: Bool { all.contains { $0.lowerEnd == .open } }

  /// The positions that may be printed: everything down to the first open gap. Items that are no longer available delay
  /// nothing.
  ///
  /// Outside the runs there are only items that are gone; one that still waits is printed all the same.
  var printable: ClosedRange<Int> {
    for (run, below) in zip(all, all.dropFirst()) where run.lowerEnd == .open {
      return Int.min...(below.top - 1)
    }
    return Int.min...Int.max
  }

  /// Why the runs are impossible; nil for valid runs.
  var problem: String? {
    for (run, below) in zip(all, all.dropFirst()) {
      if below.top <= run.bottom { return "runs \(run.number) and \(below.number) overlap" }
      if run.lowerEnd != .open, run.lowerEnd != .lost { return "nothing says what is missing below run \(run.number)" }
    }
    return nil
  }

  /// Replaces runs by others.
  mutating func replace(_ removed: [Int], with saved: [FeedRun]) {
    let numbers = Set(removed + saved.map(\.number))
    self = FeedRuns(all.filter { !numbers.contains($0.number) } + saved)
  }
}
