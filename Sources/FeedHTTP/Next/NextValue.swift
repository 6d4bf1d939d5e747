// The value that a rule finds in a response. What counts as no value is decided here, and nowhere else.

import FeedCore

/// Why a walk cannot go on, or why there is no next request although there should be one. Who is at fault depends on
/// where the responses come from, so the exit status is chosen only when the error ends the tool.
package struct NextError: Error, Equatable, Sendable {
  package enum Kind: Sendable {
    /// The rules do not fit the request.
    case usage
    /// The response does not fit the rules.
    case response
    /// The response says itself that it failed, wherever it comes from.
    case failed
  }

  package let kind: Kind
  /// Lower case, no full stop, without secrets.
  package let message: String
  /// Offset in the response's body, in bytes; nil if an offset would not help.
  package var offset: Int?

  /// The command line and the API do not fit together.
  package static func usage(_ message: String) -> NextError {
    NextError(kind: .usage, message: message, offset: nil)
  }

  /// A response is not as expected, or leads where a walk must not go.
  package static func response(_ message: String, at offset: Int? = nil) -> NextError {
    NextError(kind: .response, message: message, offset: offset)
  }

  /// A response says that it failed.
  package static func failed(_ message: String) -> NextError {
    NextError(kind: .failed, message: message, offset: nil)
  }

  package var isUsage: Bool { kind == .usage }
}

/// A response, with its request.
package struct NextResponse {
  /// Nil if it comes from a file.
  package let head: HTTPHead?
  /// The JSON of the body.
  package let root: JSONValue
  /// The request for the response, and the first one.
  package let request: PageRequest
  package let first: PageRequest
  /// The URL that the response came from, after redirects; nil if unknown.
  package let url: HTTPURL?
  /// The number of items on the page.
  package let count: Int
  /// The item at an index, and its id if that is known.
  package let item: (Int) -> (value: JSONValue, id: [UInt8]?)

  package init(
    head: HTTPHead?, root: JSONValue, request: PageRequest, first: PageRequest, url: HTTPURL?, count: Int,
    item: @escaping (Int) -> (value: JSONValue, id: [UInt8]?)
  ) {
    (self.head, self.root, self.request, self.first) = (head, root, request, first)
    (self.url, self.count, self.item) = (url, count, item)
  }
}

extension NextResponse {
  /// A body, a line or a message that is no page.
  /// - Parameter items: where its items are; nil if it is the array itself, or the only item.
  package init(head: HTTPHead?, root: JSONValue, request: PageRequest, url: HTTPURL?, items: JSONPointer?) {
    let found = items.map { root.value(at: $0) } ?? root
    let list = found.map { $0.kind == .array ? $0.children.map(\.value) : items == nil ? [$0] : [] } ?? []
    self.init(
      head: head, root: root, request: request, first: request, url: url, count: list.count, item: { (list[$0], nil) })
  }
}

/// A value for a part of the next request.
package enum NextValue {
  case json(JSONValue)
  case text([UInt8])
  /// As written in JSON.
  case number([UInt8])

  /// The bytes outside of a body; nil for what has none: an object, an array, a boolean.
  package var text: [UInt8]? {
    switch self {
    case .json(let value): JSONText.scalar(value)
    case .text(let text), .number(let text): text
    }
  }

  /// The value in a body: its type is kept.
  var tree: JSONTree {
    switch self {
    case .json(let value): JSONTree(value)
    case .text(let text): JSONText.string(text)
    case .number(let text): JSONTree(JSONDocument(known: text).root)
    }
  }
}

extension JSONValue {
  /// Whether a value says that there is nothing: `null`, `false`, an empty text or object.
  package var isNothing: Bool {
    switch kind {
    case .null, .false: true
    case .string, .escapedString: string?.isEmpty == true
    case .object: !children.contains { _ in true }
    case .true, .number, .array: false
    }
  }

  /// The text of an element of XML that has attributes, which xml-split --as-json writes as an object: its member
  /// `#text`. Any other value is itself.
  package var elementText: JSONValue { member("#text") ?? self }

  /// Whether it is such an element without a text. Attributes are strings.
  fileprivate var isEmptyElement: Bool {
    kind == .object && children.allSatisfy { $0.key?.string?.first == UInt8(ascii: "@") && $0.value.kind.isString }
  }
}

extension NextRule {
  /// The value of a response; nil if it has none.
  func value(in response: NextResponse) throws(NextError) -> NextValue? {
    switch source {
    case .place(let place, let shift):
      return try shifted(scalar(Self.value(at: place, of: response.root, response.head)), shift, at: place)
    case .item(let pick, let pointer, let shift): return try Self.picked(pick, pointer, shift, response)
    case .counted(let counter):
      let number = try number(in: response.request, counter.first)
      return .number((number + (counter.step ?? pageSize(response))).text)
    case .link:
      return response.head.flatMap { LinkHeader.target(of: "next", in: $0, page: response.url) }.map { .text($0) }
    case .same: return nil
    case .constant(let text):
      guard case .body = target else { return .text(text) }
      do { return .json(try JSONDocument(parsing: text).root) } catch {
        throw .usage("option '--next': \(error.message)")
      }
    }
  }

  /// The value at a place of a response; nil if there is none.
  package static func value(at place: ResponsePlace, of root: JSONValue, _ head: HTTPHead?) -> NextValue? {
    switch place {
    case .body(let pointer): root.value(at: pointer).flatMap { $0.isNothing ? nil : .json($0) }
    case .header(let name):
      head?.value(ofField: name).flatMap { $0.isEmpty ? nil : .text($0) }
    }
  }

  /// The text of a value that is an element of XML; nil if it has none. A link may be in an attribute.
  private func scalar(_ value: NextValue?) -> NextValue? {
    guard target != .url, case .json(let json) = value, json.kind == .object else { return value }
    let text = json.elementText
    return text.isNothing || text.isEmptyElement ? nil : .json(text)
  }

  private func shifted(
    _ value: NextValue?, _ shift: DecimalText?, at place: ResponsePlace
  ) throws(NextError) -> NextValue? {
    guard let shift, let value else { return value }
    guard let number = value.text.flatMap({ DecimalText($0) }) else {
      let shown =
        if case .body(let pointer) = place { pointer.shown } else { String(decoding: place.text, as: UTF8.self) }
      throw .response("expected a whole number at \(shown) (--next)", at: 0)
    }
    return .number(number.shifted(by: shift).text)
  }

  // MARK: Items

  private static func picked(
    _ pick: Pick, _ pointer: JSONPointer?, _ shift: DecimalText?, _ response: NextResponse
  ) throws(NextError) -> NextValue? {
    guard response.count > 0 else { return nil }
    if pick == .last {
      let found = try value(of: response.count - 1, pointer, response)
      return shift == nil ? found.value : .number(try number(found.value, shift, at: found.place).text)
    }
    var best: (value: NextValue, number: DecimalText?, text: [UInt8])?
    for index in 0..<response.count {
      let (value, place) = try value(of: index, pointer, response)
      guard let text = value.text else {
        throw .response("item \(index + 1): expected a string or a number (--next \(pick.rawValue))", at: place)
      }
      let number = DecimalText(text)
      if number == nil, shift != nil {
        throw .response(
          "item \(index + 1): the \(pointer == nil ? "id" : "value") is not a whole number, which --next needs",
          at: place)
      }
      guard let old = best else {
        best = (value, number, text)
        continue
      }
      let isLess =
        if let number, let other = old.number { number < other } else { text.lexicographicallyPrecedes(old.text) }
      let isSame = text == old.text
      if pick == .min ? isLess : !isLess && !isSame { best = (value, number, text) }
    }
    guard let best else { return nil }
    guard let shift, let number = best.number else { return best.value }
    return .number(number.shifted(by: shift).text)
  }

  private static func number(
    _ value: NextValue, _ shift: DecimalText?, at place: Int
  ) throws(NextError) -> DecimalText {
    guard let shift, let number = value.text.flatMap({ DecimalText($0) }) else {
      throw .response("the last item has no whole number, which --next needs", at: place)
    }
    return number.shifted(by: shift)
  }

  /// The value of an item, and where the item is.
  private static func value(
    of index: Int, _ pointer: JSONPointer?, _ response: NextResponse
  ) throws(NextError) -> (value: NextValue, place: Int) {
    let (item, id) = response.item(index)
    let place = item.range.lowerBound
    if let pointer {
      guard let value = item.value(at: pointer), !value.isNothing else {
        throw .response("item \(index + 1): nothing at \(pointer.shown) (--next)", at: place)
      }
      return (.json(value), place)
    }
    if JSONText.scalar(item) != nil { return (.json(item), place) }
    guard let id else {
      throw .usage("the id of an item is not known: type --id-from /POINTER, or --next NAME=last:/POINTER")
    }
    return (.text(id), place)
  }

  // MARK: Numbers

  /// The number in a request.
  /// - Parameter start: the number of the first page or item, if the request has none.
  package func number(in request: PageRequest, _ start: DecimalText) throws(NextError) -> DecimalText {
    guard let text = try text(in: request) else { return start }
    guard let number = DecimalText(text), !number.isNegative else {
      // The value is not quoted: a part of a request may be a secret.
      throw .usage("option '--next': expected a whole number at '\(quoted(self.target.text))' in the first request")
    }
    return number
  }

  // MARK: Page sizes

  /// The names of limits in APIs with offsets. To set a parameter, its name is never guessed; here one is only read.
  private static let sizeNames: Set<String> = [
    "limit", "per_page", "perpage", "per-page", "page_size", "pagesize", "page-size", "page[size]", "page[limit]",
    "size", "count", "rows", "maxresults", "max_results", "max-results", "$top", "length", "first", "take",
  ]

  /// The page size: the limit beside the target, in the query or the body, or the smaller one that the page says the
  /// server has used; else the number of items on the page.
  private func pageSize(_ response: NextResponse) -> DecimalText {
    let limits = parameters(in: response.request).lazy.filter { Self.isSize($0.name) }
      .compactMap { name, value in DecimalText(value).map { (name: name, value: $0) } }
    guard let (name, asked) = limits.first(where: { DecimalText(0) < $0.value }) else {
      return DecimalText(response.count)
    }
    let said = response.root.member(name) ?? response.root.member("itemsPerPage")  // SCIM
    guard let used = said.flatMap(JSONText.scalar).flatMap({ DecimalText($0) }),
      DecimalText(0) < used, used < asked
    else { return asked }
    return used
  }

  private static func isSize(_ name: [UInt8]) -> Bool {
    let key = String(decoding: name, as: UTF8.self).lowercased()
    return sizeNames.contains(key) || key.hasSuffix("_limit") || key == "$limit"
  }

  /// The parameters beside the target.
  private func parameters(in request: PageRequest) -> [(name: [UInt8], value: [UInt8])] {
    guard case .body(let pointer) = target, !pointer.tokens.isEmpty else { return QueryString(request.url).pairs }
    let body = request.body.flatMap { try? JSONDocument(parsing: $0) }?.root
    let object = body?.value(at: pointer.prefix(pointer.tokens.count - 1))
    return object?.children.compactMap { child in
      guard let name = child.key?.string, let value = JSONText.scalar(child.value) else { return nil }
      return (name, value)
    } ?? []
  }
}

/// Small conversions between JSON values and the texts in a request.
package enum JSONText {
  /// A string as a tree, to insert into another.
  package static func string(_ bytes: [UInt8]) -> JSONTree {
    var output = ByteWriter()
    JSONString.write(bytes, to: &output)
    return JSONTree(JSONDocument(known: output.take()).root)
  }

  /// The text of an edited document; the rest of it is unchanged.
  package static func edited(_ tree: JSONTree, of document: JSONDocument) -> [UInt8] {
    if tree.untouched != nil { return document.bytes }
    var output = ByteWriter()
    JSONVerbatimWriter(of: document).write(tree, to: &output)
    return output.take()
  }

  /// The text of a string, or the token of a number; nil for anything else.
  package static func scalar(_ value: JSONValue) -> [UInt8]? {
    switch value.kind {
    case .number: value.text
    case .string, .escapedString: JSONString.decoded(value)
    case .null, .true, .false, .array, .object: nil
    }
  }
}

extension JSONValue {
  /// `null`; an absent member is nil instead.
  package var isNull: Bool { kind == .null }
}
