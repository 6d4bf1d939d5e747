import Foundation
import TestSupport

@testable import paginate

/// A scenario's history on a server whose oldest items come first. The requests that a scenario lists show what its feed
/// held at the time; from that, the feed is put together, turned round, and served.
struct MirroredScenario {
  struct Entry: Equatable {
    let id: String
    var key: Double
    var version: Int
  }

  struct Step {
    let run: [String: Any]
    let expected: [String: Any]
    /// What the feed holds at each request, oldest first; the last is valid from then on.
    let states: [[Entry]]
    /// The status and the `Retry-After` of responses that are no page, by request.
    let refusals: [Int: (status: Int, retryAfter: Double?)]
    /// Whether page 1 was unchanged (304), and nothing else was asked for.
    let isUnchanged: Bool
    /// How long the server asks to wait after a page, by request.
    let pauses: [Int: Double]
  }

  let style: String
  let perPage: Int
  let isInclusive: Bool
  let hasETags: Bool
  let steps: [Step]

  /// The scenarios that have no mirror, and why.
  static let withoutMirror = ["S28": "an item pinned to page 1: a refresh does not read page 1"]

  init(_ scenario: Scenario) {
    let object = scenario.object
    let feed = object["feed"] as? [String: Any] ?? [:]
    style = feed["style"] as? String ?? "cursor"
    isInclusive = feed["inclusive"] as? Bool ?? false
    hasETags = String(decoding: scenario.text, as: UTF8.self).contains("ETag")
    let raw = (object["steps"] as? [[String: Any]] ?? []).map(RawStep.init)
    perPage = raw.flatMap(\.fullSizes).max() ?? feed["per_page"] as? Int ?? 3
    var known: [String: Entry] = [:]
    var steps: [Step] = []
    for (index, step) in raw.enumerated() {
      step.apply(to: &known)
      // What a later step shows for the first time and is older than the newest item was there already, unless a page of
      // this step shows that it was not.
      var now = known
      let newest = step.newest ?? known.values.map(\.key).max() ?? 0
      for later in raw[(index + 1)...] {
        for entry in later.entries where now[entry.id] == nil && entry.key < newest && !step.covers(entry.key) {
          now[entry.id] = entry
        }
      }
      steps.append(
        Step(
          run: step.run, expected: step.expected, states: step.states(Array(now.values)), refusals: step.refusals,
          isUnchanged: step.pages.allSatisfy { $0 == nil } && step.refusals.isEmpty, pauses: step.pauses))
    }
    self.steps = steps
  }

  /// A step as the scenario has it.
  private struct RawStep {
    struct Page {
      let entries: [Entry]
      /// The keys that it shows completely.
      let range: Range<Double>
      let total: Int?
    }

    let run: [String: Any]
    let expected: [String: Any]
    private(set) var pages: [Page?] = []
    private(set) var refusals: [Int: (status: Int, retryAfter: Double?)] = [:]
    private(set) var pauses: [Int: Double] = [:]

    init(_ step: [String: Any]) {
      run = step["run"] as? [String: Any] ?? [:]
      expected = step["expect"] as? [String: Any] ?? [:]
      var upper = Double.infinity
      for (index, exchange) in (step["exchanges"] as? [[String: Any]] ?? []).enumerated() {
        let response = exchange["response"] as? [String: Any] ?? [:]
        let status = response["status"] as? Int ?? 200
        guard let body = response["body"] as? [String: Any] else {
          let headers = response["headers"] as? [String: String]
          if status >= 400 { refusals[index] = (status, headers?["Retry-After"].flatMap(Double.init)) }
          pages.append(nil)
          continue
        }
        let url = (exchange["request"] as? [String: Any])?["url"] as? String ?? ""
        if url == "/feed" { upper = .infinity }
        if let below = url.components(separatedBy: "below=").dropFirst().first { upper = Double(below) ?? upper }
        let entries = (body["items"] as? [[String: Any]] ?? []).map { item in
          Entry(
            id: "\(item["id"] ?? "")", key: (item["k"] as? NSNumber)?.doubleValue ?? 0, version: item["v"] as? Int ?? 1)
        }
        let lower = body["next"] is String ? entries.last?.key ?? upper : -.infinity
        pages.append(
          Page(entries: entries, range: min(lower, upper)..<max(lower, upper), total: body["total"] as? Int))
        pauses[index] = body["backoff"] as? Double
        upper = entries.last?.key ?? upper
      }
    }

    /// How many items the pages had that have a page below.
    var fullSizes: [Int] {
      pages.compactMap { page in page.flatMap { $0.range.lowerBound > -.infinity ? $0.entries.count : nil } }
    }
    var entries: [Entry] { pages.flatMap { $0?.entries ?? [] } }
    var newest: Double? { entries.map(\.key).max() }

    func covers(_ key: Double) -> Bool { pages.contains { $0?.range.contains(key) ?? false } }

    /// The feed at the end of the step, as far as it is shown.
    func apply(to known: inout [String: Entry]) {
      for case let page? in pages {
        let shown = Set(page.entries.map(\.id))
        for entry in known.values where page.range.contains(entry.key) && !shown.contains(entry.id) {
          // Another page of this step may show it: then it has moved there, or pages have shifted.
          if !entries.contains(where: { $0.id == entry.id }) { known[entry.id] = nil }
        }
        for entry in page.entries { known[entry.id] = entry }
      }
    }

    /// The feed at each request, oldest first, told apart by how many items it had.
    func states(_ last: [Entry]) -> [[Entry]] {
      var state = last
      var deleted: [Entry] = []
      // In a numbered feed, an item that a page shows and a later one does not was deleted in between.
      if pages.contains(where: { $0?.total != nil }) {
        for case let page? in pages {
          for entry in state where page.range.contains(entry.key) && page.range.lowerBound > -.infinity {
            guard let first = pages.compactMap(\.self).first(where: { $0.entries.contains(entry) }),
              first.range == page.range, !page.entries.contains(entry)
            else { continue }
            deleted.append(entry)
          }
        }
      }
      var result: [[Entry]] = []
      for page in pages {
        if let total = page?.total {
          if total < state.count { state.removeAll(where: deleted.contains) }
          while total > state.count {
            state.append(Entry(id: "n\(state.count)", key: (state.map(\.key).max() ?? 0) + 1, version: 1))
          }
        }
        result.append(state.sorted { $0.key < $1.key })
      }
      return result
    }
  }
}

/// Serves the feed of a step, oldest items first.
final class MirrorServer: PageFetcher {
  private let mirror: MirroredScenario
  private let step: MirroredScenario.Step
  private(set) var requests: [String] = []
  private(set) var waits: [Double] = []
  private(set) var unchangedCount = 0
  private var pause: Double?
  private var attempts = 0

  init(_ mirror: MirroredScenario, _ step: MirroredScenario.Step) { (self.mirror, self.step) = (mirror, step) }

  var state: [MirroredScenario.Entry] { step.states[min(attempts, step.states.count) - 1] }

  func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
    if let pause { waits.append(pause) }
    attempts += 1
    pause = step.pauses[attempts - 1]
    if let (status, retryAfter) = step.refusals[attempts - 1] {
      guard step.run["retries"] as? Int ?? 2 > 0 else {
        return .failed(FeedFailure(status: .remote, message: "http:\(status)"))
      }
      waits.append(retryAfter ?? 1)
      return fetch(request, ifNoneMatch: ifNoneMatch, after: progress)
    }
    let url = String(decoding: request, as: UTF8.self)
    requests.append(url)
    let number = url.components(separatedBy: "=").dropFirst().first.flatMap(Double.init)
    let state = state
    let start: Int
    switch (mirror.style, number) {
    case (_, nil): start = 0
    case ("cursor", let key?):
      start = state.firstIndex { mirror.isInclusive ? $0.key >= key : $0.key > key } ?? state.count
    case ("page", let page?): start = min((Int(page) - 1) * mirror.perPage, state.count)
    case (_, let offset?): start = min(Int(offset), state.count)
    }
    let end = min(start + mirror.perPage, state.count)
    let items = state[start..<end].map { entry in
      FeedItem(
        id: Array(entry.id.utf8), data: Array("{\"id\":\"\(entry.id)\",\"v\":\(entry.version)}".utf8))
    }
    let etag = mirror.hasETags ? Array("\(state[start..<end])".utf8) : nil
    if let etag, etag == ifNoneMatch {
      unchangedCount += 1
      return .notModified
    }
    var next: String?
    if end < state.count {
      switch mirror.style {
      case "cursor": next = "/feed?above=\(state[end - 1].key)"
      case "page": next = "/feed?page=\(start / mirror.perPage + 2)"
      default: next = "/feed?offset=\(end)"
      }
    }
    return .page(
      FeedPage(
        items: items, next: next.map { Array($0.utf8) }, total: mirror.style == "cursor" ? nil : state.count,
        etag: etag))
  }
}
