// From a page to the next step. Ends and loops are decided elsewhere (StopRules), and so is where a link may lead
// (Origin).

import FeedCore
import FeedHTTP

/// The result of a rule on a page.
enum NextStep: Equatable, Sendable {
  /// Nothing: no link, no cursor, no item to go on from.
  case none
  /// A link, as written on the page.
  case reference([UInt8])
  /// The request with the new cursor in it.
  case request(PageRequest, cursor: [UInt8])
}

/// A page, with its answer and its request.
struct PageContext {
  /// Nil if pages come from a file.
  let head: HTTPHead?
  let page: Page
  /// The request for the page.
  let request: PageRequest
  /// The first request of the walk.
  let first: PageRequest
  /// The URL that the page came from, after redirects; nil if unknown.
  let url: HTTPURL?
  /// The place of the items in the page.
  let items: JSONPointer?
  let followsEmptyCursor: Bool

  /// The next page by a `Link` header.
  var nextLink: [UInt8]? { head.flatMap { LinkHeader.target(of: "next", in: $0, page: url) } }
}

extension NextRule {
  /// Finds the step after a page.
  func next(after context: PageContext) throws(WalkError) -> NextStep {
    let page = context.page
    switch self {
    case .onlyPage: return .none
    case .link:
      return context.nextLink.map(NextStep.reference) ?? .none
    case .pointer(let pointer): return try Self.link(at: pointer, of: page.root).map(NextStep.reference) ?? .none
    case .page(let name, let start):
      let number = try Self.number(name, of: context.request, default: start) + DecimalText(1)
      return Self.setting(name, to: number.text, in: context.request)
    case .offset(let name, let start):
      let here = try Self.number(name, of: context.request, default: start ?? DecimalText(0))
      return Self.setting(name, to: (here + PageSize.step(of: context)).text, in: context.request)
    case .cursor(let name, let place):
      guard let cursor = try Self.cursor(at: place, of: context) else { return .none }
      return Self.setting(name, to: cursor, in: context.request)
    case .cursorHeader(let name, let place):
      guard let cursor = try Self.cursor(at: place, of: context) else { return .none }
      guard isSendable(cursor) else {
        throw WalkError(.page, "the cursor of --next holds a control character, which no header can")
      }
      var request = context.request
      request.setHeader(name, to: cursor)
      return .request(request, cursor: cursor)
    case .cursorBody(let into, let from): return try BodyCursor.copied(from, to: into, context)
    case .parameters(let pointer): return try Self.parameters(at: pointer, context)
    case .post(let path, let into, let from): return try PathPost.next(path, into, from, context)
    case .lastID(let name):
      guard let id = page.items.last?.id else { return .none }
      return Self.setting(name, to: id, in: context.request)
    case .maxID(let name):
      guard let id = try Self.smallestID(of: page) else { return .none }
      return Self.setting(name, to: id.predecessor.text, in: context.request)
    case .searchAfter: return try BodyCursor.searchAfter(context)
    case .scroll: return try ElasticScroll.next(context)
    case .graphql: return try GraphQLCursor.next(context)
    }
  }

  private static func setting(_ name: [UInt8], to value: [UInt8], in request: PageRequest) -> NextStep {
    var next = request
    var url = QueryString(request.url)
    // A server that repeats a cursor means the same request, however the user has encoded it.
    if url.value(of: name) != value { url.set(name, to: value) }
    next.url = url.text
    return .request(next, cursor: value)
  }

  /// The whole number in a query parameter.
  private static func number(
    _ name: [UInt8], of request: PageRequest, default: DecimalText
  ) throws(WalkError) -> DecimalText {
    guard let value = QueryString(request.url).value(of: name) else { return `default` }
    guard let number = DecimalText(value), !number.isNegative else {
      // The value is not quoted: a part of a URL may be a secret.
      throw WalkError(.usage, "option '--next': expected a whole number as the URL's '\(quoted(name))'")
    }
    return number
  }

  // MARK: Links

  /// The members of an object that may hold a link's URL: usually `href`; then HubSpot, FHIR and Asana, in that order.
  private static let linkNames = ["href", "link", "url", "uri"]

  /// The URL at `pointer`: a string, an object with `href`, or the object with relation `next` in an array of links.
  static func link(at pointer: JSONPointer, of root: JSONValue) throws(WalkError) -> [UInt8]? {
    guard var value = root.value(at: pointer) else { return nil }
    let place = value.range.lowerBound
    if value.kind == .array {
      guard let next = value.children.first(where: { isNext($0.value) }) else { return nil }
      value = next.value
    }
    if value.kind == .object {
      guard let inner = linkNames.lazy.compactMap({ value.member($0) }).first else {
        throw WalkError(.page, "no member 'href' at \(pointer.shown) (--next)", at: place)
      }
      value = inner
    }
    if value.kind == .null || value.kind == .false { return nil }
    guard let text = value.string else {
      throw WalkError(.page, "expected a URL at \(pointer.shown), found \(value.kind.name) (--next)", at: place)
    }
    return text.isEmpty ? nil : onBase(text, pointer, root)
  }

  /// A path of Confluence is relative to the URL in `base`, beside it
  /// (https://developer.atlassian.com/server/confluence/pagination-in-the-rest-api/), unless it repeats the path of that
  /// URL, as those of its second version do.
  private static func onBase(_ link: [UInt8], _ pointer: JSONPointer, _ root: JSONValue) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let links = root.value(at: JSONPointer(tokens: Array(pointer.tokens.dropLast())))
    guard link.first == slash, !link.starts(with: "//".utf8), let base = links?.member("base")?.string,
      HTTPURL.isURL(base)
    else { return link }
    let authority = (base.firstIndex(of: slash) ?? 0) + 2
    guard let start = base[authority...].firstIndex(of: slash), start < base.count - 1 else { return link }
    let whole = base.last == slash ? base.dropLast() : base[...]
    return link.starts(with: whole[start...] + [slash]) ? link : whole + link
  }

  /// Whether an object is a link with relation `next`.
  static func isNext(_ link: JSONValue) -> Bool {
    guard let relation = (link.member("rel") ?? link.member("relation"))?.string else { return false }
    return relation.elementsEqual("next".utf8)
  }

  // MARK: Cursors

  /// The text of the cursor; nil if the answer has none.
  private static func cursor(at place: CursorPlace, of context: PageContext) throws(WalkError) -> [UInt8]? {
    let pointer: JSONPointer
    switch place {
    case .body(let inBody): pointer = inBody
    case .header(let field):
      let value = context.head?.value(of: String(decoding: field.lowercased, as: UTF8.self))
      return value.flatMap { $0.isEmpty && !context.followsEmptyCursor ? nil : $0 }
    }
    guard let value = context.page.root.value(at: pointer) else { return nil }
    if value.kind == .null || value.kind == .false { return nil }
    guard let text = JSONText.scalar(value) else {
      throw WalkError(
        .page, "expected a string or a number at \(pointer.shown), found \(value.kind.name) (--next)",
        at: value.range.lowerBound)
    }
    return text.isEmpty && !context.followsEmptyCursor ? nil : text
  }

  /// The first request with the members of an object as parameters (MediaWiki). Those of earlier pages must not stay.
  private static func parameters(at pointer: JSONPointer, _ context: PageContext) throws(WalkError) -> NextStep {
    guard let object = context.page.root.value(at: pointer), object.kind != .null, object.kind != .false else {
      return .none
    }
    guard object.kind == .object else {
      throw WalkError(
        .page, "expected an object at \(pointer.shown), found \(object.kind.name) (--next)", at: object.range.lowerBound
      )
    }
    var pairs: [(name: [UInt8], value: [UInt8])] = []
    for child in object.children {
      guard let name = child.key?.string, let value = JSONText.scalar(child.value) else {
        throw WalkError(
          .page, "expected strings and numbers in the object at \(pointer.shown) (--next)",
          at: child.value.range.lowerBound)
      }
      pairs.append((name, value))
    }
    var url = QueryString(context.first.url)
    url.set(pairs)
    var next = context.first
    next.url = url.text
    return next.url == context.first.url ? .none : .request(next, cursor: object.text)
  }

  private static func smallestID(of page: Page) throws(WalkError) -> DecimalText? {
    var smallest: DecimalText?
    for (index, item) in page.items.enumerated() {
      guard let number = item.id.flatMap({ DecimalText($0) }) else {
        throw WalkError(
          .page, "item \(index + 1): the id is not a whole number, which --next max-id needs",
          at: item.value.range.lowerBound)
      }
      if smallest.map({ number < $0 }) ?? true { smallest = number }
    }
    return smallest
  }
}
