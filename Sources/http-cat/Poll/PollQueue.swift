// Which resource is requested next. Each server has one connection at a time, and only one request at once. A turn of
// the loop costs the same for ten URLs as for ten thousand: no function here visits all of them.

import FeedCore

/// The resources that wait, by their origins (RFC 6454).
struct PollQueue {
  /// The waiting resources of one origin.
  private struct OriginQueue {
    /// Resources by their due times.
    var waiting = Heap<Double, Int>()
    var isBusy = false
    /// The earliest time for its next request, by the monotonic clock.
    var notBefore = 0.0
    /// The time of its valid entry in `moments`; nil if it has none.
    var listed: Double?

    /// The time of its next request; nil if nothing waits, or a request is in progress.
    var moment: Double? { isBusy ? nil : waiting.first.map { max($0.key, notBefore) } }
  }

  private var origins: [OriginQueue] = []
  private var places: [String: Int] = [:]
  /// Origins by the times of their next requests. An entry is out of date if its time is not the origin's `listed`.
  private var moments = Heap<Double, Int>()
  private var count = 0

  /// Whether no resource waits.
  var isEmpty: Bool { count == 0 }

  /// Adds a resource.
  /// - Parameter due: by the monotonic clock.
  mutating func add(_ index: Int, to origin: String, due: Double) {
    let place = place(of: origin)
    origins[place].waiting.insert(index, at: due)
    count += 1
    list(place)
  }

  /// Removes and returns the next resource that may be requested now.
  mutating func next(_ now: Double) -> Int? {
    guard let (moment, place) = first(), moment <= now, let resource = origins[place].waiting.removeFirst()?.item else {
      return nil
    }
    count -= 1
    list(place)
    return resource
  }

  /// When the next resource may be requested; nil if none is waiting for a time.
  mutating func nextRequestTime() -> Double? { first()?.moment }

  /// Records that a request has begun.
  /// - Parameter pause: how long the next one to the same origin waits, in seconds.
  mutating func begin(_ origin: String, _ now: Double, pause: Double) {
    let place = place(of: origin)
    origins[place].isBusy = true
    if pause > 0 { hold(origin, until: now + pause) }
    list(place)
  }

  mutating func end(_ origin: String) {
    let place = place(of: origin)
    origins[place].isBusy = false
    list(place)
  }

  /// Allows no request to an origin before a time.
  mutating func hold(_ origin: String, until moment: Double) {
    let place = place(of: origin)
    origins[place].notBefore = max(moment, origins[place].notBefore)
    list(place)
  }

  /// Removes all waiting resources, and the origins about which nothing must be remembered.
  /// - Parameter now: by the monotonic clock.
  mutating func removeAll(_ now: Double) {
    var kept = PollQueue()
    for (name, place) in places where origins[place].isBusy || origins[place].notBefore > now {
      let new = kept.place(of: name)
      kept.origins[new].isBusy = origins[place].isBusy
      kept.origins[new].notBefore = origins[place].notBefore
    }
    self = kept
  }

  private mutating func place(of origin: String) -> Int {
    if let place = places[origin] { return place }
    places[origin] = origins.count
    origins.append(OriginQueue())
    return origins.count - 1
  }

  /// Adds an origin to `moments`.
  private mutating func list(_ place: Int) {
    let moment = origins[place].moment
    guard moment != origins[place].listed else { return }
    origins[place].listed = moment
    if let moment { moments.insert(place, at: moment) }
  }

  /// The origin with the earliest request, and its time.
  private mutating func first() -> (moment: Double, place: Int)? {
    while let first = moments.first {
      if origins[first.item].listed == first.key { return (first.key, first.item) }
      moments.removeFirst()
    }
    return nil
  }
}
