import FeedCore
import Foundation
import TestSupport
import Testing

@testable import paginate

/// A scenario from a file: runs of the tool on one store, each with the only requests that it may make, their responses,
/// and the expected results. Tests/Fixtures/paginate/README.md describes the format.
struct Scenario: CustomTestStringConvertible, Sendable {
  let name: String
  let text: Data

  var testDescription: String { name }

  /// All scenarios of a file.
  static func read(_ path: String) throws -> [Scenario] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let file = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let scenarios = file?["scenarios"] as? [[String: Any]] ?? []
    return try scenarios.map { scenario in
      let title = scenario["title"] as? String ?? ""
      return Scenario(
        name: (scenario["id"] as? String).map { "\($0) \(title)" } ?? title,
        text: try JSONSerialization.data(withJSONObject: scenario))
    }
  }

  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: text)) as? [String: Any] ?? [:] }
}

/// The properties of a scenario's feed.
struct ScenarioFeed {
  let url: String
  let style: String
  let proof: Int
  let hasOrderKey: Bool
  let order: FeedOrder?

  init(_ object: [String: Any]) {
    url = object["url"] as? String ?? "/feed"
    style = object["style"] as? String ?? "cursor"
    proof = object["overlap"] as? Int ?? 2
    hasOrderKey = object["order_key"].map { ($0 as? Bool) ?? !($0 is NSNull) } ?? false
    order = FeedOrder(rawValue: object["order"] as? String ?? "newest-first")
  }

  /// The options of a run.
  func options(_ run: [String: Any]) -> FeedOptions {
    var options = FeedOptions(firstRequest: Array(url.utf8))
    switch run["cmd"] as? String {
    case "more": options.command = .more
    case "full": options.command = .full
    default: options.command = .refresh
    }
    options.maxPages = run["max_pages"] as? Int
    options.proof = proof
    options.order = order
    options.printsChanged = run["changed"] as? Bool ?? false
    let url = url
    switch style {
    case "page":
      options.numbering = .pages
      options.numberedRequest = { Array("\(url)?page=\($0 + 1)".utf8) }
    case "offset":
      options.numbering = .offsets
      options.numberedRequest = { Array("\(url)?offset=\($0)".utf8) }
    default: break
    }
    return options
  }

  func page(_ body: [String: Any], etag: String?) -> FeedPage {
    let items = list(body["items"] ?? []).map(item)
    return FeedPage(
      items: items, next: (body["next"] as? String).map { Array($0.utf8) }, total: body["total"] as? Int,
      etag: etag.map { Array($0.utf8) })
  }

  /// An object with `id`, `k` and `v`, or the short `q9@90#2`: the id, the order key and the version.
  private func item(_ value: Any) -> FeedItem {
    var (id, key, version) = ("", "", "1")
    if let object = value as? [String: Any] {
      id = object["id"].map { "\($0)" } ?? ""
      key = object["k"].map { "\($0)" } ?? ""
      version = object["v"].map { "\($0)" } ?? "1"
    } else if let short = value as? String {
      let parts = short.split(separator: "#", maxSplits: 1)
      version = parts.count > 1 ? String(parts[1]) : "1"
      let names = parts[0].split(separator: "@", maxSplits: 1)
      id = String(names[0])
      key = names.count > 1 ? String(names[1]) : String(id.dropFirst())
    }
    return FeedItem(
      id: Array(id.utf8), orderKey: hasOrderKey ? Array(key.utf8) : nil,
      data: Array("{\"id\":\"\(id)\",\"v\":\(version)}".utf8))
  }
}

/// A list unchanged, or from a string of words.
func list(_ value: Any) -> [Any] {
  (value as? String)?.split(separator: " ").map(String.init) ?? value as? [Any] ?? []
}

func words(_ value: Any?) -> [String]? { value.map { list($0).compactMap { $0 as? String } } }
