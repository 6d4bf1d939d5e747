import FeedCore
import FeedHTTP

/// The id of an item, if a store needs one and there is no `--id`: the member `id`, else the one whose name ends in
/// `_id`. All items of a page must have it, each with another value. If several members fit, the user must choose.
enum IDMember {
  /// - Parameter items: an array with at least one item.
  /// - Throws: a usage error if no member fits, or more than one.
  static func find(in items: JSONValue) throws(WalkError) -> JSONPointer {
    let items = items.children.map(\.value)
    let names = (items.first?.children.compactMap { $0.key?.string } ?? []).filter(isName)
    let plain = Array("id".utf8)
    let found = Array(Set(names)).filter { isID($0, of: items) }.sorted { $0.lexicographicallyPrecedes($1) }
    if let only = found.contains(plain) ? plain : found.count == 1 ? found[0] : nil {
      return JSONPointer(tokens: [only])
    }
    let seen = found.prefix(5).map { JSONPointer(tokens: [$0]).shown }.joined(separator: ", ")
    let why = found.isEmpty ? "no member 'id' that is different in every item" : seen
    throw WalkError(.usage, "cannot tell where the id of an item is (--id): \(why)")
  }

  private static func isName(_ name: [UInt8]) -> Bool {
    name == Array("id".utf8) || name.reversed().starts(with: "_id".utf8.reversed())
  }

  /// Whether every item has the member, each with another value.
  private static func isID(_ name: [UInt8], of items: [JSONValue]) -> Bool {
    var values: Set<[UInt8]> = []
    values.reserveCapacity(items.count)
    for item in items {
      guard let text = item.member(name).flatMap(JSONText.scalar), !text.isEmpty, values.insert(text).inserted else {
        return false
      }
    }
    return true
  }
}
