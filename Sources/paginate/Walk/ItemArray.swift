// The place of the items in a page, if there is no `--items`: the one array of objects. That is the whole page, else
// the array nested least deep in objects. Arrays are not searched, because their contents belong to items.

import FeedCore

enum ItemArray {
  /// An object or array on the way, as a chain up to the top: building a path for each would cost more than the page.
  private struct Place {
    let value: JSONValue
    let parent: Int
    let name: JSONValue?
  }

  /// - Returns: nil if the page has no array of objects, and at most one empty array.
  /// - Throws: a usage error if there are several.
  static func find(in root: JSONValue) throws(WalkError) -> JSONPointer? {
    if root.kind == .array { return JSONPointer() }
    var places = [Place(value: root, parent: -1, name: nil)]
    var level = 0..<1
    // The empty arrays of the first level that has some.
    var empty: [Int] = []
    while !level.isEmpty {
      var found: [Int] = []
      let hadEmpty = !empty.isEmpty
      for index in level {
        for child in places[index].value.children {
          guard child.value.kind.isContainer, let key = child.key, !JSONString.equals(key, Convention.linkObject[...])
          else {
            continue
          }
          let isObject = child.value.kind == .object
          guard isObject || isCandidate(child.value, key) else { continue }
          places.append(Place(value: child.value, parent: index, name: key))
          if isObject { continue }
          if child.value.children.contains(where: { _ in true }) {
            found.append(places.count - 1)
          } else if !hadEmpty {
            empty.append(places.count - 1)
          }
        }
      }
      if found.count == 1 { return pointer(to: found[0], places) }
      if found.count > 1 {
        let names = found.prefix(5).map { "\(pointer(to: $0, places).shown) (\(count(of: places[$0].value)))" }
        let more = found.count > 5 ? " and \(found.count - 5) more" : ""
        throw WalkError(
          .usage, "cannot tell which array holds the items (--items): \(names.joined(separator: ", "))\(more)")
      }
      level = level.upperBound..<places.count
    }
    return empty.count == 1 ? pointer(to: empty[0], places) : nil
  }

  /// An array of objects, or an empty one, that is not known to be something else.
  private static func isCandidate(_ array: JSONValue, _ key: JSONValue) -> Bool {
    guard !Convention.besideItems.contains(String(decoding: JSONString.decoded(key), as: UTF8.self)) else {
      return false
    }
    return array.children.allSatisfy { $0.value.kind == .object }
  }

  private static func pointer(to index: Int, _ places: [Place]) -> JSONPointer {
    var tokens: [[UInt8]] = []
    var index = index
    while let name = places[index].name {
      tokens.append(JSONString.decoded(name))
      index = places[index].parent
    }
    return JSONPointer(tokens: tokens.reversed())
  }

  // MARK: For messages

  /// `an object with 'count' (a number), 'results' (an array of 3), 'meta' (an object with 'next')`.
  static func described(_ root: JSONValue) -> String {
    guard root.kind == .object else {
      return root.kind == .array ? "an array of \(count(of: root))" : root.kind.name
    }
    let shown = 8
    var words: [String] = []
    var rest = 0
    for child in root.children {
      guard words.count < shown, let key = child.key else {
        rest += 1
        continue
      }
      words.append("\(quoted(key)) (\(kind(of: child.value)))")
    }
    if words.isEmpty { return "an empty object" }
    return "an object with " + words.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The names of an object's members are shown too, because the cursor is often in there.
  private static func kind(of value: JSONValue) -> String {
    if value.kind == .array { return "an array of \(count(of: value))" }
    guard value.kind == .object else { return value.kind.name }
    let shown = 4
    var names: [String] = []
    var rest = 0
    for child in value.children {
      guard names.count < shown, let key = child.key else {
        rest += 1
        continue
      }
      names.append(quoted(key))
    }
    if names.isEmpty { return "an empty object" }
    return "an object with " + names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private static func quoted(_ key: JSONValue) -> String { "'\(shortened(JSONString.decoded(key)))'" }

  private static func count(of array: JSONValue) -> String {
    let count = array.children.reduce(0) { count, _ in count + 1 }
    return "\(count)"
  }
}
