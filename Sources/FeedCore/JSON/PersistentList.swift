// A list whose old copies stay valid: a B-tree by position. To get, replace, insert or remove one element costs the
// logarithm of the length. The old list does not change; the two share everything except one path of small nodes. So a
// patch is atomic without a copy of the document. Inserting at the head of a million items costs no more than at the
// end.

struct PersistentList<Element> {
  /// A node holds at most this many elements or children.
  static var width: Int { 32 }

  fileprivate final class Node {
    let count: Int
    var elements: [Element]
    var children: [Node]

    init(elements: [Element]) {
      count = elements.count
      self.elements = elements
      children = []
    }

    init(children: [Node]) {
      count = children.reduce(0) { $0 + $1.count }
      elements = []
      self.children = children
    }

    var isLeaf: Bool { children.isEmpty }
    var size: Int { isLeaf ? elements.count : children.count }
  }

  private var root: Node

  init() { root = Node(elements: []) }

  init(_ elements: [Element]) {
    guard elements.count > Self.width else {
      root = Node(elements: elements)
      return
    }
    // Three quarters full, so that the first insertions do not split every node.
    let fill = Self.width * 3 / 4
    var level = stride(from: 0, to: elements.count, by: fill).map {
      Node(elements: Array(elements[$0...].prefix(fill)))
    }
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: fill).map {
        Node(children: Array(level[$0...].prefix(fill)))
      }
    }
    root = level[0]
  }

  var count: Int { root.count }

  subscript(index: Int) -> Element {
    var node = root
    var index = index
    while !node.isLeaf {
      let place = Self.place(of: index, in: node)
      (node, index) = (node.children[place.child], place.index)
    }
    return node.elements[index]
  }

  func replacing(_ index: Int, with element: Element) -> Self { rebuilt(Self.replace(root, index, element)) }

  func inserting(_ element: Element, at index: Int) -> Self {
    let (left, right) = Self.insert(root, index, element)
    return rebuilt(right.map { Node(children: [left, $0]) } ?? left)
  }

  func appending(_ element: Element) -> Self { inserting(element, at: count) }

  func removing(_ index: Int) -> Self {
    var node = Self.remove(root, index)
    while node.children.count == 1 { node = node.children[0] }
    return rebuilt(node)
  }

  private func rebuilt(_ root: Node) -> Self {
    var list = self
    list.root = root
    return list
  }

  // MARK: One level

  private static func place(of index: Int, in node: Node) -> (child: Int, index: Int) {
    var index = index
    var child = 0
    // The last child also takes the index after its end, where an element may be inserted.
    while child < node.children.count - 1, index >= node.children[child].count {
      index -= node.children[child].count
      child += 1
    }
    return (child, index)
  }

  private static func replace(_ node: Node, _ index: Int, _ element: Element) -> Node {
    if node.isLeaf {
      var elements = node.elements
      elements[index] = element
      return Node(elements: elements)
    }
    let (child, index) = place(of: index, in: node)
    var children = node.children
    children[child] = replace(children[child], index, element)
    return Node(children: children)
  }

  private static func insert(_ node: Node, _ index: Int, _ element: Element) -> (Node, Node?) {
    if node.isLeaf {
      var elements = node.elements
      elements.insert(element, at: index)
      guard elements.count > width else { return (Node(elements: elements), nil) }
      let half = elements.count / 2
      return (Node(elements: Array(elements[..<half])), Node(elements: Array(elements[half...])))
    }
    let (child, index) = place(of: index, in: node)
    var children = node.children
    let (left, right) = insert(children[child], index, element)
    children[child] = left
    if let right { children.insert(right, at: child + 1) }
    guard children.count > width else { return (Node(children: children), nil) }
    let half = children.count / 2
    return (Node(children: Array(children[..<half])), Node(children: Array(children[half...])))
  }

  private static func remove(_ node: Node, _ index: Int) -> Node {
    if node.isLeaf {
      var elements = node.elements
      elements.remove(at: index)
      return Node(elements: elements)
    }
    let (child, index) = place(of: index, in: node)
    var children = node.children
    children[child] = remove(children[child], index)
    join(&children, child)
    return Node(children: children)
  }

  /// Removes an empty child; joins a small one with a neighbour if both fit in one node.
  private static func join(_ children: inout [Node], _ child: Int) {
    if children[child].count == 0, children.count > 1 {
      children.remove(at: child)
      return
    }
    guard children[child].size < width / 4 else { return }
    if !merge(&children, child - 1) { _ = merge(&children, child) }
  }

  /// Makes one child of `left` and the next one, if both are there and fit into one.
  private static func merge(_ children: inout [Node], _ left: Int) -> Bool {
    guard left >= 0, left + 1 < children.count else { return false }
    let (a, b) = (children[left], children[left + 1])
    guard a.size + b.size <= width else { return false }
    children[left] = a.isLeaf ? Node(elements: a.elements + b.elements) : Node(children: a.children + b.children)
    children.remove(at: left + 1)
    return true
  }

  // MARK: Searching, and freeing

  /// The first index whose element does not satisfy `precedes`; the elements must be sorted by it.
  func partition(_ precedes: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if precedes(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Calls `body` on each element that no other list shares, so that it can move out parts that recursion must not
  /// free.
  mutating func visitUnshared(_ body: (inout Element) -> Void) {
    guard isKnownUniquelyReferenced(&root) else { return }
    var pending = [root]
    root = Node(elements: [])
    while var node = pending.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      for index in node.elements.indices { body(&node.elements[index]) }
      pending += node.children
      node.children = []
    }
  }
}

extension PersistentList: Sequence {
  /// Iterates over the elements in order, in constant time per step.
  struct Iterator: IteratorProtocol {
    /// The elements of the current leaf, and the index of the next one.
    private var leaf: [Element] = []
    private var index = 0
    /// The nodes not yet visited, the next one last.
    private var pending: [Node]

    fileprivate init(_ root: Node) { pending = [root] }

    @inline(__always)
    mutating func next() -> Element? {
      while index == leaf.count {
        guard nextLeaf() else { return nil }
      }
      defer { index += 1 }
      return leaf[index]
    }

    private mutating func nextLeaf() -> Bool {
      guard let node = pending.popLast() else { return false }
      pending += node.children.reversed()
      leaf = node.elements
      index = 0
      return true
    }
  }

  func makeIterator() -> Iterator { Iterator(root) }
  var underestimatedCount: Int { count }
}
