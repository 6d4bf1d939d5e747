// Clients that are ahead: each has seen an event, at another server of the same feed, which has not come here yet. It
// waits for that event, so that it goes on right after it, with no document that would take it back.
//
// An event that comes is compared with the lowest number that is awaited, and goes no further than those that need not
// wait any more. So it costs the same for one client and for ten thousand.

import FeedCore

struct WaitingList {
  /// A client that waits no longer.
  struct Ready: Equatable {
    let token: UInt64
    let id: [UInt8]
    /// Where in the log the awaited event ends; nil where the time is up, or where a greater number came instead.
    let place: Int?
  }

  /// Those that wait, by their tokens. What the other two lists have beside them has left.
  private var ids: [UInt64: [UInt8]] = [:]
  private var numbers = Heap<DecimalText, UInt64>()
  /// In the order in which the clients came, which is that of their deadlines: all may wait for the same time.
  private var deadlines = NumberedQueue(blank: (time: 0.0, token: UInt64(0)))
  private var ready: [Ready] = []

  var count: Int { ids.count }
  /// How many places the lists take, for tests.
  var held: Int { max(numbers.count, deadlines.end - deadlines.first) }
  var tokens: some Collection<UInt64> { ids.keys }

  /// - Parameter deadline: not before that of the client added last.
  mutating func add(_ token: UInt64, id: [UInt8], number: DecimalText, deadline: Double) {
    ids[token] = id
    numbers.insert(token, at: number)
    deadlines.append((deadline, token))
  }

  /// A client has left.
  mutating func remove(_ token: UInt64) {
    guard ids.removeValue(forKey: token) != nil else { return }
    dropStale()
  }

  /// An event has come.
  /// - Parameters:
  ///   - id: without blanks around it.
  ///   - place: where in the log it ends.
  mutating func take(_ id: ArraySlice<UInt8>, endingAt place: Int) {
    guard !ids.isEmpty, let number = DecimalText(id) else { return }
    while let first = numbers.first, first.key <= number {
      numbers.removeFirst()
      // An id is a text: 7 and 007 are two events.
      if let awaited = ids[first.item] { release(first.item, at: awaited[...] == id ? place : nil) }
    }
    dropStale()
  }

  /// Lets go those whose time is up.
  mutating func expire(_ now: Double) {
    while !deadlines.isEmpty, deadlines[deadlines.first].time <= now {
      release(deadlines[deadlines.first].token)
      deadlines.removeFirst()
    }
    dropStale()
  }

  /// Lets all go: no more events will come.
  mutating func expireAll() {
    for token in Array(ids.keys) { release(token) }
    dropStale()
  }

  /// When the next one has waited long enough; nil where none waits.
  var nextDeadline: Double? { ids.isEmpty ? nil : deadlines[deadlines.first].time }

  /// The clients that can go on, each told once.
  mutating func takeReady() -> [Ready] {
    defer { ready = [] }
    return ready
  }

  private mutating func release(_ token: UInt64, at place: Int? = nil) {
    guard let id = ids.removeValue(forKey: token) else { return }
    ready.append(Ready(token: token, id: id, place: place))
  }

  /// Forgets those that wait no longer: at the front, and everywhere once they are more than the others. So a list costs
  /// what its clients do, however many come and leave.
  private mutating func dropStale() {
    while !deadlines.isEmpty, ids[deadlines[deadlines.first].token] == nil { deadlines.removeFirst() }
    let bound = 2 * ids.count + 64
    if numbers.count > bound {
      var kept = Heap<DecimalText, UInt64>()
      while let (key, token) = numbers.removeFirst() { if ids[token] != nil { kept.insert(token, at: key) } }
      numbers = kept
    }
    if deadlines.end - deadlines.first > bound {
      var kept = NumberedQueue(blank: (time: 0.0, token: UInt64(0)))
      for number in deadlines.first..<deadlines.end where ids[deadlines[number].token] != nil {
        kept.append(deadlines[number])
      }
      deadlines = kept
    }
  }
}
