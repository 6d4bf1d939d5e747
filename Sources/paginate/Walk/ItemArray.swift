import FeedCore
import FeedHTTP

/// The place of the items in a page, if there is no `--items`: the one array of objects. That is the whole page, else
/// the array nested least deep in objects. Arrays are not searched, because their contents belong to items.
enum ItemArray {
  /// Objects and arrays, each with the index of the one that it is in, as a chain up to the top: building a path for
  /// each would cost more than the page.
  private typealias Places = [(value: JSONValue, parent: Int, name: JSONValue?)]

  /// An array in this many objects, or more, may belong to an item, unless it has a name of GraphQL's connections.
  private static let deepest = 2
  private static let connections = ["nodes", "edges"].map { Array($0.utf8) }

  /// - Returns: nil if the page has no array of objects, and at most one empty array.
  /// - Throws: a usage error if there are several.
  static func find(in root: JSONValue) throws(NextError) -> JSONPointer? {
    if root.kind == .array { return JSONPointer() }
    var places: Places = [(root, -1, nil)]
    var level = 0..<1
    // The empty arrays of the first level that has some. If there are rows, which may be the items, none is taken.
    var empty: [Int] = []
    var hasRows = false
    /// The first object whose names are data.
    var map: Int?
    var depth = 0
    while !level.isEmpty {
      var found: [Int] = []
      let hadEmpty = !empty.isEmpty
      for index in level {
        let isData = hasAlikeObjects(places[index].value)
        for child in places[index].value.children {
          guard child.value.kind.isContainer, let key = child.key, !JSONString.equals(key, Convention.linkObject[...])
          else { continue }
          let isObject = child.value.kind == .object
          // No guess leads through a key that is data.
          if isObject, isData || isNumber(key) {
            map = map ?? index
            continue
          }
          if isRows(child.value) { hasRows = true }
          guard isObject ? !isBeside(key) : isCandidate(child.value, key) else { continue }
          places.append((child.value, index, key))
          if isObject { continue }
          if child.value.hasChildren {
            found.append(places.count - 1)
          } else if !hadEmpty {
            empty.append(places.count - 1)
          }
        }
      }
      if found.count == 1 {
        let only = pointer(to: found[0], places)
        if depth >= deepest, !connections.contains(only.tokens.last.map(Array.init) ?? []) {
          throw .usage("cannot tell whether the items are at \(only.shown): type --items \(only.shown)")
        }
        return only
      }
      if found.count > 1 {
        let names = found.prefix(5).map { "\(pointer(to: $0, places).shown) (\(count(of: places[$0].value)))" }
        let more = found.count > 5 ? " and \(found.count - 5) more" : ""
        throw .usage("cannot tell which array holds the items (--items): \(names.joined(separator: ", "))\(more)")
      }
      level = level.upperBound..<places.count
      depth += 1
    }
    if empty.count == 1, !hasRows { return pointer(to: empty[0], places) }
    guard let map, empty.isEmpty else { return nil }
    let place = pointer(to: map, places)
    let text = typed(ItemPlace.members(place).text)
    throw .usage("the items may be the members of an object: type --items \(text)")
  }

  /// The place of the only member that is an array with something in it: it may be of scalars, which is no guess.
  static func scalars(in root: JSONValue) -> JSONPointer? {
    guard root.kind == .object else { return nil }
    let arrays = root.children.filter { $0.value.kind == .array && $0.value.hasChildren }
    guard arrays.count == 1, let key = arrays[0].key?.string else { return nil }
    return JSONPointer(tokens: [key])
  }

  /// An array of objects, or an empty one, that is not known to be something else.
  private static func isCandidate(_ array: JSONValue, _ key: JSONValue) -> Bool {
    !isBeside(key) && array.children.allSatisfy { $0.value.kind == .object }
  }

  /// Whether a value is an array of arrays.
  static func isRows(_ value: JSONValue) -> Bool {
    value.kind == .array && value.hasChildren && value.children.allSatisfy { $0.value.kind == .array }
  }

  private static func isBeside(_ key: JSONValue) -> Bool {
    Convention.besideItems.contains(String(decoding: JSONString.decoded(key), as: UTF8.self))
  }

  private static func isNumber(_ key: JSONValue) -> Bool { JSONString.decoded(key).allSatisfy(\.isDigit) }

  /// Whether two objects in an object have members of the same names: then its own names are data, as in
  /// `{"ann":{"posts":[]},"bob":{"posts":[]}}`.
  private static func hasAlikeObjects(_ object: JSONValue) -> Bool {
    var shape: [[UInt8]]?
    for child in object.children where child.value.kind == .object {
      let names = child.value.children.compactMap { $0.key?.string }
      if names.isEmpty { continue }
      guard let shape else {
        shape = names
        continue
      }
      if names == shape { return true }
    }
    return false
  }

  private static func pointer(to index: Int, _ places: Places) -> JSONPointer {
    var tokens: [[UInt8]] = []
    var index = index
    while let name = places[index].name {
      tokens.append(JSONString.decoded(name))
      index = places[index].parent
    }
    return JSONPointer(tokens: tokens.reversed())
  }

  // MARK: Ids

  /// The id of an item, if a store needs one and there is no `--id-from`: the member `id`, else the one whose name ends
  /// `_id`. All items of a page must have it, each with another value. If several members fit, the user must choose.
  /// - Parameter items: an array with at least one item.
  /// - Throws: a usage error if no member fits, or more than one.
  static func findID(in items: JSONValue) throws(NextError) -> JSONPointer {
    let items = items.children.map(\.value)
    let plain = Array("id".utf8)
    let names = Set(items.first?.children.compactMap { $0.key?.string } ?? []).filter { name in
      (name == plain || name.reversed().starts(with: "_id".utf8.reversed())) && isID(name, of: items)
    }
    let found = names.sorted { $0.lexicographicallyPrecedes($1) }
    if let only = found.contains(plain) ? plain : found.count == 1 ? found[0] : nil {
      return JSONPointer(tokens: [only])
    }
    let seen = found.prefix(5).map { JSONPointer(tokens: [$0]).shown }.joined(separator: ", ")
    let why = found.isEmpty ? "no member 'id' that is different in every item" : seen
    throw .usage("cannot tell where the id of an item is (--id-from): \(why)")
  }

  /// Whether every item has the member, each with another value.
  private static func isID(_ name: [UInt8], of items: [JSONValue]) -> Bool {
    var values: Set<[UInt8]> = []
    values.reserveCapacity(items.count)
    return items.allSatisfy { item in
      guard let text = item.member(name).flatMap(JSONText.scalar), !text.isEmpty else { return false }
      return values.insert(text).inserted
    }
  }

  // MARK: For messages

  /// `an object with 'count' (a number), 'results' (an array of 3), 'meta' (an object with 'next')`. The names of an
  /// inner object's members are shown too, because the cursor is often in there.
  static func described(_ value: JSONValue, isInner: Bool = false) -> String {
    if value.kind == .array { return "an array of \(count(of: value))" }
    guard value.kind == .object else { return value.kind.name }
    let words = value.children.prefix(isInner ? 4 : 8).map { child in
      let name = "'\(child.key.map { shortened(JSONString.decoded($0)) } ?? "")'"
      return isInner ? name : "\(name) (\(described(child.value, isInner: true)))"
    }
    if words.isEmpty { return "an empty object" }
    let rest = count(of: value) - words.count
    return "an object with " + words.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private static func count(of value: JSONValue) -> Int { value.children.reduce(0) { count, _ in count + 1 } }
}
