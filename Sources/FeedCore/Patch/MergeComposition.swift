// One merge patch that does what several do in a row (RFC 7386). The members of all of them are collected in one tree.
// Not every row has such a patch:
//
//     {"a":null}, {"a":{"b":1}}     /a is exactly {"b":1} then. A merge patch that says so would keep other members.
//
// So an object that comes after null or another value is remembered as new, and is an error if it is still there at the
// end.

/// The members of several merge patches, one after another.
package struct MergeComposition {
  /// What the patches so far say of a member.
  private enum NodeContent {
    case nothing
    /// Merged into whatever is there.
    case object
    /// An object that replaces what is there; the number of the patch that brought it.
    case newObject(by: Int)
    case value(JSONValue)
  }

  /// A member of the result. Nodes are in one list and name each other by index, so depth needs no recursion.
  private struct CompositionNode {
    /// The name with its quotes; nil for the whole patch.
    let name: JSONValue?
    var content = NodeContent.nothing
    var members: [Int] = []
    /// The members by their names.
    var places: [[UInt8]: Int] = [:]
    /// The object in which the name occurred last, to find duplicates.
    var owner = 0
  }

  /// The first node is the whole patch.
  private var nodes = [CompositionNode(name: nil)]
  private var patches = 0
  private var objects = 0

  package init() {}

  /// Adds a merge patch after the ones so far.
  package mutating func append(_ patch: JSONValue) throws(PatchFailure) {
    patches += 1
    var levels: [(members: JSONChildren, node: Int, object: Int)] = []
    set(patch, 0, &levels)
    while let top = levels.indices.last {
      guard let child = levels[top].members.next() else {
        levels.removeLast()
        continue
      }
      guard let key = child.key else { continue }
      let name = JSONString.decoded(key)
      let member = member(of: levels[top].node, name, key)
      guard nodes[member].owner != levels[top].object else {
        let parent = levels.dropFirst().compactMap { nodes[$0.node].name.map(JSONString.decoded) }
        let error = PointerError(.duplicate, JSONPointer(tokens: parent + [name]), parent.count)
        throw PatchFailure("merge: in the patch " + error.message, isMalformed: true)
      }
      nodes[member].owner = levels[top].object
      set(child.value, member, &levels)
    }
  }

  /// Says what a patch has at a node. An object is opened: its members come next.
  private mutating func set(
    _ value: JSONValue, _ node: Int, _ levels: inout [(members: JSONChildren, node: Int, object: Int)]
  ) {
    guard value.kind == .object else {
      nodes[node].content = .value(value)
      nodes[node].members = []
      nodes[node].places = [:]
      return
    }
    switch nodes[node].content {
    case .nothing: nodes[node].content = .object
    case .value: nodes[node].content = .newObject(by: patches)
    case .object, .newObject: break
    }
    objects += 1
    levels.append((value.children, node, objects))
  }

  private mutating func member(of node: Int, _ name: [UInt8], _ key: JSONValue) -> Int {
    if let member = nodes[node].places[name] { return member }
    nodes[node].places[name] = nodes.count
    nodes[node].members.append(nodes.count)
    nodes.append(CompositionNode(name: key))
    return nodes.count - 1
  }

  // MARK: The result

  /// Why the patches cannot be one.
  package struct NotComposable: Error {
    /// The patch that brought the object, counted from 1.
    package let patch: Int
    package let message: String
  }

  /// The patch as compact JSON.
  package func text() throws(NotComposable) -> [UInt8] {
    var output = ByteWriter()
    var open: [(node: Int, next: Int)] = []
    var node: Int? = 0
    while node != nil || !open.isEmpty {
      if let current = node {
        node = nil
        if let name = nodes[current].name {
          output.append(name.text)
          output.append(UInt8(ascii: ":"))
        }
        switch nodes[current].content {
        case .value(let value): JSONWriter.writeCompact(JSONTree(value), to: &output)
        case .newObject(let patch): throw failure(patch, open.map(\.node) + [current])
        case .object, .nothing:
          output.append(UInt8(ascii: "{"))
          open.append((current, 0))
        }
      } else if let (parent, next) = open.last {
        guard next < nodes[parent].members.count else {
          output.append(UInt8(ascii: "}"))
          open.removeLast()
          continue
        }
        if next > 0 { output.append(UInt8(ascii: ",")) }
        open[open.count - 1].next += 1
        node = nodes[parent].members[next]
      }
    }
    return output.take()
  }

  private func failure(_ patch: Int, _ way: [Int]) -> NotComposable {
    let place = JSONPointer(tokens: way.compactMap { nodes[$0].name.map(JSONString.decoded) })
    let object = place.tokens.isEmpty ? "the object" : "the object at \(place.shown)"
    return NotComposable(
      patch: patch, message: "no merge patch can do this in one step: \(object) comes after another value or null")
  }
}
