// How to ask an API for its next page: the value of `--next`. `NextRule+Text` reads and writes it.

import FeedCore

/// A rule that makes the next request from a page.
enum NextRule: Equatable, Sendable {
  /// Where an answer has its cursor.
  enum CursorPlace: Equatable, Sendable {
    case body(JSONPointer)
    /// The name of a header, as typed.
    case header([UInt8])
  }

  /// The feed has one page.
  case onlyPage
  /// The Link header field.
  case link
  /// A URL in the body, or an object or a list of links that contains it.
  case pointer(JSONPointer)
  /// A query parameter that counts pages; `start` is the number of the first.
  case page(name: [UInt8], start: DecimalText)
  /// A query parameter that counts items; `start` is the number of the first, nil if it is not known to be 0 or 1.
  case offset(name: [UInt8], start: DecimalText?)
  /// A query parameter, set to a value of the answer.
  case cursor(name: [UInt8], CursorPlace)
  /// A header, set to a value of the answer.
  case cursorHeader(name: [UInt8], CursorPlace)
  /// A member of the request's body, set to a value of the answer's body.
  case cursorBody(JSONPointer, JSONPointer)
  /// Several query parameters of the first request: the members of an object in the body.
  case parameters(JSONPointer)
  /// A POST to another path, with a body that holds only a value of the answer's body.
  case post(path: [UInt8], JSONPointer, JSONPointer)
  /// A query parameter, set to the last item's id.
  case lastID(name: [UInt8])
  /// A query parameter, set to one less than the smallest id.
  case maxID(name: [UInt8])
  /// Elasticsearch: the `sort` values of the last hit.
  case searchAfter
  /// Elasticsearch: the id of a search that the server keeps open.
  case scroll
  /// GraphQL: a variable, set to `endCursor`.
  case graphql

  // MARK: What a rule needs

  /// Whether the page itself says where the next one is. If so, an empty page may have a next one.
  var isToldByPage: Bool {
    switch self {
    case .link, .pointer, .cursor, .cursorHeader, .cursorBody, .parameters, .post, .graphql: true
    case .onlyPage, .page, .offset, .lastID, .maxID, .searchAfter, .scroll: false
    }
  }

  /// The parameter, or the member of the body, that the rule sets.
  /// - Parameter request: the first request.
  func parameter(of request: PageRequest) -> [UInt8]? {
    switch self {
    case .page(let name, _), .offset(let name, _), .cursor(let name, _), .lastID(let name), .maxID(let name): name
    case .cursorBody(let into, _), .post(_, let into, _): into.tokens.last.map(Array.init)
    case .scroll: ElasticScroll.member
    case .graphql: try? GraphQLCursor.variable(of: request)
    case .onlyPage, .link, .pointer, .cursorHeader, .parameters, .searchAfter: nil
    }
  }

  /// Whether requests count pages or items.
  var isNumbered: Bool {
    switch self {
    case .page, .offset: true
    default: false
    }
  }

  var needsIDs: Bool {
    switch self {
    case .lastID, .maxID: true
    default: false
    }
  }

  /// Whether the cursor goes into a JSON body. If so, the first request must have one.
  var needsBody: Bool {
    switch self {
    case .cursorBody, .post, .searchAfter, .graphql: true
    default: false
    }
  }

  /// What the rule reads in the head of an answer; nil if it needs only the body.
  var headNeeded: String? {
    switch self {
    case .link: "link"
    case .cursor(let name, .header(let field)): "cursor:\(shortened(name))=header:\(shortened(field))"
    case .cursorHeader(let name, .header(let field)): "cursor-header:\(shortened(name))=header:\(shortened(field))"
    default: nil
    }
  }

  /// Solr repeats the cursor of the last page, even with items.
  var endsWithSameCursor: Bool {
    if case .cursor(let name, _) = self { return name == Array("cursorMark".utf8) }
    return false
  }

  /// Whether items that move can shift others to another page. Nobody knows what is in a link or a cursor.
  var mayShift: Bool {
    switch self {
    case .onlyPage, .lastID, .maxID, .searchAfter, .scroll, .graphql: false
    default: true
    }
  }

  /// Whether the same request can bring other items each time: the server counts.
  var repeatsRequests: Bool { self == .scroll }
}
