// The ids of events. If a run is killed, an event may have been printed after the last checkpoint. A reader that has it
// must not take another event for it. So the checkpoint says up to which id this run may use them, and the run after a
// kill begins after that.

import FeedCore

struct Numbering {
  /// The first id; nil if events have none.
  let first: Int?
  /// The ids up to this one are of this run only, as the checkpoint says; nil if it says nothing.
  var reserved: Int?
  /// No event gets an id below this one: a run that was killed may have given it. Nil if no run was killed. A document
  /// that has not changed since then keeps its id. With a greater one, it would look newer to readers that have more.
  var firstFree: Int?

  /// Whether there are several documents. They share one reservation, and the checkpoint may be large.
  private let isOfMany: Bool
  /// How many ids to reserve at once.
  private var step = 100
  private var lastTime = -Double.infinity
  private static let maxStep = 1 << 20

  init(first: Int?, isOfMany: Bool) {
    self.first = first
    self.isOfMany = isOfMany
  }

  /// The next id of a document; nil if events have none.
  /// - Parameter last: the last one.
  func id(after last: Int?) -> Int? {
    guard let first else { return nil }
    let next = last.map { $0 + 1 } ?? first
    return max(next, firstFree ?? next)
  }

  /// Up to which id to reserve before this one is used; nil if it is reserved.
  mutating func reservation(for id: Int) -> Int? {
    if let reserved, id <= reserved { return nil }
    // A checkpoint of many documents is written about once a second, so there must be enough ids for a second.
    let now = Clock.monotonic()
    if isOfMany, now - lastTime < 1 { step = min(step * 2, Self.maxStep) }
    lastTime = now
    return id + step - 1
  }

  /// The last id that a run may have used which had reserved the ids up to this one, and one more. Otherwise a server
  /// could take the next change for the one that follows the last event of a reader.
  static func last(reserved: Int) -> Int { min(reserved, Options.ids.upperBound) + 1 }
}
