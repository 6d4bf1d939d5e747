import Foundation
import TestSupport

@testable import paginate

/// A feed with typical changes: items are added where the newest are, edited, moved there, or deleted anywhere.
final class SimulatedFeed {
  struct Entry {
    let id: String
    var key: Int
    var version = 1
  }

  enum Style: CaseIterable { case cursor, page, offset }

  let style: Style
  let order: FeedOrder
  private let perPage: Int
  private(set) var entries: [Entry] = []
  private var count = 0
  private var clock = 0

  init(_ style: Style, _ order: FeedOrder = .newestFirst, perPage: Int) {
    self.style = style
    self.order = order
    self.perPage = perPage
  }

  var ids: [String] { entries.map(\.id) }

  // MARK: Changes

  func insert() {
    count += 1
    clock += 1
    add(Entry(id: "q\(count)", key: clock))
  }

  private func add(_ entry: Entry) { entries.insert(entry, at: order == .newestFirst ? 0 : entries.count) }

  /// The oldest items, or the newest, are deleted.
  func deleteMany(_ count: Int, oldest: Bool) {
    let count = min(count, entries.count)
    if oldest == (order == .oldestFirst) { entries.removeFirst(count) } else { entries.removeLast(count) }
  }

  func delete(_ pick: (Int) -> Int) {
    if !entries.isEmpty { entries.remove(at: pick(entries.count)) }
  }

  func bump(_ pick: (Int) -> Int) {
    guard !entries.isEmpty else { return }
    var entry = entries.remove(at: pick(entries.count))
    clock += 1
    entry.key = clock
    add(entry)
  }

  func edit(_ pick: (Int) -> Int) {
    if !entries.isEmpty { entries[pick(entries.count)].version += 1 }
  }

  // MARK: Serving

  var options: FeedOptions {
    var options = FeedOptions(firstRequest: Array("/feed".utf8))
    options.order = order
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

  private func isBelow(_ entry: Entry, _ key: Int) -> Bool {
    order == .newestFirst ? entry.key < key : entry.key > key
  }

  func response(_ request: [UInt8], ifNoneMatch: [UInt8]?) -> FeedResponse {
    let url = String(decoding: request, as: UTF8.self)
    let number = url.split(separator: "=").last.flatMap { Int($0) }
    var start = 0
    if let number {
      start =
        style == .cursor ? entries.firstIndex { isBelow($0, number) } ?? entries.count : min(number, entries.count)
    }
    let end = min(start + perPage, entries.count)
    let items = entries[start..<end].map { entry in
      FeedItem(
        id: Array(entry.id.utf8), orderKey: Array("\(entry.key)".utf8),
        data: Array("{\"id\":\"\(entry.id)\",\"v\":\(entry.version)}".utf8))
    }
    let etag =
      Array(items.map { String(decoding: $0.data, as: UTF8.self) }.joined().utf8)
      + Array("\(style == .cursor ? 0 : entries.count)".utf8)
    if start == 0 || order == .oldestFirst, !items.isEmpty, etag == ifNoneMatch { return .notModified }
    let last = entries[start..<end].last?.key ?? 0
    let next = end < entries.count ? "/feed?" + (style == .cursor ? "below=\(last)" : "from=\(end)") : nil
    return .page(
      FeedPage(
        items: items, next: next.map { Array($0.utf8) }, total: style == .cursor ? nil : entries.count,
        etag: etag))
  }
}
