import FeedCore

/// Links the children of elements that have the same name.
struct SiblingLinks {
  /// The last child of each name, with the key of the name: searched one by one while they are few.
  private var last: [(key: UInt64, node: Int)] = []
  private static let indexThreshold = 32

  mutating func link(_ tree: inout ElementTree) {
    let bytes = tree.bytes
    for element in tree.nodes.indices where tree.nodes[element].hasSeveralElements {
      link(&tree.nodes, in: element, bytes.span)
    }
  }

  private mutating func link(_ nodes: inout [ElementTree.Node], in element: Int, _ bytes: borrowing Span<UInt8>) {
    last.removeAll(keepingCapacity: true)
    var index: [[UInt8]: Int] = [:]
    var child = element + 1
    let end = nodes[element].end
    while child < end {
      defer { child = nodes[child].end }
      guard nodes[child].isElement else { continue }
      let name = nodes[child].place
      let key = XMLName.key(bytes, name)
      var place: Int?
      if last.count <= Self.indexThreshold {
        place = last.indices.first {
          last[$0].key == key && XMLName.isSame(bytes, nodes[last[$0].node].place, name)
        }
      } else {
        if index.isEmpty {
          for (place, known) in last.enumerated() { index[array(bytes, nodes[known.node].place)] = place }
        }
        place = index[array(bytes, name)]
      }
      if let place {
        nodes[last[place].node].nextSibling = child
        nodes[child].hasEarlierSibling = true
        last[place].node = child
      } else {
        if !index.isEmpty { index[array(bytes, name)] = last.count }
        last.append((key, child))
      }
    }
  }
}
