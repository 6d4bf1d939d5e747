import FeedCore

/// Links the children of elements that have the same name.
struct SiblingLinks {
  /// The last child of each name, with the key of the name: searched one by one while they are few.
  private var last: [(key: UInt64, node: Int)] = []
  /// How many of these are in use.
  private var count = 0
  private static let indexThreshold = 32

  mutating func link(_ tree: inout ElementTree) {
    let bytes = tree.bytes
    for element in tree.nodes.indices where tree.nodes[element].hasSeveralElements {
      link(&tree.nodes, in: element, bytes.span)
    }
  }

  private mutating func link(_ nodes: inout [ElementTree.Node], in element: Int, _ bytes: borrowing Span<UInt8>) {
    count = 0
    var index: [[UInt8]: Int] = [:]
    var child = element + 1
    let end = nodes[element].end
    while child < end {
      defer { child = nodes[child].end }
      guard nodes[child].isElement else { continue }
      let name = nodes[child].place
      let key = XMLName.key(bytes, name)
      guard let place = count <= Self.indexThreshold ? place(of: name, key, nodes, bytes) : index[array(bytes, name)]
      else {
        add(key, child)
        if count == Self.indexThreshold + 1 {
          for place in 0..<count { index[array(bytes, nodes[last[place].node].place)] = place }
        } else if count > Self.indexThreshold {
          index[array(bytes, name)] = count - 1
        }
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
    for place in 0..<count where last[place].key == key {
      if XMLName.isSame(bytes, nodes[last[place].node].place, name) { return place }
    }
    return nil
  }

  private mutating func add(_ key: UInt64, _ node: Int) {
    if count < last.count { last[count] = (key, node) } else { last.append((key, node)) }
    count += 1
  }
}
