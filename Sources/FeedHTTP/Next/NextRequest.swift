// From a response to the next request: the first request with the targets of the rules set. All other bytes of its URL and
// its body stay as the user wrote them.

import FeedCore

/// What the rules found in a response.
package struct NextStep {
  /// A URL or a reference, as written in the response; nil for the URL of the first request.
  package let reference: [UInt8]?
  /// What else is set, in this order. A value of the first request is nil here.
  fileprivate let settings: [(rule: NextRule, value: NextValue?)]
  /// A number or cursor: the same again may be the end.
  package let deciding: [UInt8]

  /// The next request.
  /// - Parameters:
  ///   - url: where the reference leads; nil without one.
  ///   - sendsSecrets: whether values of the first request may be sent there.
  ///   - keepsMethod: whether the method was typed, so that a body does not change it.
  package func request(
    from first: PageRequest, at url: [UInt8]?, sendsSecrets: Bool, keepsMethod: Bool
  ) throws(NextError) -> PageRequest {
    var next = first
    if let url { next.url = url }
    for (rule, value) in settings {
      if let value {
        try rule.set(value, in: &next)
      } else if sendsSecrets {
        try rule.copy(from: first, to: &next)
      } else {
        try rule.withhold(from: &next)
      }
    }
    if next.body != nil, first.body == nil, !keepsMethod { next.method = "POST" }
    return next
  }
}

extension NextRules {
  /// What comes after a response; nil if it has no value for the rule that decides.
  package func step(after response: NextResponse) throws(NextError) -> NextStep? {
    var found: (rule: NextRule, value: NextValue)?
    for rule in alternatives {
      if let value = try rule.value(in: response) {
        found = (rule, value)
        break
      }
    }
    guard let found else { return nil }
    var reference: [UInt8]?
    var settings: [(rule: NextRule, value: NextValue?)] = []
    for rule in rules {
      let value: NextValue?
      if rule.moves, rule.target == found.rule.target {
        guard rule == found.rule else { continue }
        value = found.value
      } else {
        value = try rule.value(in: response)
        if value == nil, rule.source != .same { continue }
      }
      if rule.target == .url, let value {
        reference = try rule.link(value, response)
        if reference == nil { return nil }
      } else {
        settings.append((rule, value))
      }
    }
    return NextStep(reference: reference, settings: settings, deciding: found.value.text ?? found.value.tree.bytes)
  }
}

extension JSONTree {
  /// The text on one line, without white space between the tokens.
  package var bytes: [UInt8] {
    var output = ByteWriter()
    JSONWriter.writeCompact(self, to: &output)
    return output.take()
  }
}

extension NextRule {
  // MARK: Reading

  /// The text at the target of a request; nil if it has none.
  package func text(in request: PageRequest) throws(NextError) -> [UInt8]? {
    switch target {
    case .query(let name): QueryString(request.url).value(of: name)
    case .header(let name):
      request.headers.first { $0.name.lowercased.elementsEqual(name.lowercased) }?.value
    case .body(let pointer):
      try Self.document(of: request, target).root.value(at: pointer).flatMap { $0.isNull ? nil : $0 }
        .flatMap(JSONText.scalar)
    case .path(let number):
      try segment(number, of: request.url).digits.map { Array(request.url[$0]) }
    case .url, .all: nil
    }
  }

  // MARK: Setting

  /// The request with another value at the target.
  package func setting(_ value: NextValue, in request: PageRequest) throws(NextError) -> PageRequest {
    var next = request
    if target == .url { next.url = value.text ?? next.url }
    try set(value, in: &next)
    return next
  }

  /// The request with another number at the target.
  package func setting(_ number: DecimalText, in request: PageRequest) throws(NextError) -> PageRequest {
    try setting(.number(number.text), in: request)
  }

  fileprivate func set(_ value: NextValue, in request: inout PageRequest) throws(NextError) {
    switch target {
    case .body(let pointer): try set(value.tree, at: pointer, in: &request)
    case .all: try setAll(value, in: &request)
    case .query(let name):
      let text = try text(of: value)
      var url = QueryString(request.url)
      // A server that repeats a cursor means the same request, however the user has encoded it.
      if url.value(of: name) != text { url.set(name, to: text) }
      request.url = url.text
    case .header(let name): request.setHeader(name, to: try header(name, of: value))
    case .path(let number):
      let text = try text(of: value)
      let place = try segment(number, of: request.url)
      if case .number = value, let digits = place.digits {
        request.url.replaceSubrange(digits, with: text)
      } else {
        request.url.replaceSubrange(place.whole, with: text.percentEncoded())
      }
    case .url: break
    }
  }

  /// - Throws: if the value cannot be sent there.
  func check(_ value: NextValue) throws(NextError) {
    switch target {
    case .query, .path: _ = try text(of: value)
    case .header(let name): _ = try header(name, of: value)
    case .all:
      var request = PageRequest(url: [])
      try setAll(value, in: &request)
    case .body, .url: break
    }
  }

  private func header(_ name: [UInt8], of value: NextValue) throws(NextError) -> [UInt8] {
    let text = try text(of: value)
    if isSendable(text) { return text }
    throw .response("the value for the header '\(quoted(name))' has a control character (--next)", at: 0)
  }

  private func text(of value: NextValue) throws(NextError) -> [UInt8] {
    if let text = value.text { return text }
    guard case .json(let json) = value else { return [] }
    throw unexpected("a string or a number", json)
  }

  private func unexpected(_ what: String, _ value: JSONValue) -> NextError {
    let place = if case .body(let pointer) = place { " at \(pointer.shown)" } else { "" }
    return .response("expected \(what)\(place), found \(value.kind.name) (--next)", at: value.range.lowerBound)
  }

  /// Copies a value of the first request to one that a link has made.
  fileprivate func copy(from first: PageRequest, to request: inout PageRequest) throws(NextError) {
    switch target {
    case .query(let name):
      let values = QueryString(first.url).values(of: name)
      guard let one = values.first else { return }
      var url = QueryString(request.url)
      if url.values(of: name).isEmpty {
        for value in values { url.append(name.percentDecoded, value) }
      } else if url.value(of: name) != one {
        url.set(name, to: one)
      }
      request.url = url.text
    case .body(let pointer):
      guard let value = try Self.document(of: first, target).root.value(at: pointer) else { return }
      try set(JSONTree(value), at: pointer, in: &request)
    case .path(let number):
      let (there, here) = (try segment(number, of: first.url).whole, try segment(number, of: request.url).whole)
      request.url.replaceSubrange(here, with: first.url[there])
    case .header, .url, .all: break
    }
  }

  /// Takes a value of the first request out of a body that goes to another host. The URL there is that of the link.
  fileprivate func withhold(from request: inout PageRequest) throws(NextError) {
    guard case .body(let pointer) = target, request.body != nil else { return }
    let document = try Self.document(of: request, target)
    guard document.root.value(at: pointer) != nil else { return }
    var tree = JSONTree(document.root)
    guard (try? tree.remove(at: pointer)) != nil else { return }
    request.body = JSONText.edited(tree, of: document)
  }

  // MARK: Bodies

  private func set(_ value: JSONTree, at pointer: JSONPointer, in request: inout PageRequest) throws(NextError) {
    guard !pointer.tokens.isEmpty else {
      request.body = value.bytes
      return
    }
    let document = try Self.document(of: request, target)
    var tree = JSONTree(document.root)
    // `"variables":null` counts as absent.
    if pointer.tokens.count > 1, document.root.value(at: pointer.prefix(1))?.isNull == true {
      _ = try? tree.replace(at: pointer.prefix(1), with: .emptyObject)
    }
    do { _ = try tree.add(value, at: pointer, makingParents: true) } catch {
      throw .usage("the body (--data) has no place for \(pointer.shown): \(error.message)")
    }
    request.body = JSONText.edited(tree, of: document)
  }

  private static func document(of request: PageRequest, _ target: Target) throws(NextError) -> JSONDocument {
    guard let body = request.body else {
      throw .usage("'\(quoted(target.text))' needs a JSON body: type -d '{}' -H 'Content-Type: application/json'")
    }
    do { return try JSONDocument(parsing: body) } catch {
      throw .usage("the body (--data) must be JSON: \(error.message)")
    }
  }

  /// - Throws: if the rules need a body that the first request does not have.
  package static func check(_ rules: NextRules, _ first: PageRequest) throws(NextError) {
    let makesBody = rules.rules.contains {
      if case .body(let pointer) = $0.target { pointer.tokens.isEmpty } else { false }
    }
    for rule in rules.rules {
      switch rule.target {
      case .body(let pointer) where !pointer.tokens.isEmpty && !makesBody: _ = try document(of: first, rule.target)
      case .path(let number): _ = try rule.segment(number, of: first.url)
      case .query, .body, .header, .url, .all: break
      }
    }
  }

  // MARK: Several parameters

  /// The members of an object as parameters (MediaWiki). Those of earlier pages do not stay.
  private func setAll(_ value: NextValue, in request: inout PageRequest) throws(NextError) {
    guard case .json(let object) = value else { return }
    guard object.kind == .object else { throw unexpected("an object", object) }
    var pairs: [(name: [UInt8], value: [UInt8])] = []
    for child in object.children {
      guard let name = child.key?.string, let value = JSONText.scalar(child.value) else {
        throw unexpected("an object of strings and numbers", child.value)
      }
      pairs.append((name, value))
    }
    var url = QueryString(request.url)
    url.set(pairs)
    request.url = url.text
  }

  // MARK: Paths

  /// The place of a segment of the path, and that of its first digits.
  private func segment(_ number: Int, of url: [UInt8]) throws(NextError) -> (whole: Range<Int>, digits: Range<Int>?) {
    let slash = UInt8(ascii: "/")
    let end = url.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.count
    let authority = url.firstIndex(of: slash).map { $0 + 2 } ?? 0
    var segments: [Range<Int>] = []
    var start = url[min(authority, end)..<end].firstIndex(of: slash)
    while let slashIndex = start {
      let stop = url[(slashIndex + 1)..<end].firstIndex(of: slash) ?? end
      segments.append((slashIndex + 1)..<stop)
      start = stop < end ? stop : nil
    }
    let index = number > 0 ? number - 1 : segments.count + number
    guard segments.indices.contains(index) else {
      throw .usage("option '--next': the path of the URL has no segment \(number)")
    }
    let whole = segments[index]
    let first = url[whole].firstIndex(where: \.isDigit)
    let digits = first.map { $0..<(url[$0..<whole.upperBound].firstIndex { !$0.isDigit } ?? whole.upperBound) }
    return (whole, digits)
  }
}

// MARK: - Links

extension NextRule {
  /// The members of an object that may hold a link's URL: usually `href`; then HubSpot, FHIR and Asana, in that order, and
  /// Atom and others as xml-split --as-json writes them.
  private static let linkNames = ["href", "link", "url", "uri", "@href", "#text"]

  /// The URL of a value: a text, an object with `href`, or the object with relation `next` in an array of links.
  func link(_ value: NextValue, _ response: NextResponse) throws(NextError) -> [UInt8]? {
    guard case .json(let json) = value, case .place(.body(let pointer), _) = source else { return value.text }
    return try Self.link(json, at: pointer, of: response.root)
  }

  /// - Returns: nil if the link is empty, or no link of a list leads on.
  package static func link(at pointer: JSONPointer, of root: JSONValue) throws(NextError) -> [UInt8]? {
    guard let value = root.value(at: pointer), !value.isNothing else { return nil }
    return try link(value, at: pointer, of: root)
  }

  private static func link(
    _ value: JSONValue, at pointer: JSONPointer, of root: JSONValue
  ) throws(NextError) -> [UInt8]? {
    var value = value
    let place = value.range.lowerBound
    if value.kind == .array {
      guard let next = value.children.first(where: { isNext($0.value) }) else { return nil }
      value = next.value
    }
    if value.kind == .object {
      // The only link of Atom may be another one.
      if value.member("@rel") != nil, !isNext(value) { return nil }
      guard let inner = linkNames.lazy.compactMap({ value.member($0) }).first else {
        throw .response("no member 'href' at \(pointer.shown) (--next)", at: place)
      }
      value = inner
    }
    if value.kind == .null || value.kind == .false { return nil }
    guard let text = value.string else {
      throw .response("expected a URL at \(pointer.shown), found \(value.kind.name) (--next)", at: place)
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
  package static func isNext(_ link: JSONValue) -> Bool {
    guard let relation = (link.member("rel") ?? link.member("relation") ?? link.member("@rel"))?.string else {
      return false
    }
    return relation.elementsEqual("next".utf8)
  }
}
