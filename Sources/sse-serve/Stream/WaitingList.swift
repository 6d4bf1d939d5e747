import FeedCore

/// Clients that are ahead: each has seen an event at another server of the same feed that has not come here yet. It
/// waits for that event and continues right after it, instead of getting an older document.
///
/// A new event is compared with the lowest awaited number, and only clients whose wait is over are visited. So an event
/// costs the same for one waiting client as for ten thousand.
struct WaitingList {
  /// A client whose wait is over.
  struct Ready: Equatable {
    let token: UInt64
    let id: [UInt8]
    /// The end of the awaited event in the log; nil if the time is up, or if a greater number came instead.
    let place: Int?
  }

  /// The waiting clients, by token. Entries of the other two lists that are not here have left.
  private var ids: [UInt64: [UInt8]] = [:]
  private var numbers = Heap<DecimalText, UInt64>()
  /// In the order of arrival, which is also that of the deadlines, because all may wait for the same time.
  private var deadlines = NumberedQueue(blank: (time: 0.0, token: UInt64(0)))
  private var ready: [Ready] = []

  var count: Int { ids.count }
  /// How many entries the lists have, for tests.
  var held: Int { max(numbers.count, deadlines.end - deadlines.first) }
  var tokens: some Collection<UInt64> { ids.keys }

  /// - Parameter deadline: not before that of the last client added.
  mutating func add(_ token: UInt64, id: [UInt8], number: DecimalText, deadline: Double) {
    ids[token] = id
    numbers.insert(token, at: number)
    deadlines.append((deadline, token))
  }

  /// Removes a client.
  mutating func remove(_ token: UInt64) {
    guard ids.removeValue(forKey: token) != nil else { return }
    dropStale()
  }

  /// Ends the waits for an event.
  /// - Parameters:
  ///   - id: without blanks around it.
  ///   - place: the event's end in the log.
  mutating func take(_ id: ArraySlice<UInt8>, endingAt place: Int) {
    guard !ids.isEmpty, let number = DecimalText(id) else { return }
    while let first = numbers.first, first.key <= number {
      numbers.removeFirst()
      // Ids are compared as text: 7 and 007 are two events.
      if let awaited = ids[first.item] { release(first.item, at: awaited[...] == id ? place : nil) }
    }
    dropStale()
  }

  /// Ends the waits whose time is up.
  mutating func expire(_ now: Double) {
    while !deadlines.isEmpty, deadlines[deadlines.first].time <= now {
      release(deadlines[deadlines.first].token)
      deadlines.removeFirst()
    }
    dropStale()
  }

  /// Ends all waits, because no more events will come.
  mutating func expireAll() {
    for token in Array(ids.keys) { release(token) }
    dropStale()
  }

  /// The next deadline; nil if no client waits.
  var nextDeadline: Double? { ids.isEmpty ? nil : deadlines[deadlines.first].time }

  /// The clients that can continue, each returned once.
  mutating func takeReady() -> [Ready] {
    defer { ready = [] }
    return ready
  }

  private mutating func release(_ token: UInt64, at place: Int? = nil) {
    guard let id = ids.removeValue(forKey: token) else { return }
    ready.append(Ready(token: token, id: id, place: place))
  }

  /// Removes stale entries: those at the front, and all of them once they are the majority. So a list costs only as
  /// much as its clients, however many come and leave.
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
