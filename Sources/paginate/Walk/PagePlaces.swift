// Where things are on a page, as typed.

import FeedCore
import FeedHTTP

/// `--items`: where the items of a page are.
enum ItemPlace: Equatable, Sendable {
  /// The elements of an array.
  case list(JSONPointer)
  /// The values of the members of an object.
  case members(JSONPointer)
  /// Each line of the page is an item. `LinePage` makes an array of them.
  case lines

  init(_ text: [UInt8]) throws(OptionRefusal) {
    if text.elementsEqual("lines".utf8) {
      self = .lines
    } else if text.starts(with: "members:".utf8) {
      self = .members(try JSONPointer(typed: Array(text.dropFirst("members:".utf8.count)), suchAs: "/query/pages"))
    } else {
      self = .list(try JSONPointer(typed: text, suchAs: "/data/items"))
    }
  }

  var pointer: JSONPointer {
    switch self {
    case .list(let pointer), .members(let pointer): pointer
    case .lines: JSONPointer()
    }
  }

  var isMembers: Bool { if case .members = self { true } else { false } }

  var text: [UInt8] {
    switch self {
    case .list(let pointer): pointer.text
    case .members(let pointer): Array("members:".utf8) + pointer.text
    case .lines: Array("lines".utf8)
    }
  }
}

/// `--has-more`: where a page says whether more pages follow.
struct HasMore: Equatable, Sendable {
  let place: NextRule.ResponsePlace
  /// Whether the meaning is reversed, as in `isLast`.
  let isOpposite: Bool

  /// - Parameter text: a place, with a leading `!` for the reversed meaning.
  init(_ text: [UInt8]) throws(OptionRefusal) {
    isOpposite = text.first == UInt8(ascii: "!")
    place = try NextRule.ResponsePlace(typed: isOpposite ? Array(text.dropFirst()) : text, suchAs: "/has_more")
  }

  var text: [UInt8] { (isOpposite ? [UInt8(ascii: "!")] : []) + place.text }

  /// - Returns: nil if the page does not say.
  func read(_ root: JSONValue, _ head: HTTPHead?) -> Bool? {
    let answer =
      switch place {
      case .header(let name): head?.value(ofField: name).map(Self.isYes)
      case .body(let pointer): root.value(at: pointer).map(Self.isYes)
      }
    return answer.map { $0 != isOpposite }
  }

  /// Whether a page has a boolean at the place.
  func isBoolean(in root: JSONValue) -> Bool {
    guard case .body(let pointer) = place else { return false }
    return [.true, .false].contains(root.value(at: pointer)?.kind)
  }

  private static func isYes(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .true: true
    case .false, .null: false
    // False if all digits before an exponent are zeros.
    case .number: value.text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { "123456789".utf8.contains($0) }
    case .string, .escapedString: isYes(JSONString.decoded(value))
    case .array, .object: value.hasChildren
    }
  }

  /// The words are those of APIs that send their booleans as text.
  private static func isYes(_ text: [UInt8]) -> Bool {
    !["", "0", "false", "no"].contains(String(decoding: text, as: UTF8.self).lowercased())
  }
}

/// `--total`: where a page says how many items, or pages, its feed has.
struct TotalPlace: Equatable, Sendable {
  let place: NextRule.ResponsePlace
  /// Whether it is a number of pages.
  let countsPages: Bool

  /// - Parameter text: a place, with `pages:` before it if it counts pages. Its name may say that too.
  init(_ text: [UInt8]) throws(OptionRefusal) {
    let isOfPages = text.starts(with: "pages:".utf8)
    let pointer = isOfPages ? Array(text.dropFirst("pages:".utf8.count)) : text
    place = try NextRule.ResponsePlace(typed: pointer, suchAs: "/total")
    countsPages = isOfPages || PageCounts.namesPages(place)
  }

  var text: [UInt8] { (countsPages ? Array("pages:".utf8) : []) + place.text }

  /// - Returns: nil if the page does not say, or says something that is no whole number.
  func read(_ root: JSONValue, _ head: HTTPHead?) -> PageCounts.Count? {
    let (value, shown) =
      switch place {
      case .body(let pointer): (root.value(at: pointer).flatMap(JSONText.scalar), pointer.shown)
      case .header(let name): (head?.value(ofField: name), String(decoding: name, as: UTF8.self))
      }
    return value.flatMap(PageCounts.whole).map { number in
      PageCounts.Count(value: number, countsPages: countsPages, source: .option, place: shown)
    }
  }
}

extension OptionType<ItemPlace> {
  static let items = Self("PLACE", .beginnings(["/", "members:/", "lines"])) {
    bytes throws(OptionRefusal) in try ItemPlace(bytes)
  }
}

extension OptionType<HasMore> {
  static let hasMore = Self("PLACE") { bytes throws(OptionRefusal) in try HasMore(bytes) }
}

extension OptionType<TotalPlace> {
  static let total = Self("PLACE") { bytes throws(OptionRefusal) in try TotalPlace(bytes) }
}
