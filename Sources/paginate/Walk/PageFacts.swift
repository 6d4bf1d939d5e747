import FeedCore
import FeedHTTP

/// What a page says about the pages after it. The names of members and headers are no proof of anything, only their
/// values are.
///
/// Signs are looked for at the top of the page, in the objects about the page, and on the way to the items. Everything
/// else is data.
struct PageFacts {
  /// Something that says that there is more.
  struct Sign: Equatable {
    /// `a link at /next`.
    let what: String
    /// `--next /next`.
    let advice: String
    /// Nil for a header.
    let place: JSONPointer?

    var text: String { "\(what): type \(advice)" }
  }

  /// How many items the page has.
  private let here: Int
  private let counts: PageCounts
  /// Whether the page is the first one of its feed, as far as the first request and the page show.
  let isAtTop: Bool
  private(set) var more: [Sign] = []
  /// Whether something says that there is no more.
  private(set) var hasEnd = false
  /// The place of a boolean that says that there is more, such as `has_more`.
  private(set) var saysMore: String?
  /// Where parameters probably go: nothing, or `body:/`.
  private let target: String
  /// Whether a boolean has said whether there is more. It is surer than a cursor.
  private var hasAnswer = false
  private var saysLast = false
  private let since: JSONPointer?
  private let url: HTTPURL?

  /// - Parameter since: where `--since` finds its value.
  init(_ page: Page, _ response: NextResponse, since: JSONPointer? = nil) {
    (self.since, url) = (since, response.url)
    here = page.items.count
    counts = page.counts
    target = response.request.hasJSONBody ? "body:/" : ""
    let objects = PageCounts.aboutFeed(page.root, items: page.place)
    isAtTop = Self.isAtTop(response.first) && !objects.contains { Self.isInside($0.object) }
    if let head = response.head { read(head, response.url) }
    for (object, pointer) in objects { read(object, at: pointer) }
  }

  /// `there is a link at /next: type --next /next`; nil if nothing shows that there is another page.
  var moreShown: String? {
    if let sign = more.first { return "there is \(sign.text)" }
    guard isAtTop, here > 0, let pages = counts.pages, DecimalText(1) < pages.value else { return nil }
    return "there are \(pages.shown): type \(pageAdvice)"
  }

  /// `the page has 10 of 120 items (/total): type --next …`; nil if no count is greater than what is here.
  var missingShown: String? {
    guard isAtTop, let items = counts.items, DecimalText(here) < items.value else { return nil }
    let advice =
      "--next \(target)page=+1, \(target)offset=+items or \(target)cursor=/POINTER, with the parameter's name"
    return "the page has \(here) of \(items.shown): type \(advice)"
  }

  /// Whether something shows that the page is the whole feed, if nothing shows more.
  var isWhole: Bool {
    hasEnd || (isAtTop && (counts.pages != nil || counts.items?.isWhole == true || counts.all != nil))
  }

  // MARK: The place in the feed

  /// Whether a request asks for the beginning of a feed, as far as its parameters show.
  static func isAtTop(_ first: PageRequest) -> Bool {
    QueryString(first.url).pairs.allSatisfy { name, value in
      let name = PageCounts.plain(name)
      return !places.contains { name.contains($0) } || name.contains("size") || name.contains("per")
        || value.isEmpty || value == [UInt8(ascii: "0")] || value == [UInt8(ascii: "1")]
    }
  }

  /// In the names of parameters that may name a place in a feed.
  private static let places = [
    "page", "offset", "start", "skip", "cursor", "after", "before", "since", "from", "token", "continu", "marker",
  ]

  /// Whether a parameter of a request is the number of items that its page has.
  static func isLimit(_ name: [UInt8], _ value: [UInt8], _ count: Int) -> Bool {
    let name = PageCounts.plain(name)
    return count > 0 && value.elementsEqual("\(count)".utf8) && limits.contains { name.contains($0) }
  }

  private static let limits = ["limit", "size", "per", "max", "count", "top", "first", "num", "rows", "take"]

  /// Whether a page says that it begins inside the feed: `"offset":40`. A text there is a cursor.
  private static func isInside(_ object: JSONValue) -> Bool {
    ["offset", "skip", "startAt", "startIndex"].contains { name in
      guard let value = object.member(name), value.kind == .number else { return false }
      return PageCounts.whole(value).map { DecimalText(1) < $0 } ?? false
    }
  }

  // MARK: Headers

  private mutating func read(_ head: HTTPHead, _ url: HTTPURL?) {
    switch LinkHeader.paging(in: head, page: url) {
    case .next: add("a next link in the Link header", "--next link")
    case .end: hasEnd = true
    case .otherLast: add("another last page in the Link header", pageAdvice)
    case nil: break
    }
    for name in Self.nextHeaders {
      guard let value = head.value(of: name) else { continue }
      let rule = Self.headerRules[name] ?? "NAME=header:\(name), with the parameter's NAME"
      if value.isEmpty { hasEnd = true } else { add("a header \(name)", "--next \(rule)") }
    }
    if let text = head.value(of: "x-pagination"), let object = try? JSONDocument(parsing: text).root {
      let before = more.count
      read(object, at: JSONPointer())
      if more.count > before {
        more.removeSubrange(before...)
        add("a next page in the header X-Pagination", pageAdvice)
      }
    }
    // GitHub leaves the Link header out if there is one page.
    if head.value(of: "x-github-media-type") != nil || head.value(of: "x-github-api-version-selected") != nil {
      hasEnd = hasEnd || more.isEmpty
    }
  }

  private static let nextHeaders = [
    "x-next-page", "next-page", "next-range", "x-next-cursor", "x-ms-continuation", "x-ms-continuationtoken",
    "x-ms-continuation-nextpartitionkey", "x-continuation-token", "cb-after",
  ]
  /// Where the values of some of them go.
  private static let headerRules = [
    "x-next-page": "page=header:X-Next-Page", "next-page": "url=header:Next-Page",
    "next-range": "header:Range=header:Next-Range",
    "x-ms-continuation": "header:x-ms-continuation=header:x-ms-continuation",
  ]

  // MARK: Members

  private var pageAdvice: String { "--next \(target)page=+1, with the parameter's name" }
  /// In the names of links and cursors.
  private static let nextWords = ["next", "cursor", "continu", "scroll", "lastevaluated", "skiptoken"]
  /// The whole names of cursors, if they are texts. A number there is a position.
  private static let cursorNames: Set = ["after", "offset", "bookmark"]
  /// In the names of booleans. Those of the second list say that this is the last page.
  private static let moreWords = ["more", "next", "truncated", "exceeded", "additional"]
  private static let lastWords = ["last", "end", "done", "complete"]

  /// Whether a boolean of this name says that there is more, or that there is none; nil if neither.
  /// - Parameter key: its words are told apart by `_`, `-` or a capital letter: `is_end`, but not `sender`.
  private static func saysMore(_ key: [UInt8]) -> Bool? {
    let words = words(of: key)
    if words.contains(where: moreWords.contains) { return true }
    return words.contains(where: lastWords.contains) ? false : nil
  }

  private static func words(of key: [UInt8]) -> [String] {
    var words: [[UInt8]] = [[]]
    for (index, byte) in key.enumerated() {
      if byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") {
        words.append([])
        continue
      }
      let isCapital = byte != byte.lowercased
      if isCapital, index > 0, key[index - 1] == key[index - 1].lowercased { words.append([]) }
      words[words.count - 1].append(byte.lowercased)
    }
    // Names of one word: hasmore, istruncated, endofstream.
    return words.map { word in
      let text = String(decoding: word, as: UTF8.self)
      for prefix in ["has", "is", "result"] where text.hasPrefix(prefix) && words.count == 1 {
        return String(text.dropFirst(prefix.count))
      }
      return [
        "nextpage": "next", "moreitems": "more", "moreavailable": "more", "moreitemsincollection": "more",
        "lastpage": "last", "endofstream": "end", "endofrecords": "end",
      ][text] ?? text
    }
  }

  private mutating func read(_ object: JSONValue, at pointer: JSONPointer) {
    for child in object.children {
      guard let key = child.key?.string else { continue }
      let (value, place) = (child.value, pointer.appending(key))
      let name = PageCounts.plain(key)
      // Of a page that is not cut off, there may still be a next one (Datasette).
      if name == "truncated" || name.hasPrefix("exceeded"), value.kind == .false { continue }
      if let isYes = Self.answer(value), let asksMore = Self.saysMore(key) {
        hasAnswer = true
        if isYes == asksMore {
          if !saysLast { saysMore = place.shown }
          let text = "\(place.shown), which says that there is more"
          add(text, "the --next that the API's documentation says", at: place)
        } else {
          more.removeAll { $0.place != nil }
          (hasEnd, saysLast, saysMore) = (true, true, nil)
        }
      } else if !hasAnswer || !hasEnd, name != "cursors" {
        let isCursor = Self.cursorNames.contains(name) && (value.kind.isString || value.isNull)
        let isMore = name.hasPrefix("more") && value.kind.isString && Shape.isLink(value)
        if isCursor || isMore || Self.nextWords.contains(where: name.contains) { read(link: value, at: place) }
      }
    }
  }

  /// A yes or no, if only as a text.
  private static func answer(_ value: JSONValue) -> Bool? {
    ["true": true, "false": false][String(decoding: value.word ?? [], as: UTF8.self).lowercased()]
  }

  /// The value of a member whose name is that of a link or cursor.
  private mutating func read(link value: JSONValue, at place: JSONPointer) {
    if isOfLater(value, at: place) { return }
    // An object is no cursor, so an empty one says nothing. `nil` is CouchDB's bookmark after the last page.
    let isEnd = value.isNothing || value.string?.elementsEqual("nil".utf8) == true
    if isEnd { return hasEnd = hasEnd || value.kind != .object }
    if Shape.isLink(value) { return add("a link at \(place.shown)", "--next \(typed(place.text))", at: place) }
    let setting = "--next \(typed(Array((target + "NAME=").utf8) + place.text))"
    switch value.kind {
    case .true: add(place.shown, pageAdvice, at: place)
    case .object:
      // The next one among several cursors.
      if let next = value.member("next") { return read(link: next, at: place.appending(Array("next".utf8))) }
      let names = value.children.compactMap { $0.key?.string.map { quoted($0) } }.prefix(3)
      let what = "an object at \(place.shown) (\(names.joined(separator: ", ")))"
      add(what, "--next '*=\(place.shown)' if these are parameters, or else \(setting)", at: place)
    case .number: add("a number at \(place.shown)", setting + ", with the parameter's NAME", at: place)
    case .string, .escapedString: add("a text at \(place.shown)", setting + ", with the parameter's NAME", at: place)
    case .array, .null, .false: break
    }
  }

  /// Whether the value is for a later run, or is no place in the feed: what `--since` reads, a sync token, a time, the URL
  /// of the page itself.
  private func isOfLater(_ value: JSONValue, at place: JSONPointer) -> Bool {
    guard place != since else { return true }
    let name = place.tokens.last.map { PageCounts.plain(Array($0)) } ?? ""
    guard let text = value.string, !text.isEmpty else { return false }
    if ["sync", "delta"].contains(where: name.contains) { return true }
    let isCursor = ["cursor", "token", "page"].contains { name.contains($0) }
    if !isCursor, SinceValue(text, as: .time) != nil { return true }
    return url.map { (try? $0.resolving(text))?.text == $0.text } ?? false
  }

  /// Takes note of a sign of more.
  /// - Parameter place: nil for a header, which a boolean of the page does not take back.
  private mutating func add(_ what: String, _ advice: String, at place: JSONPointer? = nil) {
    more.append(Sign(what: what, advice: advice, place: place))
  }
}
