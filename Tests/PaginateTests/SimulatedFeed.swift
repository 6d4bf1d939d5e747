import Foundation
import TestSupport

@testable import paginate

/// A feed with typical changes: items are added at the top, edited, moved to the top, or deleted anywhere.
final class SimulatedFeed {
  struct Entry {
    let id: String
    var key: Int
    var version = 1
  }

  enum Style: CaseIterable { case cursor, page, offset }

  let style: Style
  private let perPage: Int
  private(set) var entries: [Entry] = []
  private var count = 0
  private var clock = 0

  init(_ style: Style, perPage: Int) {
    self.style = style
    self.perPage = perPage
  }

  var ids: [String] { entries.map(\.id) }

  // MARK: Changes

  func insert() {
    count += 1
    clock += 1
    entries.insert(Entry(id: "q\(count)", key: clock), at: 0)
  }

  func delete(_ pick: (Int) -> Int) {
    if !entries.isEmpty { entries.remove(at: pick(entries.count)) }
  }

  func bump(_ pick: (Int) -> Int) {
    guard !entries.isEmpty else { return }
    var entry = entries.remove(at: pick(entries.count))
    clock += 1
    entry.key = clock
    entries.insert(entry, at: 0)
  }

  func edit(_ pick: (Int) -> Int) {
    if !entries.isEmpty { entries[pick(entries.count)].version += 1 }
  }

  // MARK: Serving

  var options: FeedOptions {
    var options = FeedOptions(firstRequest: Array("/feed".utf8))
    let size = perPage
    switch style {
    case .cursor: break
    case .page:
      options.numbering = .pages
      options.numberedRequest = { Array((0 == $0 ? "/feed" : "/feed?from=\($0 * size)").utf8) }
    case .offset:
      options.numbering = .offsets
      options.numberedRequest = { Array("/feed?from=\($0)".utf8) }
    }
    return options
  }

  func answer(_ request: [UInt8], ifNoneMatch: [UInt8]?) -> FeedAnswer {
    let url = String(decoding: request, as: UTF8.self)
    let number = url.split(separator: "=").last.flatMap { Int($0) }
    var start = 0
    if let number {
      start =
        style == .cursor ? entries.firstIndex { $0.key < number } ?? entries.count : min(number, entries.count)
    }
    let end = min(start + perPage, entries.count)
    let items = entries[start..<end].map { entry in
      FeedItem(
        id: Array(entry.id.utf8), orderKey: Array("\(entry.key)".utf8), version: Array("\(entry.version)".utf8),
        data: Array("{\"id\":\"\(entry.id)\",\"v\":\(entry.version)}".utf8))
    }
    let etag =
      Array(items.map { String(decoding: $0.data, as: UTF8.self) }.joined().utf8)
      + Array("\(style == .cursor ? 0 : entries.count)".utf8)
    if start == 0, !items.isEmpty, etag == ifNoneMatch { return .notModified }
    let last = entries[start..<end].last?.key ?? 0
    let next = end < entries.count ? "/feed?" + (style == .cursor ? "below=\(last)" : "from=\(end)") : nil
    return .page(
      FeedPage(
        items: items, next: next.map { Array($0.utf8) }, total: style == .cursor ? nil : entries.count,
        etag: etag))
  }
}
