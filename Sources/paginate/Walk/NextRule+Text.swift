// The text of a rule: the value of `--next`, as typed, stored and shown.

import FeedCore

extension NextRule {
  /// Invalid text: what was expected instead, for `OptionRefusal.expected`.
  struct Problem: Error, Equatable, Sendable {
    let expected: String
  }

  static let forms =
    "none, link, a JSON Pointer, page:NAME[@START], offset:NAME[@START], cursor:NAME=POINTER, cursor:NAME=header:FIELD, "
    + "cursor-header:NAME=POINTER, cursor-header:NAME=header:FIELD, cursor-body:POINTER=POINTER, params:POINTER, "
    + "post:PATH:POINTER=POINTER, last-id:NAME, max-id:NAME, search-after, scroll or graphql"

  /// The beginnings of rules, for completions.
  static let beginnings = [
    "none", "link", "page:", "offset:", "cursor:", "cursor-header:", "cursor-body:", "params:", "post:", "last-id:",
    "max-id:", "search-after", "scroll", "graphql",
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
    case "none" where !hasArgument: self = .onlyPage
    case "link" where !hasArgument: self = .link
    case "search-after" where !hasArgument: self = .searchAfter
    case "scroll" where !hasArgument: self = .scroll
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
      let (name, place) = try Self.assignedPlace(argument, "cursor:NAME")
      self = .cursor(name: name, place)
    case "cursor-header":
      let (name, place) = try Self.assignedPlace(argument, "cursor-header:NAME")
      guard name.allSatisfy(\.isTokenByte) else {
        throw Problem(expected: "cursor-header:NAME=POINTER with the name of a header")
      }
      self = .cursorHeader(name: name, place)
    case "cursor-body":
      let (into, from) = try Self.assignment(argument, "cursor-body:POINTER=POINTER")
      self = .cursorBody(try Self.pointer(into[...], "cursor-body:POINTER=POINTER"), from)
    case "params":
      guard argument.first == UInt8(ascii: "/") else { throw Problem(expected: "params:POINTER") }
      self = .parameters(try Self.pointer(argument, "params:POINTER"))
    case "post": self = try Self.post(argument)
    default: throw Problem(expected: Self.forms)
    }
  }

  /// The rule as an option value.
  var text: [UInt8] {
    func joined(_ kind: String, _ left: [UInt8], _ right: [UInt8]? = nil) -> [UInt8] {
      Array(kind.utf8) + left + (right.map { [UInt8(ascii: "=")] + $0 } ?? [])
    }
    return switch self {
    case .onlyPage: Array("none".utf8)
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
    case .cursor(let name, let place): joined("cursor:", name, place.text)
    case .cursorHeader(let name, let place): joined("cursor-header:", name, place.text)
    case .cursorBody(let into, let from): joined("cursor-body:", into.text, from.text)
    case .parameters(let pointer): joined("params:", pointer.text)
    case .post(let path, let into, let from): joined("post:", path + [UInt8(ascii: ":")] + into.text, from.text)
    case .lastID(let name): joined("last-id:", name)
    case .maxID(let name): joined("max-id:", name)
    case .searchAfter: Array("search-after".utf8)
    case .scroll: Array("scroll".utf8)
    case .graphql: Array("graphql".utf8)
    }
  }

  // MARK: Parts

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
    guard let sign = text.firstIndex(ofAssignmentTo: "/") else { throw Problem(expected: form) }
    return (try name(text[..<sign], form), try pointer(text[(sign + 1)...], form))
  }

  /// Divides `NAME=/POINTER` or `NAME=header:FIELD`.
  private static func assignedPlace(
    _ text: ArraySlice<UInt8>, _ left: String
  ) throws(Problem) -> (name: [UInt8], place: CursorPlace) {
    let header = text.firstIndex(ofAssignmentTo: CursorPlace.headerPrefix)
    if let sign = header, text.firstIndex(ofAssignmentTo: "/").map({ sign < $0 }) ?? true {
      let form = "\(left)=header:FIELD with the name of a header"
      let field = text[(sign + 1 + CursorPlace.headerPrefix.utf8.count)...]
      guard !field.isEmpty, field.allSatisfy(\.isTokenByte) else { throw Problem(expected: form) }
      return (try name(text[..<sign], form), .header(Array(field)))
    }
    guard text.firstIndex(ofAssignmentTo: "/") != nil else {
      throw Problem(expected: "\(left)=POINTER or \(left)=header:FIELD")
    }
    let (name, pointer) = try assignment(text, "\(left)=POINTER")
    return (name, .body(pointer))
  }

  /// `/PATH:/POINTER=/POINTER`. A path on the same server, so that no rule leads elsewhere.
  private static func post(_ text: ArraySlice<UInt8>) throws(Problem) -> NextRule {
    let form = "post:PATH:POINTER=POINTER"
    let (left, from) = try assignment(text, form)
    let colon = left.indices.last { index in
      left[index] == UInt8(ascii: ":") && index + 1 < left.count && left[index + 1] == UInt8(ascii: "/")
    }
    guard let colon, left.first == UInt8(ascii: "/"), !left.starts(with: "//".utf8) else {
      throw Problem(expected: "\(form) with a path that begins with one '/'")
    }
    return .post(path: Array(left[..<colon]), try pointer(left[(colon + 1)...], form), from)
  }

  private static func pointer(_ text: ArraySlice<UInt8>, _ form: String) throws(Problem) -> JSONPointer {
    do throws(JSONPointer.Problem) { return try JSONPointer(Array(text)) } catch {
      throw Problem(expected: "\(form) (\(error.message))")
    }
  }
}

extension NextRule.CursorPlace {
  fileprivate static let headerPrefix = "header:"

  fileprivate var text: [UInt8] {
    switch self {
    case .body(let pointer): pointer.text
    case .header(let name): Array(Self.headerPrefix.utf8) + name
    }
  }
}

extension ArraySlice<UInt8> {
  /// The first equals sign before `text`.
  fileprivate func firstIndex(ofAssignmentTo text: String) -> Int? {
    indices.first { self[$0] == UInt8(ascii: "=") && self[($0 + 1)...].starts(with: text.utf8) }
  }
}
