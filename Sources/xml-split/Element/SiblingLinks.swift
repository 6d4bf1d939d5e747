import FeedCore

/// Links the children of an element that have the same name.
struct SiblingLinks {
  /// The last element of each name, with its hash: searched one by one while they are few.
  private var last: [(hash: UInt64, node: Int)] = []
  private static let indexThreshold = 32

  mutating func link(_ nodes: inout [ElementTree.Node], in element: Int, _ bytes: borrowing Span<UInt8>) {
    last.removeAll(keepingCapacity: true)
    var index: [[UInt8]: Int] = [:]
    var child = element + 1
    while child < nodes.count {
      if nodes[child].isElement {
        var place: Int?
        if last.count <= Self.indexThreshold {
          for candidate in last.indices where last[candidate].hash == nodes[child].hash {
            if sameBytes(bytes.extracting(nodes[last[candidate].node].place), bytes.extracting(nodes[child].place)) {
              place = candidate
              break
            }
          }
        } else {
          if index.isEmpty {
            for (place, known) in last.enumerated() { index[array(bytes, nodes[known.node].place)] = place }
          }
          place = index[array(bytes, nodes[child].place)]
        }
        if let place {
          nodes[last[place].node].nextSibling = child
          nodes[child].hasEarlierSibling = true
          last[place].node = child
        } else {
          if !index.isEmpty { index[array(bytes, nodes[child].place)] = last.count }
          last.append((nodes[child].hash, child))
        }
      }
      child = nodes[child].end
    }
  }
}
