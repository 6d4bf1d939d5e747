import FeedCore

/// Links the children of elements that have the same name.
struct SiblingLinks {
  /// The last child of each name, with the key of the name: searched one by one while they are few.
  private var last: [(key: UInt64, node: Int)] = []
  /// How many of these are in use.
  private var count = 0
  private static let indexThreshold = 32
  /// With more names: the place of each in `last`.
  private var index: [[UInt8]: Int] = [:]

  mutating func link(_ tree: inout ElementTree) {
    let bytes = tree.bytes
    for element in tree.nodes.indices where tree.nodes[element].mayRepeatNames {
      link(&tree.nodes, in: element, bytes.span)
    }
  }

  private mutating func link(_ nodes: inout [ElementTree.Node], in element: Int, _ bytes: borrowing Span<UInt8>) {
    count = 0
    // One bit for each key so far. A name whose bit is not set is new.
    var known: UInt64 = 0
    if !index.isEmpty { index = [:] }
    var child = element + 1
    let end = nodes[element].end
    while child < end {
      defer { child = nodes[child].end }
      guard nodes[child].isElement else { continue }
      let name = nodes[child].place
      let key = XMLName.key(bytes, name)
      let bit = XMLName.bit(of: key)
      defer { known |= bit }
      guard known & bit != 0, let place = place(of: name, key, nodes, bytes) else {
        add(key, child, nodes, bytes)
        continue
      }
      nodes[last[place].node].nextSibling = child
      nodes[child].hasEarlierSibling = true
      last[place].node = child
    }
  }

  private func place(
    of name: Range<Int>, _ key: UInt64, _ nodes: [ElementTree.Node], _ bytes: borrowing Span<UInt8>
  ) -> Int? {
    if count > Self.indexThreshold { return index[array(bytes, name)] }
    for place in 0..<count where last[place].key == key {
      if XMLName.isSame(bytes, nodes[last[place].node].place, name) { return place }
    }
    return nil
  }

  @inline(__always)
  private mutating func add(
    _ key: UInt64, _ node: Int, _ nodes: [ElementTree.Node], _ bytes: borrowing Span<UInt8>
  ) {
    if count < last.count { last[count] = (key, node) } else { last.append((key, node)) }
    count += 1
    guard count > Self.indexThreshold else { return }
    // The index is made when it is first needed.
    for place in (index.isEmpty ? 0 : count - 1)..<count {
      index[array(bytes, nodes[last[place].node].place)] = place
    }
  }
}
