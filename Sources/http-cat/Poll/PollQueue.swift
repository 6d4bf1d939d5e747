// Which resource is asked next. Each server has one connection at a time, and is not asked for several resources at once.
// A turn of the loop costs the same for ten URLs and for ten thousand: nothing here goes through all of them.

import FeedCore

/// What waits to be asked, by the origins (RFC 6454) of the resources.
struct PollQueue {
  /// What waits for one origin.
  private struct Origin {
    /// Resources, by when each is due.
    var waiting = Heap<Double, Int>()
    var isBusy = false
    /// When it may be asked, by the monotonic clock.
    var notBefore = 0.0
    /// The moment by which it stands in `moments`; nil when it does not stand there.
    var listed: Double?

    /// When its first resource is asked; nil when none waits, or a request is under way.
    var moment: Double? { isBusy ? nil : waiting.first.map { max($0.key, notBefore) } }
  }

  /// Between two resources of one origin, in seconds.
  private static let pause = 1.0

  private var origins: [Origin] = []
  private var places: [String: Int] = [:]
  /// Origins, by when each is asked. One whose moment is not the one that is `listed` there is out of date.
  private var moments = Heap<Double, Int>()
  private var count = 0

  /// Whether nothing waits.
  var isEmpty: Bool { count == 0 }

  /// A resource is to be asked.
  /// - Parameter due: by the monotonic clock.
  mutating func add(_ index: Int, to origin: String, due: Double) {
    let place = place(of: origin)
    origins[place].waiting.insert(index, at: due)
    count += 1
    list(place)
  }

  /// Takes the next resource that may be asked now.
  mutating func next(_ now: Double) -> Int? {
    guard let (moment, place) = first(), moment <= now, let resource = origins[place].waiting.removeFirst()?.item else {
      return nil
    }
    count -= 1
    list(place)
    return resource
  }

  /// When the next resource may be asked; nil when none waits for a time.
  mutating func nextMoment() -> Double? { first()?.moment }

  /// A request has begun.
  /// - Parameter pausing: whether the next one to the same origin waits a second.
  mutating func begin(_ origin: String, _ now: Double, pausing: Bool) {
    let place = place(of: origin)
    origins[place].isBusy = true
    if pausing { hold(origin, until: now + Self.pause) }
    list(place)
  }

  mutating func end(_ origin: String) {
    let place = place(of: origin)
    origins[place].isBusy = false
    list(place)
  }

  /// The server wants no request before this moment.
  mutating func hold(_ origin: String, until moment: Double) {
    let place = place(of: origin)
    origins[place].notBefore = max(moment, origins[place].notBefore)
    list(place)
  }

  /// Forgets what waits, and the origins that nothing has to be known of.
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
    origins.append(Origin())
    return origins.count - 1
  }

  /// Puts an origin where its moment is.
  private mutating func list(_ place: Int) {
    let moment = origins[place].moment
    guard moment != origins[place].listed else { return }
    origins[place].listed = moment
    if let moment { moments.insert(place, at: moment) }
  }

  /// The origin that is asked first, and when.
  private mutating func first() -> (moment: Double, place: Int)? {
    while let first = moments.first {
      if origins[first.item].listed == first.key { return (first.key, first.item) }
      moments.removeFirst()
    }
    return nil
  }
}
