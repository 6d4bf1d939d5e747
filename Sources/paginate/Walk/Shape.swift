// How an API pages: detected from the first page, unless the command line says it. A detected value is one that could
// have been typed, and can be shown like that.

import FeedCore
import FeedHTTP

/// How to ask for the next page, and where things are on a page.
struct Shape: Equatable, Sendable {
  /// Nil if no page has shown it.
  private(set) var next: NextRules?
  /// The part of it that was detected.
  private var found: NextRules?
  /// Nil while all pages were empty.
  private(set) var place: ItemPlace?
  private(set) var hasMore: HasMore?
  private(set) var total: TotalPlace?
  /// Without it, the names of members are the ids.
  private(set) var id: JSONPointer?
  let orderKey: JSONPointer?
  /// Why this rule was taken, for `-v`: `looks like Jira ('issues' and 'isLast')`. Empty if nothing was detected.
  private(set) var reason = ""
  /// Whether the rule comes from a link that was null: it may be no link.
  private(set) var isGuess = false
  private var isLearned = false
  private var isGraphQL = false

  /// What is typed counts, and is never detected.
  init(_ options: WalkOptions) {
    next = options.next
    place = options.items
    hasMore = options.hasMore
    total = options.total
    id = options.id
    orderKey = options.orderKey
  }

  var items: JSONPointer? { place?.pointer }
  /// Whether items have ids: a member has its name.
  var hasIDs: Bool { id != nil || place?.isMembers == true }

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
      if let text, !isGiven { words.append("--\(name) \(typed(text))") }
    }
    for text in options.next == nil ? found?.texts ?? [] : [] { add("next", text, false) }
    add("items", place?.text, options.items != nil)
    add("id-from", id?.text, options.id != nil)
    add("has-more", hasMore?.text, options.hasMore != nil)
    add("total", total?.text, options.total != nil)
    return words.joined(separator: " ")
  }

  // MARK: Learning

  /// Detects what is not known yet.
  /// - Parameter isFirstRequest: whether the request is that of the command line, which shows where numbers start.
  mutating func learn(
    from document: JSONDocument, _ head: HTTPHead?, _ request: PageRequest?, isFirstRequest: Bool, _ url: HTTPURL?,
    _ options: WalkOptions
  ) throws(NextError) {
    let root = document.root
    guard !isLearned || items == nil || (options.findsID && id == nil) else { return }
    let isFirst = !isLearned
    guard root.kind.isContainer else {
      throw .response("expected an object or an array, found \(root.kind.name)", at: 0)
    }
    // If no next page is wanted, no rule is needed.
    let isAsked = request != nil || options.findsLink
    if isFirst, isAsked { learnNext(root, head, request, url) }
    if place == nil { place = try ItemArray.find(in: root).map(ItemPlace.list) }
    if items == nil, !AbsentItems.complaint(of: root).isEmpty {
      throw .response("no array of objects in the page" + AbsentItems.complaint(of: root), at: 0)
    }
    if isFirst, let request {
      try learnGraphQL(root, request)
      if isFirstRequest { learnStart(root, request) }
      if let found { next = found.joined(options.still) }
      if let next { try NextRule.check(next, request) }
      try next?.checkKept(options.keepsRequests)
    }
    if options.findsID, !hasIDs, let array = items.flatMap({ root.value(at: $0) }), array.hasChildren {
      id = try ItemArray.findID(in: array)
    }
    isLearned = true
  }

  /// Finds the start of a number, if it was not given: 0 or 1 if the first request starts there, or if the page says so
  /// under the parameter's name (SCIM, RFC 7644 §3.4.2.4). Without it, the last page cannot be recognised.
  private mutating func learnStart(_ root: JSONValue, _ request: PageRequest) {
    guard let rule = next?.deciding, let counter = rule.counter, counter.start == nil else { return }
    let unknown = DecimalText(2)
    let given = (try? rule.number(in: request, unknown)).flatMap { $0 == unknown ? nil : $0 }
    let said =
      given ?? rule.name.flatMap { root.member($0.percentDecoded) }.flatMap(JSONText.scalar).flatMap { DecimalText($0) }
    guard let said, said == DecimalText(counter.countsPages ? 0 : 1) else { return }
    next?.begin(at: said)
    found?.begin(at: said)
  }

  /// The cursor of GraphQL, which is beside the items.
  private mutating func learnGraphQL(_ root: JSONValue, _ request: PageRequest) throws(NextError) {
    guard isGraphQL, let cursor = try GraphQLCursor.find(in: root, items: items, request) else { return }
    (found, next) = (cursor.rules, cursor.rules)
    hasMore = hasMore ?? cursor.hasMore
  }

  /// Finds the rule. A Link header counts most, because its standard leaves no doubt; then GraphQL; then what an API
  /// documents.
  private mutating func learnNext(_ root: JSONValue, _ head: HTTPHead?, _ request: PageRequest?, _ url: HTTPURL?) {
    let body = request?.body.flatMap { try? JSONDocument(parsing: $0) }?.root
    // Of a known API, the place of the items is known too, whatever leads to the next page.
    let known = (Convention.cursors + Convention.withoutLink).first {
      $0.items != nil && $0.applies(to: root, head, isInBody: body?.kind == .object)
    }
    if let known { learnItems(known, root) }
    if next != nil { return }
    let links = head.flatMap { LinkHeader.paging(in: $0, page: url) }
    if let links, links != .otherLast {
      (next, reason) = (NextRules([NextRule(.url, .link)]), "found a Link header")
    } else if let body, body.member("query")?.kind.isString == true || body.member("variables")?.kind == .object,
      GraphQLCursor.hasPageInfo(root)
    {
      (isGraphQL, reason) = (true, "looks like GraphQL ('pageInfo')")
      return
    } else {
      learnConvention(root, head, request, isInBody: body?.kind == .object)
    }
    found = next
    if hasMore == nil, next?.deciding?.counter?.countsPages ?? true {
      hasMore = Convention.hasMore.lazy.compactMap { try? HasMore(Array($0.utf8)) }
        .first { $0.isBoolean(in: root) }
    }
  }

  private mutating func learnConvention(_ root: JSONValue, _ head: HTTPHead?, _ request: PageRequest?, isInBody: Bool) {
    let link = Convention.links.first { Self.isLink(Convention.value($0, root)) }
    let cursor = Convention.cursors.first { $0.applies(to: root, head, isInBody: isInBody) }
    // A link would be followed with the body, which already says something else.
    let isBodyCursor = cursor.map { $0.isInBody == true || (isInBody && $0.next.hasPrefix("{body}")) } ?? false
    if let link, cursor == nil || (Convention.value(link, root)?.isNull == false && !isBodyCursor) {
      take(Convention("", [], link), root, request, isInBody: isInBody)
      reason = "found a link at \(link)"
      isGuess = Convention.value(link, root)?.isNull == true
    } else if let found = cursor
      ?? Convention.withoutLink.first(where: { $0.applies(to: root, head, isInBody: isInBody) })
    {
      take(found, root, request, isInBody: isInBody)
      reason = "looks like \(found.reason)"
    }
  }

  /// Takes the place of a known API's items, if the page has something there or may have left it out.
  private mutating func learnItems(_ convention: Convention, _ root: JSONValue) {
    guard items == nil, let pointer = convention.items.map(Convention.pointer) else { return }
    // Members that a documented API leaves out when empty are still known.
    let isLeftOut = AbsentItems.areShown(by: root, at: pointer, total: nil, hasNext: true)
    if isLeftOut || root.value(at: pointer) != nil { place = .list(pointer) }
  }

  private mutating func take(_ convention: Convention, _ root: JSONValue, _ request: PageRequest?, isInBody: Bool) {
    next = convention.rules(of: request ?? PageRequest(url: []), isInBody: isInBody)
    learnItems(convention, root)
    total = total ?? convention.total.flatMap { try? TotalPlace(Array($0.utf8)) }
    id = id ?? convention.id.map(Convention.pointer)
    hasMore = hasMore ?? convention.hasMore.flatMap { try? HasMore(Array($0.utf8)) }
  }

  /// Whether a value is a link or a place for one: a URL, `null`, an object with `href`, an array with a link `next`.
  static func isLink(_ value: JSONValue?) -> Bool {
    guard let value else { return false }
    switch value.kind {
    case .null: return true
    case .string, .escapedString: return isURL(JSONString.decoded(value))
    case .object: return ["href", "link", "url", "uri"].contains { value.member($0)?.kind.isString == true }
    case .array: return value.children.contains { NextRule.isNext($0.value) }
    case .true, .false, .number: return false
    }
  }

  /// Whether a text can only be a URL or a reference, not a cursor.
  private static func isURL(_ text: [UInt8]) -> Bool {
    HTTPURL.isURL(text) || text.first == UInt8(ascii: "/") || text.first == UInt8(ascii: "?")
      || text.contains(UInt8(ascii: "?"))
  }
}
