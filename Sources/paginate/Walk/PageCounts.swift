// What a page says about the size of its feed: the only place that knows the headers and members that do.
//
// `--total` and the headers of documented APIs are firm: they may end a walk. A member is found by its name, which is no
// proof, and a Content-Range may be an estimate (PostgREST). These show that a feed has become smaller, and which pages
// may be requested early. If they are wrong, a page is requested in vain, and nothing is lost.

import FeedCore
import FeedHTTP

struct PageCounts: Equatable, Sendable {
  enum Unit: Sendable { case items, pages }
  enum Source: Sendable { case option, header, contentRange, member }

  /// A number of items or pages in the whole feed.
  struct Count: Equatable, Sendable {
    let value: DecimalText
    let unit: Unit
    let source: Source

    /// Whether it may end a walk.
    var isFirm: Bool { source == .option || source == .header }

    /// Some servers say 0 if they have not counted. A member that is not more than the items of the page may count these.
    /// - Parameter here: how many items the page has.
    fileprivate func isKnown(_ here: Int) -> Bool {
      if here == 0 { return true }
      return source == .member && unit == .items ? DecimalText(here) < value : value != DecimalText(0)
    }
  }

  /// Nil if the page does not say.
  private(set) var items: Count?
  private(set) var pages: Count?

  /// Nothing is known.
  init() {}

  /// - Parameters:
  ///   - total: the place of `--total`, and what it counts.
  ///   - place: where the items are; nil if that is not known.
  ///   - count: how many items the page has.
  init(
    _ root: JSONValue, _ head: HTTPHead?, total: (place: JSONPointer, unit: Unit)?, items place: JSONPointer?,
    count: Int
  ) {
    var found: [Count] = []
    if let total, let value = root.value(at: total.place).flatMap(Self.whole) {
      found.append(Count(value: value, unit: total.unit, source: .option))
    }
    found += Self.inHead(head)
    items = found.first { $0.unit == .items && $0.isKnown(count) } ?? Self.member(.items, of: root, place, count)
    pages = found.first { $0.unit == .pages && $0.isKnown(count) } ?? Self.member(.pages, of: root, place, count)
  }

  // MARK: Headers

  private static let headers: [(name: String, unit: Unit)] = [
    ("x-wp-total", .items), ("x-total", .items), ("x-total-count", .items), ("x-total-results", .items),
    ("x-wp-totalpages", .pages), ("x-total-pages", .pages), ("x-page-count", .pages),
  ]

  /// Whether a header counts the items or pages of a feed.
  static func isHeader(_ name: String) -> Bool { headers.contains { $0.name == name } }

  /// The counts in a head, the most usual first.
  private static func inHead(_ head: HTTPHead?) -> [Count] {
    guard let head else { return [] }
    var found = headers.compactMap { name, unit in
      head.value(of: name).flatMap(whole).map { Count(value: $0, unit: unit, source: .header) }
    }
    if let value = head.value(of: "content-range").flatMap(complete) {
      found.append(Count(value: value, unit: .items, source: .contentRange))
    }
    return found
  }

  /// The complete length of a `Content-Range` (RFC 9110 §14.4) that does not count bytes: `items 0-9/120`, `0-9/120`.
  private static func complete(_ text: [UInt8]) -> DecimalText? {
    guard !text.starts(with: "bytes".utf8), let slash = text.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return whole(Array(text[(slash + 1)...]))
  }

  // MARK: Members

  /// Names without `_` and `-`, in lower case. These count the items of the feed.
  private static let wholeNames: Set<String> = [
    "total", "totalcount", "totalresults", "totalitems", "totalrows", "totalentries", "totalsize", "totalelements",
    "totalhits", "numfound", "nbhits", "@odata.count",
  ]
  /// These count the items of the feed or those of the page.
  private static let otherNames: Set<String> = ["count", "numresults", "resultcount"]
  private static let pageNames: Set<String> = ["pages", "pagecount", "totalpages", "numpages", "lastpage", "nbpages"]
  /// Objects about the page. A total elsewhere may count something else, such as Elasticsearch's shards.
  private static let aboutPage: Set<String> = [
    "meta", "metadata", "pagination", "paging", "page", "pageinfo", "response", "message", "hits",
  ]

  /// Whether a member counts pages.
  static func isPageCount(_ name: [UInt8]) -> Bool { pageNames.contains(plain(name)) }

  /// Whether a page says by a member that the whole feed has as many items as the page.
  static func countsAll(_ root: JSONValue, items place: JSONPointer?, count: Int) -> Bool {
    values(wholeNames, of: root, place).contains(DecimalText(count))
  }

  /// A count of the body, if all members that may be it say the same.
  private static func member(_ unit: Unit, of root: JSONValue, _ place: JSONPointer?, _ here: Int) -> Count? {
    for names in unit == .items ? [wholeNames, otherNames] : [pageNames] {
      let found = values(names, of: root, place)
      guard let first = found.first else { continue }
      let count = Count(value: first, unit: unit, source: .member)
      return found.allSatisfy { $0 == first } && count.isKnown(here) ? count : nil
    }
    return nil
  }

  /// The values of members of the page, of objects about it, and of the objects on the way to the items.
  private static func values(_ names: Set<String>, of root: JSONValue, _ place: JSONPointer?) -> [DecimalText] {
    // The names in an object of items are data.
    guard root.kind == .object, place?.tokens.isEmpty != true else { return [] }
    var found: [DecimalText] = []
    func look(into object: JSONValue, levels: Int) {
      for child in object.children {
        guard let name = child.key?.string.map(plain) else { continue }
        if names.contains(name), let value = count(child.value) { found.append(value) }
        if levels > 0, child.value.kind == .object, aboutPage.contains(name) {
          look(into: child.value, levels: levels - 1)
        }
      }
    }
    look(into: root, levels: 2)
    var object = root
    for token in place?.tokens.dropLast() ?? [] {
      guard let inner = object.member(Array(token)), inner.kind == .object else { break }
      look(into: inner, levels: 0)
      object = inner
    }
    return found
  }

  /// A number, or Elasticsearch's `{"value":120,"relation":"eq"}`; another relation is a limit.
  private static func count(_ value: JSONValue) -> DecimalText? {
    guard value.kind == .object else { return whole(value) }
    return value.member("relation")?.string == Array("eq".utf8) ? value.member("value").flatMap(whole) : nil
  }

  private static func plain(_ name: [UInt8]) -> String {
    String(decoding: name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }, as: UTF8.self).lowercased()
  }

  // MARK: Numbers

  /// A whole number that is not negative: `12`, `12.0`, `"12"`.
  static func whole(_ value: JSONValue) -> DecimalText? { JSONText.scalar(value).flatMap(whole) }

  static func whole(_ text: [UInt8]) -> DecimalText? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].isEmpty || parts[1].contains(where: { $0 != UInt8(ascii: "0") }) { return nil }
    return parts.first.flatMap { DecimalText($0) }.flatMap { $0.isNegative ? nil : $0 }
  }
}
