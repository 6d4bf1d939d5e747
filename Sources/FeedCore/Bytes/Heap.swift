/// Items in the order of their keys: a binary heap, with the first item at 0, and the children of `i` at `2i+1` and
/// `2i+2`. Items with equal keys come in any order.
package struct Heap<Key: Comparable, Item> {
  private var items: [(key: Key, item: Item)] = []

  package init() {}

  package var count: Int { items.count }
  /// The item with the least key; nil if there is none.
  package var first: (key: Key, item: Item)? { items.first }

  /// In O(log n).
  package mutating func insert(_ item: Item, at key: Key) {
    items.append((key, item))
    var child = items.count - 1
    while child > 0, items[child].key < items[(child - 1) / 2].key {
      items.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the item with the least key, in O(log n).
  /// - Returns: nil if there is none.
  @discardableResult
  package mutating func removeFirst() -> (key: Key, item: Item)? {
    guard let first = items.first, let last = items.popLast() else { return nil }
    if items.isEmpty { return first }
    items[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
        if items[child].key < items[least].key { least = child }
      }
      if least == parent { return first }
      items.swapAt(parent, least)
      parent = least
    }
  }
}
