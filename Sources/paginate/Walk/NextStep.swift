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
  /// The URL that the page came from, after redirects; nil if unknown.
  let url: HTTPURL?
  /// The place of the items in the page.
  let items: JSONPointer?
  /// Whether the page's total counts pages.
  let countsPages: Bool
  let followsEmptyCursor: Bool
}

extension NextRule {
  /// Finds the step after a page.
  func next(after context: PageContext) throws(WalkError) -> NextStep {
    let page = context.page
    switch self {
    case .link:
      return context.head.flatMap { LinkHeader.target(of: "next", in: $0, page: context.url) }.map(NextStep.reference)
        ?? .none
    case .pointer(let pointer): return try Self.link(at: pointer, of: page.root).map(NextStep.reference) ?? .none
    case .page(let name, let start):
      let number = try Self.number(name, of: context.request, default: start) + DecimalText(1)
      return Self.setting(name, to: number.text, in: context.request)
    case .offset(let name, let start):
      let here = try Self.number(name, of: context.request, default: start ?? DecimalText(0))
      return Self.setting(name, to: (here + PageSize.step(of: context)).text, in: context.request)
    case .cursor(let name, let pointer):
      guard let cursor = try Self.cursor(at: pointer, of: context) else { return .none }
      return Self.setting(name, to: cursor, in: context.request)
    case .cursorHeader(let name, let pointer):
      guard let cursor = try Self.cursor(at: pointer, of: context) else { return .none }
      guard isSendable(cursor) else {
        throw WalkError(.page, "the cursor at \(pointer.shown) holds a control character, which no header can")
      }
      var request = context.request
      request.setHeader(name, to: cursor)
      return .request(request, cursor: cursor)
    case .cursorBody(let into, let from): return try BodyCursor.copied(from, to: into, context)
    case .lastID(let name):
      guard let id = page.items.last?.id else { return .none }
      return Self.setting(name, to: id, in: context.request)
    case .maxID(let name):
      guard let id = try Self.smallestID(of: page) else { return .none }
      return Self.setting(name, to: id.predecessor.text, in: context.request)
    case .searchAfter: return try BodyCursor.searchAfter(context)
    case .graphql: return try GraphQLCursor.next(context)
    }
  }

  private static func setting(_ name: [UInt8], to value: [UInt8], in request: PageRequest) -> NextStep {
    var next = request
    var url = QueryString(request.url)
    url.set(name, to: value)
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
    return text.isEmpty ? nil : text
  }

  /// Whether an object is a link with relation `next`.
  static func isNext(_ link: JSONValue) -> Bool {
    guard let relation = (link.member("rel") ?? link.member("relation"))?.string else { return false }
    return relation.elementsEqual("next".utf8)
  }

  // MARK: Cursors

  /// The text of the cursor at `pointer`; nil if the page has none.
  private static func cursor(at pointer: JSONPointer, of context: PageContext) throws(WalkError) -> [UInt8]? {
    guard let value = context.page.root.value(at: pointer) else { return nil }
    if value.kind == .null || value.kind == .false { return nil }
    guard let text = JSONText.scalar(value) else {
      throw WalkError(
        .page, "expected a string or a number at \(pointer.shown), found \(value.kind.name) (--next)",
        at: value.range.lowerBound)
    }
    return text.isEmpty && !context.followsEmptyCursor ? nil : text
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
