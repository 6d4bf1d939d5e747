// A container whose children were chosen elsewhere: the result of a merge. Edits by pointer would copy a path for each
// change; here every container is made once, from the inside out.

/// Builds a container from children of the original one and values from elsewhere.
package struct JSONRebuilding {
  private let origin: JSONValue
  private var slots: [JSONNode.Slot] = []
  private var size = 2
  private var depthBound: Int
  /// The place of the last child, while all children so far are those of the original container, unchanged.
  private var lastPlace = -1
  private var isUnchanged = true

  package init(of container: JSONValue) {
    origin = container
    depthBound = container.document.depth
  }

  /// Adds a child.
  /// - Parameters:
  ///   - key: the name of a member; nil in an array.
  ///   - place: the tape position of the child of the original container whose place the value takes; -1 for none. It
  ///     is the position of the name in an object, and of the value in an array.
  package mutating func append(_ key: JSONValue?, _ value: JSONTree, at place: Int) {
    let isOriginal = value.untouched.map { $0.document === origin.document } ?? false
    if !isOriginal || place <= lastPlace { isUnchanged = false }
    lastPlace = place
    size += value.size + (key.map { $0.range.count + 1 } ?? 0) + (slots.isEmpty ? 0 : 1)
    depthBound = max(depthBound, value.depthBound + 1)
    slots.append(JSONNode.Slot(key: key, value: value, place: place))
  }

  /// Says that the container must not be copied as a whole, even if it is unchanged.
  package mutating func open() { isUnchanged = false }

  /// Puts the children that satisfy `isFirst` before the others.
  package mutating func reorder(_ isFirst: (JSONTree) -> Bool) {
    slots = slots.filter { isFirst($0.value) } + slots.filter { !isFirst($0.value) }
  }

  /// The container; the original one if it has all its children, unchanged and in order.
  package var tree: JSONTree {
    if isUnchanged, slots.count == origin.children.reduce(0, { count, _ in count + 1 }) { return JSONTree(origin) }
    // Nobody looks up names in the result, so wide objects get no index.
    return JSONTree(
      origin: origin,
      node: JSONNode(isArray: origin.kind == .array, slots: slots, size: size, depthBound: depthBound))
  }
}
