// How to ask an API for its next page: the value of `--next`.

import FeedCore

/// A rule that makes the next request from a page.
enum NextRule: Equatable, Sendable {
  /// The Link header field.
  case link
  /// A URL in the body, or an object or a list of links that contains it.
  case pointer(JSONPointer)
  /// A query parameter that counts pages; `start` is the number of the first.
  case page(name: [UInt8], start: DecimalText)
  /// A query parameter that counts items; `start` is the number of the first, nil if it is not known to be 0 or 1.
  case offset(name: [UInt8], start: DecimalText?)
  /// A query parameter, set to a value in the body.
  case cursor(name: [UInt8], JSONPointer)
  /// A header, set to a value in the body.
  case cursorHeader(name: [UInt8], JSONPointer)
  /// A member of the request's body, set to a value of the answer's body.
  case cursorBody(JSONPointer, JSONPointer)
  /// A query parameter, set to the last item's id.
  case lastID(name: [UInt8])
  /// A query parameter, set to one less than the smallest id.
  case maxID(name: [UInt8])
  /// Elasticsearch: the `sort` values of the last hit.
  case searchAfter
  /// GraphQL: a variable, set to `endCursor`.
  case graphql

  /// Invalid text: what was expected instead, for `OptionValue.refused`.
  struct Problem: Error, Equatable, Sendable {
    let expected: String
  }

  static let forms =
    "link, a JSON Pointer, page:NAME[@START], offset:NAME[@START], cursor:NAME=POINTER, cursor-header:NAME=POINTER, "
    + "cursor-body:POINTER=POINTER, last-id:NAME, max-id:NAME, search-after or graphql"

  /// The beginnings of rules, for completions.
  static let beginnings = [
    "link", "page:", "offset:", "cursor:", "cursor-header:", "cursor-body:", "last-id:", "max-id:", "search-after",
    "graphql",
  ]

  init(_ text: [UInt8]) throws(Problem) {
    if text.first == UInt8(ascii: "/") {
      self = .pointer(try Self.pointer(text[...], "a JSON Pointer"))
      return
    }
    let kind = String(decoding: text.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    let argument = text.dropFirst(kind.utf8.count + 1)
    let hasArgument = text.count > kind.utf8.count
    switch kind {
    case "link" where !hasArgument: self = .link
    case "search-after" where !hasArgument: self = .searchAfter
    case "graphql" where !hasArgument: self = .graphql
    case "page":
      let (name, start) = try Self.counter(argument, "page:NAME or page:NAME@START with a whole number")
      self = .page(name: name, start: start ?? DecimalText(1))
    case "offset":
      let (name, start) = try Self.counter(argument, "offset:NAME or offset:NAME@START with a whole number")
      self = .offset(name: name, start: start)
    case "last-id": self = .lastID(name: try Self.name(argument, "last-id:NAME"))
    case "max-id": self = .maxID(name: try Self.name(argument, "max-id:NAME"))
    case "cursor":
      let (name, pointer) = try Self.assignment(argument, "cursor:NAME=POINTER")
      self = .cursor(name: name, pointer)
    case "cursor-header":
      let (name, pointer) = try Self.assignment(argument, "cursor-header:NAME=POINTER")
      guard name.allSatisfy(\.isTokenByte) else {
        throw Problem(expected: "cursor-header:NAME=POINTER with the name of a header")
      }
      self = .cursorHeader(name: name, pointer)
    case "cursor-body":
      let (into, from) = try Self.assignment(argument, "cursor-body:POINTER=POINTER")
      self = .cursorBody(try Self.pointer(into[...], "cursor-body:POINTER=POINTER"), from)
    default: throw Problem(expected: Self.forms)
    }
  }

  /// The rule as an option value.
  var text: [UInt8] {
    func joined(_ kind: String, _ left: [UInt8], _ right: [UInt8]? = nil) -> [UInt8] {
      Array(kind.utf8) + left + (right.map { [UInt8(ascii: "=")] + $0 } ?? [])
    }
    return switch self {
    case .link: Array("link".utf8)
    case .pointer(let pointer): pointer.text
    case .page(let name, let start):
      // An `@` in the name would begin a start, so there must be one.
      joined("page:", name)
        + (start == DecimalText(1) && !name.contains(UInt8(ascii: "@")) ? [] : [UInt8(ascii: "@")] + start.text)
    case .offset(let name, let start):
      joined("offset:", name)
        + ((start ?? (name.contains(UInt8(ascii: "@")) ? DecimalText(0) : nil)).map { [UInt8(ascii: "@")] + $0.text }
          ?? [])
    case .cursor(let name, let pointer): joined("cursor:", name, pointer.text)
    case .cursorHeader(let name, let pointer): joined("cursor-header:", name, pointer.text)
    case .cursorBody(let into, let from): joined("cursor-body:", into.text, from.text)
    case .lastID(let name): joined("last-id:", name)
    case .maxID(let name): joined("max-id:", name)
    case .searchAfter: Array("search-after".utf8)
    case .graphql: Array("graphql".utf8)
    }
  }

  // MARK: What a rule needs

  /// Whether the page itself says where the next one is. If so, an empty page may have a next one.
  var isToldByPage: Bool {
    switch self {
    case .link, .pointer, .cursor, .cursorHeader, .cursorBody, .graphql: true
    case .page, .offset, .lastID, .maxID, .searchAfter: false
    }
  }

  /// The parameter, or the member of the body, that the rule sets.
  /// - Parameter request: the first request.
  func parameter(of request: PageRequest) -> [UInt8]? {
    switch self {
    case .page(let name, _), .offset(let name, _), .cursor(let name, _), .lastID(let name), .maxID(let name): name
    case .cursorBody(let into, _): into.tokens.last
    case .graphql: try? GraphQLCursor.variable(of: request)
    case .link, .pointer, .cursorHeader, .searchAfter: nil
    }
  }

  var needsIDs: Bool {
    switch self {
    case .lastID, .maxID: true
    case .link, .pointer, .page, .offset, .cursor, .cursorHeader, .cursorBody, .searchAfter, .graphql: false
    }
  }

  /// Whether the cursor goes into a JSON body. If so, the request must have one.
  var needsBody: Bool {
    switch self {
    case .cursorBody, .searchAfter, .graphql: true
    case .link, .pointer, .page, .offset, .cursor, .cursorHeader, .lastID, .maxID: false
    }
  }

  /// Solr repeats the cursor of the last page, even with items.
  var endsWithSameCursor: Bool {
    if case .cursor(let name, _) = self { return name == Array("cursorMark".utf8) }
    return false
  }

  // MARK: Parsing

  /// Divides `NAME@START`; without a start, it is nil.
  private static func counter(
    _ argument: ArraySlice<UInt8>, _ form: String
  ) throws(Problem) -> (name: [UInt8], start: DecimalText?) {
    guard let mark = argument.lastIndex(of: UInt8(ascii: "@")) else { return (try name(argument, form), nil) }
    guard let start = DecimalText(Array(argument[(mark + 1)...])), !start.isNegative else {
      throw Problem(expected: form)
    }
    return (try name(argument[..<mark], form), start)
  }

  private static func name(_ text: ArraySlice<UInt8>, _ form: String) throws(Problem) -> [UInt8] {
    if text.isEmpty { throw Problem(expected: form) }
    return Array(text)
  }

  /// Divides `NAME=/POINTER`; the name may contain an equals sign, but not before a slash.
  private static func assignment(
    _ text: ArraySlice<UInt8>, _ form: String
  ) throws(Problem) -> (name: [UInt8], pointer: JSONPointer) {
    let sign = text.indices.first { index in
      text[index] == UInt8(ascii: "=") && index + 1 < text.endIndex && text[index + 1] == UInt8(ascii: "/")
    }
    guard let sign else { throw Problem(expected: form) }
    return (try name(text[..<sign], form), try pointer(text[(sign + 1)...], form))
  }

  private static func pointer(_ text: ArraySlice<UInt8>, _ form: String) throws(Problem) -> JSONPointer {
    do throws(JSONPointer.Problem) { return try JSONPointer(Array(text)) } catch {
      throw Problem(expected: "\(form) (\(error.message))")
    }
  }
}
