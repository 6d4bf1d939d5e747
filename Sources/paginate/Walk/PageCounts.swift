import FeedCore
import FeedHTTP

/// What a page says about the size of its feed: the only place that knows the headers and members that do.
///
/// `--total` and the headers of documented APIs are firm: they may end a walk. A member is found by its name, which is no
/// proof, and a Content-Range may be an estimate (PostgREST). These show that a feed has become smaller, and which pages
/// may be requested early. If they are wrong, a page is requested in vain, and nothing is lost.
struct PageCounts: Equatable, Sendable {
  /// A weak member counts the feed or the page, and a lower limit is less than what is there.
  enum CountSource: Sendable { case option, header, contentRange, member, weakMember, lowerLimit }

  /// A number of items or pages in the whole feed.
  struct Count: Equatable, Sendable {
    let value: DecimalText
    /// Whether it counts pages rather than items.
    let countsPages: Bool
    let source: CountSource
    /// A pointer, or the name of a header.
    let place: String

    /// The number, if it may end a walk.
    var firm: DecimalText? { source == .option || source == .header ? value : nil }
    /// Whether the user says that it counts the feed. A header may count the page, or be an old one.
    var isTyped: Bool { source == .option }

    /// Whether it counts the whole feed. A Content-Range may be an estimate.
    var isWhole: Bool { firm != nil || source == .member }

    /// `126 items (/count)`.
    var shown: String { "\(String(decoding: value.text, as: UTF8.self)) \(countsPages ? "pages" : "items") (\(place))" }

    /// Some servers say 0 if they have not counted. A member that is not more than the items of the page may count these.
    /// - Parameter here: how many items the page has.
    fileprivate func isKnown(_ here: Int) -> Bool {
      if here == 0 { return true }
      let isSure = firm != nil || source == .contentRange || countsPages
      return isSure ? value != DecimalText(0) : DecimalText(here) < value
    }
  }

  /// Objects about the feed, and their places.
  typealias About = [(object: JSONValue, pointer: JSONPointer)]

  /// Nil if the page does not say.
  private(set) var items: Count?
  private(set) var pages: Count?
  /// How many items follow the page, if it says so (Kubernetes).
  private(set) var remaining: Count?
  /// The body's total, if it is the number of items on this page. So the page is the whole feed, if it is a first one.
  private(set) var all: Count?

  /// Nothing is known.
  init() {}

  /// Whether two pages say the same of the feed. What one says of itself does not count.
  static func == (one: Self, other: Self) -> Bool {
    one.items == other.items && one.pages == other.pages && one.remaining == other.remaining
  }

  /// - Parameters:
  ///   - total: the place of `--total`.
  ///   - place: where the items are; nil if that is not known.
  ///   - about: what `aboutFeed` finds; nil if it is still to be found.
  ///   - count: how many items the page has.
  init(
    _ root: JSONValue, _ head: HTTPHead?, total: TotalPlace?, items place: JSONPointer?, about: About? = nil, count: Int
  ) {
    let found = [total?.read(root, head)].compactMap(\.self) + Self.inHead(head)
    let objects = about ?? Self.aboutFeed(root, items: place)
    let members = Self.members(of: objects)
    func named(_ kind: NameKind) -> [Count] { members.compactMap { $0.kind == kind ? $0.count : nil } }
    // Beside a number of what fits a filter, another one counts also what does not.
    let filtered = named(.filtered)
    let wholes = filtered.isEmpty ? named(.whole) : filtered
    let others = named(.other)
    items = found.first { !$0.countsPages && $0.isKnown(count) } ?? Self.agreed(wholes.isEmpty ? others : wholes, count)
    remaining = named(.remaining).first { $0.value != DecimalText(0) }
    all = wholes.allSatisfy { $0.source == .member && $0.value == DecimalText(count) } ? wholes.first : nil
    pages =
      found.first { $0.countsPages && $0.isKnown(count) }
      ?? Self.agreed(named(.pages), count)
  }

  /// A member that may count the feed, greater than the number of items of the page. Its name is only like that of a
  /// count, so that it makes an end doubtful, and no more.
  func greater(_ root: JSONValue, than here: Int, items place: JSONPointer?) -> Count? {
    if let items, DecimalText(here) < items.value { return items }
    if let pages, DecimalText(1) < pages.value { return pages }
    for (object, pointer) in Self.aboutFeed(root, items: place) {
      for child in object.children {
        guard child.value.kind == .number, let key = child.key?.string, let value = Self.whole(child.value),
          DecimalText(here) < value
        else { continue }
        let name = Self.plain(key)
        guard Self.mayCount.contains(where: name.contains), !Self.counts.contains(where: name.contains) else {
          continue
        }
        return Count(value: value, countsPages: false, source: .weakMember, place: pointer.appending(key).shown)
      }
    }
    return nil
  }

  /// In the names of members that may count the feed, and in those of members that have another number.
  private static let mayCount = [
    "total", "count", "found", "available", "size", "hits", "results", "records", "matches",
  ]
  private static let counts = ["page", "limit", "max", "time", "batch", "bytes", "per", "discount", "account", "index"]

  // MARK: Headers

  private static let itemHeaders = ["x-wp-total", "x-total", "x-total-count", "x-total-results"]
  private static let pageHeaders = ["x-wp-totalpages", "x-total-pages", "x-page-count"]

  /// Whether the name of a place says that it counts pages.
  static func namesPages(_ place: NextRule.ResponsePlace) -> Bool {
    switch place {
    case .header(let name): pageHeaders.contains { $0.utf8.elementsEqual(name.lowercased) }
    case .body(let pointer): pointer.tokens.last.map { pageNames.contains(plain(Array($0))) } ?? false
    }
  }

  /// The counts in a head, the most usual first.
  private static func inHead(_ head: HTTPHead?) -> [Count] {
    func count(_ name: String, _ source: CountSource, ofPages: Bool, _ read: ([UInt8]) -> DecimalText?) -> Count? {
      head?.value(of: name).flatMap(read).map { Count(value: $0, countsPages: ofPages, source: source, place: name) }
    }
    return itemHeaders.compactMap { count($0, .header, ofPages: false, whole) }
      + pageHeaders.compactMap { count($0, .header, ofPages: true, whole) }
      + [count("content-range", .contentRange, ofPages: false, complete)].compactMap(\.self)
  }

  /// The complete length of a `Content-Range` (RFC 9110 §14.4) that does not count bytes: `items 0-9/120`, `0-9/120`.
  private static func complete(_ text: [UInt8]) -> DecimalText? {
    guard !text.starts(with: "bytes".utf8), let slash = text.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return whole(Array(text[(slash + 1)...]))
  }

  // MARK: Members

  /// What the name of a member says that it counts. Others count the items of the feed or those of the page.
  private enum NameKind { case whole, filtered, other, pages, remaining }

  /// Names without `_` and `-`, in lower case.
  private static let wholeNames = [
    "total", "$total", "totalcount", "totalresults", "totalitems", "totalentries", "totalsize", "totalelements",
    "totalhits", "totalrecords", "recordstotal", "totalresultscount", "resulttotal", "numfound", "nbhits",
    "@odata.count", "odata.count", "@count",
    "hydra:totalitems", "opensearch:totalresults",
  ]
  private static let filteredNames = ["filteredcount", "recordsfiltered", "totalfiltered", "filteredtotal"]
  private static let otherNames = ["count", "found", "hits", "numresults", "resultcount", "totalrows"]
  private static let pageNames = ["pages", "pagecount", "totalpages", "numpages", "lastpage", "nbpages"]
  /// Objects about the page. A total elsewhere may count something else, such as Elasticsearch's shards.
  private static let aboutPage: Set<String> = [
    "meta", "metadata", "responsemetadata", "pagination", "paging", "page", "pages", "pageinfo", "response", "message",
    "hits", "d", "links", "resultinfo", "additionaldata", "results", "status", "responseheader",
  ]

  private static let kinds = Dictionary(
    uniqueKeysWithValues: wholeNames.map { ($0, NameKind.whole) } + filteredNames.map { ($0, .filtered) }
      + otherNames.map { ($0, .other) } + pageNames.map { ($0, .pages) } + [("remainingitemcount", .remaining)])

  /// The members that count something by their names.
  /// - Parameter objects: those that `aboutFeed` finds; none if the page is an object of items, whose names are data.
  private static func members(
    of objects: [(object: JSONValue, pointer: JSONPointer)]
  ) -> [(kind: NameKind, count: Count)] {
    objects.flatMap { object, pointer in
      object.children.compactMap { child in
        guard mayBeCount(child.value), let key = child.key?.string, let kind = kinds[plain(key)] else { return nil }
        var value = child.value
        var source = kind == .other ? CountSource.weakMember : .member
        // Elasticsearch: {"value":120,"relation":"eq"}; the other relation is "gte".
        if value.kind == .object {
          guard let relation = value.member("relation")?.string, let inner = value.member("value") else { return nil }
          value = inner
          if !relation.elementsEqual("eq".utf8) { source = .lowerLimit }
        }
        let place = pointer.appending(key).shown
        return whole(value).map { (kind, Count(value: $0, countsPages: kind == .pages, source: source, place: place)) }
      }
    }
  }

  /// Whether a value may be a count. This is asked of each member of each page, before its name.
  private static func mayBeCount(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .number: true
    case .object: value.member("relation") != nil
    case .string, .escapedString: value.text.count < 24 && value.text.dropFirst().first?.isDigit == true
    case .null, .true, .false, .array: false
    }
  }

  /// The first of some counts, if all say the same.
  private static func agreed(_ counts: [Count], _ here: Int) -> Count? {
    guard let first = counts.first, first.isKnown(here) else { return nil }
    return counts.allSatisfy { $0.value == first.value } ? first : nil
  }

  /// The objects of a page that may say something about the feed: the page, those about it, and those on the way to
  /// the items.
  /// - Returns: none if the page is an object of items, whose names are data.
  static func aboutFeed(_ root: JSONValue, items place: JSONPointer?) -> About {
    guard root.kind == .object, place?.tokens.isEmpty != true else { return [] }
    func about(_ object: JSONValue, _ pointer: JSONPointer) -> About {
      object.children.compactMap { child in
        guard child.value.kind == .object, let key = child.key?.string, aboutPage.contains(plain(key)) else {
          return nil
        }
        return (child.value, pointer.appending(key))
      }
    }
    let first = about(root, JSONPointer())
    var objects = [(object: root, pointer: JSONPointer())] + first + first.flatMap(about)
    for depth in 1..<max(1, place?.tokens.count ?? 0) {
      guard let way = place?.prefix(depth), let value = root.value(at: way), value.kind == .object else { continue }
      let found = [(object: value, pointer: way)] + about(value, way)
      objects += found.filter { new in !objects.contains { $0.pointer == new.pointer } }
    }
    return objects
  }

  /// A name as the tables have it: without `_` and `-`, in lower case.
  static func plain(_ name: [UInt8]) -> String {
    String(decoding: name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }, as: UTF8.self).lowercased()
  }

  // MARK: Numbers

  /// A whole number that is not negative: `12`, `12.0`, `"12"`.
  static func whole(_ value: JSONValue) -> DecimalText? { JSONText.scalar(value).flatMap(whole) }

  /// The fraction of a number may only be zeros. An exponent is not read.
  static func whole(_ text: [UInt8]) -> DecimalText? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].isEmpty || parts[1].contains(where: { $0 != UInt8(ascii: "0") }) { return nil }
    return parts.first.flatMap { DecimalText($0) }.flatMap { $0.isNegative ? nil : $0 }
  }
}
