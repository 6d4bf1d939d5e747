// A first page that says nothing about a next one. An API with links leaves the link out if there is only one page. So
// such a page is the whole feed, unless it announces more: then the user must say how to ask for the rest.

import FeedCore
import FeedHTTP

enum OnlyPage {
  /// Whether a page says that it is not the whole feed.
  /// - Parameter count: how many items it has.
  static func announcesMore(_ root: JSONValue, _ head: HTTPHead?, count: Int) -> Bool {
    if let head {
      if head.value(of: "x-next-page")?.isEmpty == false { return true }
      if totals.contains(where: { isMore(head.value(of: $0), than: count) }) { return true }
      if pageTotals.contains(where: { isMore(head.value(of: $0), than: 1) }) { return true }
    }
    guard root.kind == .object else { return false }
    if AbsentItems.counts(in: root).contains(where: { isMore($0.text, than: count) }) { return true }
    let inner = root.children.map(\.value).filter { $0.kind == .object }
    return ([root] + inner).contains { object in
      object.children.contains { child in
        guard let key = child.key?.string else { return false }
        let name = String(decoding: key, as: UTF8.self).lowercased()
        if pageCounts.contains(name) { return isMore(child.value.text, than: 1) }
        return nextWords.contains { name.contains($0) } && isSomewhere(child.value)
      }
    }
  }

  /// Whether an answer comes from an API that is known to link its pages if there are several.
  static func isOfPagedAPI(_ head: HTTPHead?) -> Bool {
    guard let head else { return false }
    return head.fields.contains { field in
      totals.contains(field.name) || pageTotals.contains(field.name) || marks.contains(field.name)
        || field.name.hasPrefix("x-pagination") || field.name.hasPrefix("pagination-")
    }
  }

  /// Whether a first page says that the whole feed has as many items as the page.
  static func countsAll(_ root: JSONValue, count: Int) -> Bool {
    guard root.kind == .object else { return false }
    let places = [root] + root.children.filter { $0.key.map(isAboutPage) ?? false }.map(\.value)
    return places.contains { place in
      place.children.contains { child in
        guard child.value.kind == .number, let name = child.key?.string else { return false }
        return wholeCounts.contains(String(decoding: name, as: UTF8.self).lowercased())
          && child.value.text == Array("\(count)".utf8)
      }
    }
  }

  /// Names of the number of items in the whole feed, in lower case. Other names may count the items of a page.
  private static let wholeCounts: Set<String> = [
    "total", "total_count", "totalcount", "total_results", "totalresults", "total_items", "totalitems", "total_rows",
    "total_entries", "totalsize", "totalelements", "numfound", "nbhits",
  ]
  /// Objects about the page. A total elsewhere may count something else, such as Elasticsearch's shards.
  private static func isAboutPage(_ name: JSONValue) -> Bool {
    ["meta", "pagination", "paging", "page", "pageInfo"].contains { JSONString.equals(name, Array($0.utf8)) }
  }

  private static let totals = ["x-total-count", "x-total", "x-wp-total", "x-total-results"]
  private static let pageTotals = ["x-total-pages", "x-wp-totalpages", "x-page-count"]
  /// Header fields of GitHub, GitLab and similar servers.
  private static let marks = [
    "link", "x-github-media-type", "x-github-api-version-selected", "x-next-page", "x-prev-page", "x-page",
    "x-per-page",
    "per-page",
  ]
  private static let pageCounts: Set<String> = [
    "pages", "page_count", "pagecount", "total_pages", "totalpages", "num_pages", "last_page", "lastpage",
    "nbpages",
  ]
  private static let nextWords = ["next", "cursor", "continuation", "scroll"]

  private static func isMore(_ text: [UInt8]?, than count: Int) -> Bool {
    text.flatMap { DecimalText($0) }.map { DecimalText(count) < $0 } ?? false
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
