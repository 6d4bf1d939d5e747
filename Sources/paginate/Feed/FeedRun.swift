// Where things are in a feed. Each item has a position, a number; the smaller, the nearer to the top. A run is a stretch
// of positions whose items are known to follow each other in the feed with nothing between them.
//
// Positions are never dense. What is read below a run's tail gets the next numbers; what is read above everything gets
// numbers above everything; a new run that does not join starts `room` above the others, so that it can grow towards
// them and the two can become one by forgetting where one ended. So no item that stays in its place is ever numbered
// anew, and joining two runs costs the same for ten items and for a million. What a walk meets in another place than
// before, it takes along to the place where it met it.

/// A stretch of pages known to be contiguous.
struct FeedRun: Equatable, Sendable {
  /// What is known about the place below the last item.
  enum LowerEnd: String, Sendable {
    /// The feed ends here.
    case end
    /// More may follow, but reading it was not asked for.
    case unread
    /// More follows, and the walk that was to read it did not end.
    case wanted
    /// Items are missing between here and the next run.
    case open
    /// The same, but they can no longer be had: the feed ends here.
    case lost
    /// Items are missing between here and what `--on-gap drop` has forgotten the places of.
    case dropped
  }

  /// How many positions a new run can grow by before it meets the one below: more than anybody can fetch.
  static let room = 1 << 36

  /// Tells the runs of one feed apart, for good.
  let number: Int
  /// The positions of its items are in `top...bottom`.
  var top: Int
  var bottom: Int
  var lowerEnd: LowerEnd
  /// Whether the items have their places; not so below a gap under `--on-gap drop`, which keeps them only to know them.
  var isPlaced = true

  var range: ClosedRange<Int> { top...bottom }
}

/// All runs of a feed, from the top down: those with a place, then the others.
struct FeedRuns: Equatable, Sendable {
  private(set) var all: [FeedRun]

  init(_ runs: [FeedRun]) { all = runs.sorted { $0.top < $1.top } }

  /// The run at the top of the feed, which is what is shown of it.
  var head: FeedRun? { all.first }
  var placed: ArraySlice<FeedRun> { all.prefix { $0.isPlaced } }
  var nextNumber: Int { (all.map(\.number).max() ?? 0) + 1 }

  /// The index of the run that a position is in.
  func index(of position: Int) -> Int? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].bottom < position { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].top <= position ? low : nil
  }

  /// Whether items are known to be missing where they could still be had.
  var hasOpenGap: Bool { placed.contains { $0.lowerEnd == .open || $0.lowerEnd == .dropped } }

  /// The positions of what may be printed: all down to the first open gap. What cannot be had holds nothing up.
  ///
  /// Outside of the runs there is nothing but items that are gone; where one still waits to be printed, it is not
  /// forgotten.
  var printable: ClosedRange<Int> {
    for (run, below) in zip(all, all.dropFirst()) where run.lowerEnd == .open || !below.isPlaced {
      return Int.min...(below.top - 1)
    }
    return Int.min...Int.max
  }

  /// What cannot be; nil for runs as they are made.
  var problem: String? {
    for (run, below) in zip(all, all.dropFirst()) {
      if below.top <= run.bottom { return "runs \(run.number) and \(below.number) overlap" }
      guard below.isPlaced else { continue }
      if !run.isPlaced { return "run \(run.number) has lost its place, and run \(below.number) below it has not" }
      if run.lowerEnd != .open, run.lowerEnd != .lost { return "nothing says what is missing below run \(run.number)" }
    }
    return all.first?.isPlaced == false ? "no run has a place" : nil
  }

  /// Puts runs in the place of others.
  mutating func replace(_ removed: [Int], with saved: [FeedRun]) {
    let numbers = Set(removed + saved.map(\.number))
    self = FeedRuns(all.filter { !numbers.contains($0.number) } + saved)
  }
}
