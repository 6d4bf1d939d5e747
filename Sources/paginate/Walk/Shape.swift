// How an API pages: detected from the first page, unless the command line says it. A detected value is one that could
// have been typed, and can be shown like that.

import FeedCore
import FeedHTTP

/// How to ask for the next page, and where things are on a page.
struct Shape: Equatable, Sendable {
  /// Nil if no page has shown it.
  private(set) var next: NextRule?
  /// Nil while all pages were empty.
  private(set) var items: JSONPointer?
  private(set) var hasMore: HasMore?
  private(set) var total: JSONPointer?
  private(set) var id: JSONPointer?
  /// Why this rule was taken, for `-v`: `looks like Jira ('issues' and 'isLast')`. Empty if nothing was detected.
  private(set) var reason = ""
  private var isLearned = false

  init(_ options: WalkOptions) {
    next = options.next
    items = options.itemsAreLines ? JSONPointer() : options.items
    hasMore = options.hasMore
    total = options.total
    id = options.id
  }

  func reader(_ options: WalkOptions) -> PageReader {
    var reader = PageReader(items: items, id: id, hasMore: hasMore, total: total, orderKey: options.orderKey)
    reader.itemsAreMembers = options.itemsAreMembers
    reader.totalIsOfPages = countsPages
    return reader
  }

  /// Whether the total counts pages: true for `page:NAME` if the member is called so (`total_pages`).
  private var countsPages: Bool {
    guard case .page = next, let name = total?.tokens.last else { return false }
    return String(decoding: name, as: UTF8.self).lowercased().contains("page")
  }

  /// What was seen and the rule that follows from it: `found a link at /next: --next /next --items /data`.
  func explained(beyond options: WalkOptions) -> String {
    let found = found(beyond: options)
    if reason.isEmpty { return found.isEmpty ? "" : next == nil ? "found no next page: \(found)" : "found \(found)" }
    return found.isEmpty ? reason : "\(reason): \(found)"
  }

  /// The detected options that were not given, as they would be typed: `--next /links/next --items /data`.
  func found(beyond options: WalkOptions) -> String {
    var words: [String] = []
    func add(_ name: String, _ text: [UInt8]?, _ isGiven: Bool) {
      if let text, !isGiven { words.append("--\(name) \(text.isEmpty ? "''" : shortened(text))") }
    }
    add("next", next?.text, options.next != nil)
    add("items", items?.text, options.items != nil || options.itemsAreLines)
    add("id", id?.text, options.id != nil)
    add("has-more", hasMore?.text, options.hasMore != nil)
    add("total", total?.text, options.total != nil)
    return words.joined(separator: " ")
  }

  // MARK: Learning

  /// Detects what is not known yet.
  mutating func learn(
    from document: JSONDocument, _ head: HTTPHead?, _ request: PageRequest?, _ url: HTTPURL?, _ options: WalkOptions
  ) throws(WalkError) {
    let root = document.root
    guard !isLearned || items == nil || (options.findsID && id == nil) else { return }
    let isFirst = !isLearned
    guard root.kind.isContainer else {
      throw WalkError(.page, "expected an object or an array, found \(root.kind.name)", at: 0)
    }
    // If no next page is wanted, no rule is needed.
    let isAsked = request != nil || options.findsLink
    if isFirst, isAsked { learnNext(root, head, request, url) }
    if items == nil { items = try ItemArray.find(in: root) }
    if items == nil, !PageReader.complaint(of: root).isEmpty {
      throw WalkError(.page, "no array of objects in the page" + PageReader.complaint(of: root), at: 0)
    }
    if isFirst, let request {
      learnStart(root, request)
      if next == .scroll { try ElasticScroll.check(request, isKept: options.keepsRequests) }
    }
    if options.findsID, id == nil, !options.itemsAreMembers, let array = items.flatMap({ root.value(at: $0) }),
      array.children.contains(where: { _ in true })
    {
      id = try IDMember.find(in: array)
    }
    isLearned = true
  }

  /// Finds the start of offsets, if it was not given: 1 if the first URL starts there, or if the page says so under the
  /// parameter's name (SCIM, RFC 7644 §3.4.2.4). Without it, the last item cannot be recognised.
  private mutating func learnStart(_ root: JSONValue, _ request: PageRequest) {
    guard case .offset(let name, nil) = next else { return }
    let decoded = name.percentDecoded
    let given = QueryString(request.url).value(of: name) ?? root.member(decoded).flatMap(JSONText.scalar)
    if given == [UInt8(ascii: "1")] { next = .offset(name: name, start: DecimalText(1)) }
  }

  private mutating func learnNext(
    _ root: JSONValue, _ head: HTTPHead?, _ request: PageRequest?, _ url: HTTPURL?
  ) {
    let body = request?.body.flatMap { try? JSONDocument(parsing: $0) }?.root
    if next != nil {
      // Of a known API, the place of the items is known too.
      let known = (Convention.cursors + Convention.withoutLink).first {
        $0.items != nil && $0.applies(to: root, head, isInBody: body?.kind == .object)
      }
      if items == nil, let known { learnItems(known, root) }
      return
    }
    let links = head.flatMap { LinkHeader.paging(in: $0, page: url) }
    if let links, links != .otherLast {
      (next, reason) = (.link, "found a Link header")
    } else if body?.member("query")?.kind.isString == true, GraphQLCursor.hasPageInfo(root) {
      (next, reason) = (.graphql, "looks like GraphQL ('pageInfo')")
    } else {
      learnConvention(root, head, isInBody: body?.kind == .object)
    }
    if hasMore == nil, next == nil || next?.isToldByPage == true || next?.needsIDs == true || isPage {
      hasMore = Convention.hasMore.lazy.compactMap { try? HasMore(Array($0.utf8)) }
        .first { [.true, .false].contains(root.value(at: $0.pointer)?.kind) }
    }
  }

  private mutating func learnConvention(_ root: JSONValue, _ head: HTTPHead?, isInBody: Bool) {
    let link = Convention.links.first { Self.isLink(Convention.value($0, root)) }
    let cursor = Convention.cursors.first { $0.applies(to: root, head, isInBody: isInBody) }
    // A link would be followed with the body, which already says something else.
    let isBodyCursor = cursor?.isInBody == true
    if let link, cursor == nil || (Convention.value(link, root)?.isNull == false && !isBodyCursor) {
      let items = link.hasPrefix("/topic_list") ? "/topic_list/topics" : nil
      take(Convention("", [], link, items: items), root)
      reason = "found a link at \(link)"
    } else if let found = cursor
      ?? Convention.withoutLink.first(where: { $0.applies(to: root, head, isInBody: isInBody) })
    {
      take(found, root)
      reason = "looks like \(found.reason)"
    }
  }

  private mutating func learnItems(_ convention: Convention, _ root: JSONValue) {
    guard items == nil, let pointer = convention.items.map(Convention.pointer) else { return }
    // Members that a documented API leaves out when empty are still known.
    let isLeftOut = AbsentItems.areShown(by: root, at: pointer, total: nil, hasNext: false)
    if isLeftOut || root.value(at: pointer) != nil { items = pointer }
  }

  private var isPage: Bool {
    if case .page = next { return true }
    return false
  }

  private mutating func take(_ convention: Convention, _ root: JSONValue) {
    next = try? NextRule(Array(convention.next.utf8))
    learnItems(convention, root)
    total = total ?? convention.total.map(Convention.pointer)
    id = id ?? convention.id.map(Convention.pointer)
    hasMore = hasMore ?? convention.hasMore.flatMap { try? HasMore(Array($0.utf8)) }
  }

  /// Whether a value is a link or a place for one: a URL, `null`, an object with `href`, an array with a link `next`.
  static func isLink(_ value: JSONValue?) -> Bool {
    guard let value else { return false }
    switch value.kind {
    case .null: return true
    case .string, .escapedString: return isURL(JSONString.decoded(value))
    case .object: return value.member("href") != nil || value.member("link") != nil || value.member("uri") != nil
    case .array: return value.children.contains { NextRule.isNext($0.value) }
    default: return false
    }
  }

  /// Whether a text can only be a URL or a reference, not a cursor.
  private static func isURL(_ text: [UInt8]) -> Bool {
    HTTPURL.isURL(text) || text.first == UInt8(ascii: "/") || text.first == UInt8(ascii: "?")
      || text.contains(UInt8(ascii: "?"))
  }
}
