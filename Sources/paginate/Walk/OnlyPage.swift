// A first page that says nothing about a next one. An API with links leaves the link out if there is only one page. So
// such a page is the whole feed, unless it announces more: then the user must say how to ask for the rest.

import FeedCore
import FeedHTTP

enum OnlyPage {
  /// Whether a page says that it is not the whole feed.
  /// - Parameters:
  ///   - place: where the items are.
  ///   - count: how many items it has.
  static func announcesMore(_ root: JSONValue, _ head: HTTPHead?, items place: JSONPointer?, count: Int) -> Bool {
    if head?.value(of: "x-next-page")?.isEmpty == false { return true }
    let counts = PageCounts(root, head, total: nil, items: place, count: count)
    if let items = counts.items, DecimalText(count) < items.value { return true }
    if let pages = counts.pages, DecimalText(1) < pages.value { return true }
    guard root.kind == .object else { return false }
    if AbsentItems.counts(in: root).contains(where: { isMore($0, than: count) }) { return true }
    let inner = root.children.map(\.value).filter { $0.kind == .object }
    return ([root] + inner).contains { object in
      object.children.contains { child in
        guard let key = child.key?.string else { return false }
        if PageCounts.isPageCount(key) { return isMore(child.value, than: 1) }
        let name = String(decoding: key, as: UTF8.self).lowercased()
        return nextWords.contains { name.contains($0) } && isSomewhere(child.value)
      }
    }
  }

  /// Whether an answer comes from an API that is known to link its pages if there are several.
  static func isOfPagedAPI(_ head: HTTPHead?) -> Bool {
    guard let head else { return false }
    return head.fields.contains { field in
      PageCounts.isHeader(field.name) || marks.contains(field.name)
        || field.name.hasPrefix("x-pagination") || field.name.hasPrefix("pagination-")
    }
  }

  /// Header fields of GitHub, GitLab and similar servers.
  private static let marks = [
    "link", "x-github-media-type", "x-github-api-version-selected", "x-next-page", "x-prev-page", "x-page",
    "x-per-page",
    "per-page",
  ]
  private static let nextWords = ["next", "cursor", "continuation", "scroll"]

  private static func isMore(_ value: JSONValue, than count: Int) -> Bool {
    PageCounts.whole(value).map { DecimalText(count) < $0 } ?? false
  }

  /// Whether a value may lead to more: a text, a number, an object; not null and not empty.
  private static func isSomewhere(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .null, .false: false
    case .true, .number: true
    case .string, .escapedString: value.string?.isEmpty == false
    case .array, .object: value.children.contains { _ in true }
    }
  }
}
