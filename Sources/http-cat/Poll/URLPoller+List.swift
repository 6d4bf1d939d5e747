// The file of `--urls` may change while the tool runs.

import FeedCore
import FeedHTTP

extension URLPoller {
  mutating func refreshList() {
    guard let interval, list != nil, Clock.monotonic() >= listLooked + interval.seconds else { return }
    listLooked = Clock.monotonic()
    guard let (isChanged, problem) = list?.refresh(http) else { return }
    if let problem, !http.isSilent { streams.say(problem) }
    if isChanged { replaceResources(by: list?.entries ?? [], every: interval) }
  }

  /// Entries that remain in the list keep what is known of them, and their running requests.
  private mutating func replaceResources(by entries: [(name: [UInt8], url: HTTPURL)], every interval: Interval) {
    let old = resources
    // No name occurs twice in a list.
    let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.name ?? [], $0) })
    var newPlaces: [Int: Int] = [:]
    resources = entries.enumerated().map { index, entry in
      if let place = places[entry.name], old[place].url == entry.url {
        newPlaces[place] = index
        return old[place]
      }
      return Resource(
        entry.url, name: entry.name, KeptValues(options.next.rules),
        due: listLooked + interval.seconds * Double.random(in: 0..<1), policy)
    }
    noteClosed(old.indices.filter { newPlaces[$0] == nil }.map { old[$0] })
    running = running.compactMap { request in
      if let index = newPlaces[request.index] { return (index, request.exchange) }
      queue.end(old[request.index].url.origin)
      return nil
    }
    queue.removeAll(listLooked)
    let isRunning = Set(running.map { $0.index })
    for index in resources.indices where !resources[index].isOver && !isRunning.contains(index) { enqueue(index) }
    reportLateTurns()
  }

  /// Names the server whose URLs cannot all be asked as often as `--every` says, because of `--delay`. Of several,
  /// the one with the most URLs.
  mutating func reportLateTurns() {
    guard case .fixed(let seconds)? = interval, seconds > 0, options.hostDelay > 0 else { return }
    let counts = resources.reduce(into: [:]) { $0[$1.url.origin, default: 0] += 1 }
    guard let (origin, count) = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
      count > 1, Double(count) * options.hostDelay > seconds
    else { return }
    let delay = options.hostDelay == 1 ? "one a second" : "one every \(secondsText(options.hostDelay)) s"
    let cycle = secondsText(Double(count) * options.hostDelay)
    warn("\(count) URLs of one server, \(delay): each is asked every \(cycle) s (--delay)", origin, of: nil)
  }
}
