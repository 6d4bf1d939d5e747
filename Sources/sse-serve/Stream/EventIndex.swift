import FeedCore

/// The end of each event in the log, and its id. A client that returns sends the id of its last event; it has missed the
/// events after that.
///
/// The newest events, up to a number or a size, are the replay window, in which ids are looked up. Older ones are kept
/// while a slow client still needs them.
struct EventIndex {
  /// Where a client continues after an id.
  enum ResumePlace: Equatable {
    case after(Int)
    /// Several events of the window have the id; this is the end of the first.
    case ambiguous(Int)
    case unknown
  }

  private struct IndexedEvent {
    var end: Int
    var id: [UInt8]
    /// The next event with the same id.
    var next: Int?
  }

  private struct Known {
    var first: Int
    var last: Int
  }

  private let limit: Options.Replay
  private var entries = NumberedQueue(blank: IndexedEvent(end: 0, id: []))
  /// The number of the first event of the window.
  private var windowFirst = 0
  /// The start of the window, and the id of the event before it.
  private(set) var windowStart = 0
  private var idBefore: [UInt8] = []
  /// The events of the window by their ids.
  private var known: [[UInt8]: Known] = [:]

  init(_ limit: Options.Replay) { self.limit = limit }

  /// The id of the last event; empty if it has none.
  private(set) var lastID: [UInt8] = []
  /// The last id that was not empty, without blanks around it.
  private(set) var newestID: [UInt8] = []
  /// Whether any event of the window has an id.
  var hasIDs: Bool { !known.isEmpty || !idBefore.isEmpty }

  /// Adds an event that was written to the log.
  mutating func append(end: Int, id: [UInt8]) {
    lastID = id
    let id = Array(id.trimmed(\.isBlank))
    let number = entries.end
    entries.append(IndexedEvent(end: end, id: id))
    if !id.isEmpty {
      newestID = id
      if let last = known[id]?.last {
        entries[last].next = number
        known[id]?.last = number
      } else {
        known[id] = Known(first: number, last: number)
      }
    }
    shrinkWindow(logEnd: end)
  }

  private mutating func shrinkWindow(logEnd: Int) {
    while windowFirst < entries.end {
      switch limit {
      case .events(let count): if entries.end - windowFirst <= count { return }
      case .bytes(let count): if logEnd - windowStart <= count { return }
      }
      let leaving = entries[windowFirst]
      if let place = known[leaving.id] {
        if let next = leaving.next, place.last != windowFirst {
          known[leaving.id] = Known(first: next, last: place.last)
        } else {
          known[leaving.id] = nil
        }
      }
      windowStart = leaving.end
      idBefore = leaving.id
      windowFirst += 1
    }
  }

  /// Where a client continues whose last event had `id`.
  func place(after id: [UInt8]) -> ResumePlace {
    let id = Array(id.trimmed(\.isBlank))
    guard !id.isEmpty else { return .unknown }
    let inWindow = known[id]
    // A client with the event just before the window has missed only events of the window.
    if id == idBefore { return inWindow == nil ? .after(windowStart) : .ambiguous(windowStart) }
    guard let inWindow else { return .unknown }
    let end = entries[inWindow.first].end
    return inWindow.first == inWindow.last ? .after(end) : .ambiguous(end)
  }

  /// The end of the event that contains the byte at `place`.
  func eventEnd(after place: Int) -> Int {
    let number = entries.firstNumber { $0.end > place }
    return number < entries.end ? entries[number].end : place
  }

  /// Removes events that end before `place` and are not in the window.
  mutating func drop(before place: Int) {
    while entries.first < windowFirst, entries[entries.first].end <= place { entries.removeFirst() }
  }
}
