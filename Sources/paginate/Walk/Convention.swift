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
  /// Values of `--next`, with a space between them. `{scroll}` is that parameter of the first URL.
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

  func applies(to root: JSONValue, _ head: HTTPHead?, isInBody: Bool) -> Bool {
    if let wanted = self.isInBody, wanted != isInBody { return false }
    return signs.allSatisfy { PlainSign($0).isOn(root, head) }
  }

  /// `Jira ('issues' and 'isLast')`.
  var reason: String {
    let words = signs.filter { !$0.hasPrefix("!") }.map { PlainSign($0).shown }
    let list =
      words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
    return "\(api) (\(list))"
  }

  /// The rules; tests check that they are some.
  func rules(of request: PageRequest) -> NextRules {
    let time = QueryString(request.url).value(of: Array("scroll".utf8)) ?? Array("1m".utf8)
    let text = next.replacing("{scroll}", with: String(decoding: time, as: UTF8.self))
    return NextRules(text.split(separator: " ").compactMap { try? NextRule.parse(Array($0.utf8)) })
  }

  static func value(_ pointer: String, _ root: JSONValue) -> JSONValue? { root.value(at: Self.pointer(pointer)) }

  /// A pointer from the tables; tests check them.
  static func pointer(_ text: String) -> JSONPointer { (try? JSONPointer(Array(text.utf8))) ?? JSONPointer() }

  /// One sign, taken apart.
  struct PlainSign {
    enum Wanted: Equatable { case present, absent, text(String), header }
    /// A pointer, or the name of a header.
    let place: String
    let wanted: Wanted

    init(_ sign: String) {
      if sign.hasPrefix("header:") {
        (place, wanted) = (String(sign.dropFirst("header:".count)), .header)
      } else if sign.hasPrefix("!") {
        (place, wanted) = (String(sign.dropFirst()), .absent)
      } else if let equals = sign.firstIndex(of: "=") {
        (place, wanted) = (String(sign[..<equals]), .text(String(sign[sign.index(after: equals)...])))
      } else {
        (place, wanted) = (sign, .present)
      }
    }

    func isOn(_ root: JSONValue, _ head: HTTPHead?) -> Bool {
      if wanted == .header { return head?.value(of: place) != nil }
      let value = Convention.value(place, root)
      switch wanted {
      case .absent: return value == nil
      case .text(let text):
        // An empty object may have white space in it.
        return value.map { ($0.string ?? $0.text.filter { !$0.isWhiteSpace }).elementsEqual(text.utf8) } ?? false
      case .present, .header: return value != nil
      }
    }

    /// `'isLast'`, `/meta/next_token`, `'object' is 'list'`.
    var shown: String {
      let isMember = !place.dropFirst().contains("/") && place.hasPrefix("/")
      let name = isMember ? "'\(place.dropFirst())'" : place
      switch wanted {
      case .header: return "the header '\(place)'"
      case .text(let text): return "\(name) is '\(text)'"
      case .present, .absent: return name
      }
    }
  }
}
