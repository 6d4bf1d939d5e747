// A name that was typed and does not occur: which of those that occur was probably meant.

/// A name of an option, such as that of a member of JSON.
package enum SeenName {
  /// The member that was probably meant by a pointer to nothing: another one of its object, written almost alike, or one
  /// with the same name in another object. Arrays are not searched, as their contents are items.
  /// - Returns: nil if there is none, or if the pointer leads to a value.
  package static func near(_ pointer: JSONPointer, in root: JSONValue) -> JSONPointer? {
    guard root.value(at: pointer) == nil, let name = pointer.tokens.last.map(Array.init) else { return nil }
    let parent = pointer.prefix(pointer.tokens.count - 1)
    for child in root.value(at: parent)?.children.map(\.key) ?? [] {
      if let key = child?.string, isNear(key, name) { return parent.appending(key) }
    }
    var level = [(root, JSONPointer())]
    for _ in 0..<deepest {
      var inner: [(JSONValue, JSONPointer)] = []
      for (object, place) in level where object.kind == .object {
        if object.member(name) != nil { return place.appending(name) }
        inner += object.children.compactMap { child in child.key?.string.map { (child.value, place.appending($0)) } }
      }
      level = inner
    }
    return nil
  }

  /// How many objects within objects are searched.
  private static let deepest = 4

  /// Whether two names differ only in case, or by two edits at most. A short name needs fewer: `id` is not like `at`.
  static func isNear(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let (left, right) = (left.lowercased, right.lowercased)
    return editDistance(left, right) <= min(2, min(left.count, right.count) / 3)
  }
}
