// How to recognise well-known APIs. A convention applies if all of its signs are on a page. It may then say how to ask
// for the next page, because the names of the API's parameters are documented. Nothing undocumented is guessed.
//
// The rows are in `Conventions.swift`. Each has a sample in Tests/Fixtures/paginate/apis, and no page of a sample may fit
// the row of another API.

import FeedCore
import FeedHTTP

/// A documented way of paging.
struct Convention: Sendable {
  /// The name of the API, for `-v`.
  let api: String
  /// What must be true of the first page:
  ///
  ///     /a/b            there is a value at this JSON Pointer
  ///     !/a/b           there is none
  ///     /a/b=TEXT       it is this string, or this JSON text
  ///     header:NAME     the response has this header
  let signs: [String]
  /// Values of `--next`, with a space between them. `{scroll}` is that parameter of the first URL, and `{body}` is
  /// `body:/` if the request has a JSON body, else nothing.
  let next: String
  /// A value of `--items`, if another array could be mistaken for the items.
  var items: String?
  var total: String?
  var id: String?
  var hasMore: String?
  /// Whether the request must have a JSON body; nil if it does not matter.
  var isInBody: Bool?

  init(
    _ api: String, _ signs: [String], _ next: String, items: String? = nil, total: String? = nil, id: String? = nil,
    hasMore: String? = nil, isInBody: Bool? = nil
  ) {
    (self.api, self.signs, self.next) = (api, signs, next)
    (self.items, self.total, self.id, self.hasMore, self.isInBody) = (items, total, id, hasMore, isInBody)
  }

  /// - Parameter isInBody: whether the request has a JSON object as its body.
  func applies(to root: JSONValue, _ head: HTTPHead?, isInBody: Bool) -> Bool {
    if let wanted = self.isInBody, wanted != isInBody { return false }
    return signs.allSatisfy { Self.holds($0, root, head) }
  }

  /// A sign with text is compared by its decoded string, or by its token: `/ok=true`.
  private static func holds(_ sign: String, _ root: JSONValue, _ head: HTTPHead?) -> Bool {
    if sign.hasPrefix(header) { return head?.value(of: String(sign.dropFirst(header.count))) != nil }
    let (place, text) = parts(of: sign)
    let value = value(place, root)
    if sign.hasPrefix("!") { return value == nil }
    guard let value, let text else { return value != nil }
    // An empty object may have white space in it.
    return (value.string ?? value.text.filter { !$0.isWhiteSpace }).elementsEqual(text.utf8)
  }

  private static let header = "header:"

  /// The pointer of a sign that is no header, and the text that must be there.
  static func parts(of sign: String) -> (place: String, text: String?) {
    let parts = sign.split(separator: "=", maxSplits: 1).map(String.init)
    return (parts[0].hasPrefix("!") ? String(parts[0].dropFirst()) : parts[0], parts.count > 1 ? parts[1] : nil)
  }

  /// `'isLast'`, `/meta/next_token`, `'object' is 'list'`.
  private static func shown(_ sign: String) -> String {
    if sign.hasPrefix(header) { return "the header '\(sign.dropFirst(header.count))'" }
    let (place, text) = parts(of: sign)
    let name = place.dropFirst().contains("/") ? place : "'\(place.dropFirst())'"
    return text.map { "\(name) is '\($0)'" } ?? name
  }

  /// `Jira ('issues' and 'isLast')`.
  var reason: String {
    let words = signs.filter { !$0.hasPrefix("!") }.map(Self.shown)
    let list =
      words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
    return "\(api) (\(list))"
  }

  /// The rules; tests check that they are some.
  /// - Parameter isInBody: whether the request has a JSON object as its body.
  func rules(of request: PageRequest, isInBody: Bool) -> NextRules {
    let time = QueryString(request.url).value(of: Array("scroll".utf8)) ?? Array("1m".utf8)
    let text = next.replacing("{scroll}", with: String(decoding: time, as: UTF8.self))
      .replacing("{body}", with: isInBody ? "body:/" : "")
    return NextRules(text.split(separator: " ").compactMap { try? NextRule.parse(Array($0.utf8)) })
  }

  /// The value at a pointer from the tables.
  static func value(_ pointer: String, _ root: JSONValue) -> JSONValue? { root.value(at: Self.pointer(pointer)) }

  /// A pointer from the tables; tests check them.
  static func pointer(_ text: String) -> JSONPointer { (try? JSONPointer(Array(text.utf8))) ?? JSONPointer() }
}
