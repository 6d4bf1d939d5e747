import FeedCore

/// The end of each event in the log, and its id. A client that returns sends the id of its last event; it has missed
/// the events after that.
///
/// It has the newest events, up to a number or a size: the replay window.
struct EventIndex {
  /// Where a client continues after an id.
  enum ResumePlace: Equatable {
    case after(Int)
    /// Several events of the window have the id; this is the end of the first.
    case ambiguous(Int)
    case unknown
  }

  private let limit: Options.Replay
  /// The events of the window: the end, the id, and the next event with the same id.
  private var entries = NumberedQueue(blank: (end: 0, id: [UInt8](), next: Int?.none))
  /// The start of the window, and the id of the event before it.
  private(set) var windowStart = 0
  private var idBefore: [UInt8] = []
  /// The events of the window by their ids.
  private var known: [[UInt8]: (first: Int, last: Int)] = [:]

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
    entries.append((end, id, nil))
    if !id.isEmpty {
      newestID = id
      if let last = known[id]?.last {
        entries[last].next = number
        known[id]?.last = number
      } else {
        known[id] = (number, number)
      }
    }
    shrinkWindow(logEnd: end)
  }

  private mutating func shrinkWindow(logEnd: Int) {
    while !entries.isEmpty {
      switch limit {
      case .events(let count): if entries.end - entries.first <= count { return }
      case .bytes(let count): if logEnd - windowStart <= count { return }
      }
      let leaving = entries[entries.first]
      if let place = known[leaving.id] {
        if let next = leaving.next, place.last != entries.first {
          known[leaving.id] = (next, place.last)
        } else {
          known[leaving.id] = nil
        }
      }
      windowStart = leaving.end
      idBefore = leaving.id
      entries.removeFirst()
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
}
