/// The children of an opened container, as a list whose old copies stay valid: a B-tree by position. To get, replace,
/// insert or remove one slot costs the logarithm of the length. Inserting at the head of a million elements costs no
/// more than at the end.
///
/// A change copies the nodes that another list shares, and changes its own in place. So a patch copies each node at most
/// once, however many operations it has, and older copies of the list keep their slots.
///
/// A leaf in which nothing has changed holds no slots. It only knows where its children begin on the tape. So to open a
/// container costs little more than to count its children.
struct SlotList {
  typealias Slot = JSONNode.Slot
  typealias Node = SlotNode
  typealias Child = SlotNode.SlotChild

  /// A node holds at most this many slots or nodes.
  static let width = 32
  /// New nodes are three quarters full, so that the first insertions do not split every node.
  static let fill = width * 3 / 4

  private var root: Node
  private(set) var count: Int

  init(_ slots: [Slot] = []) {
    self.init(
      leaves: stride(from: 0, to: slots.count, by: Self.fill).map { Node(slots: Array(slots[$0...].prefix(Self.fill))) }
    )
  }

  /// The children of a container, as read.
  init(of container: JSONValue) { self.init(leaves: RawSlots.runs(of: container, Self.fill).map { Node(raw: $0) }) }

  private init(leaves: [Node]) {
    var level = leaves.map { Child($0, count: $0.leafCount) }
    count = level.reduce(0) { $0 + $1.count }
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: Self.fill).map { Child(Array(level[$0...].prefix(Self.fill))) }
    }
    root = level.first?.node ?? Node(slots: [])
  }

  subscript(index: Int) -> Slot {
    var node = root
    var index = index
    while !node.isLeaf { node = node.children[node.place(of: &index)].node }
    return node[index]
  }

  /// Calls `body` for each member that is not removed, until it returns false.
  /// - Parameter body: gets the index of the slot, and where the name is: a document and its tape position.
  func visitNames(_ body: (_ index: Int, _ document: JSONDocument, _ name: Int) -> Bool) {
    _ = root.visitNames(from: 0, body)
  }

  /// The leaf that holds a slot, held by this list alone, and the slot's place in it.
  mutating func ownLeaf(holding index: Int) -> (leaf: Node, place: Int) {
    own()
    var node = root
    var index = index
    while !node.isLeaf { node = node.ownChild(at: node.place(of: &index)) }
    node.open()
    return (node, index)
  }

  mutating func insert(_ slot: Slot, at index: Int) {
    own()
    count += 1
    guard let right = root.insert(slot, at: index) else { return }
    root = Node(children: [Child(root, count: count - right.count), right])
  }

  mutating func append(_ slot: Slot) { insert(slot, at: count) }

  @discardableResult
  mutating func remove(at index: Int) -> Slot {
    own()
    count -= 1
    let slot = root.remove(at: index)
    while root.children.count == 1 { root = root.children[0].node }
    return slot
  }

  private mutating func own() {
    if !isKnownUniquelyReferenced(&root) { root = root.copied() }
  }

  // MARK: Freeing

  /// Calls `body` on each changed slot that no other list shares, so that it can move out parts that recursion must not
  /// free.
  mutating func visitUnshared(_ body: (inout Slot) -> Void) {
    guard isKnownUniquelyReferenced(&root) else { return }
    var pending = [root]
    root = Node(slots: [])
    while var node = pending.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      for child in node.dismantle(body) { pending.append(child.node) }
    }
  }
}

extension SlotList: Sequence {
  /// Iterates over the slots in order, in constant time per step.
  struct Iterator: IteratorProtocol {
    /// What is left of the current leaf: a run of the tape, or slots from `index` on.
    private var run = RawSlots.none
    private var slots: [Slot] = []
    private var index = 0
    /// The nodes not yet visited, the next one last.
    private var pending: [Node]

    fileprivate init(_ root: Node) { pending = [root] }

    @inline(__always)
    mutating func next() -> Slot? {
      while true {
        if let slot = run.next() { return slot }
        if index < slots.count {
          index += 1
          return slots[index - 1]
        }
        guard nextLeaf() else { return nil }
      }
    }

    /// The next slots if they are as read.
    mutating func nextRun() -> RawSlots? {
      while run.isEmpty, index == slots.count {
        guard nextLeaf() else { return nil }
      }
      defer { run = .none }
      return run.isEmpty ? nil : run
    }

    private mutating func nextLeaf() -> Bool {
      guard let node = pending.popLast() else { return false }
      for child in node.children.reversed() { pending.append(child.node) }
      run = node.raw
      slots = node.slots
      index = 0
      return true
    }
  }

  func makeIterator() -> Iterator { Iterator(root) }
  var underestimatedCount: Int { count }
}

/// A run of children as read, which only the tape holds.
struct RawSlots: Sequence, IteratorProtocol {
  private let document: JSONDocument
  private let isObject: Bool
  /// The tape position of the next child: of its name in an object.
  private(set) var position: Int
  private(set) var count: Int

  static let none = RawSlots(document: JSONTree.emptyObject.origin.document, isObject: true, position: 0, count: 0)

  /// The children of a container in runs of at most `length`.
  static func runs(of container: JSONValue, _ length: Int) -> [RawSlots] {
    let document = container.document
    let isObject = container.kind == .object
    let words = document.tape
    let tape = words.span
    let end = document.last(container.position)
    var position = document.first(container.position)
    var runs: [RawSlots] = []
    while position < end {
      var run = RawSlots(document: document, isObject: isObject, position: position, count: 0)
      while position < end, run.count < length {
        position = TapeWord.next(tape, isObject ? position + 1 : position)
        run.count += 1
      }
      runs.append(run)
    }
    return runs
  }

  var isEmpty: Bool { count == 0 }
  var underestimatedCount: Int { count }

  @inline(__always)
  mutating func next() -> JSONNode.Slot? {
    guard count > 0 else { return nil }
    let place = position
    let value = JSONValue(document: document, position: isObject ? place + 1 : place)
    position = document.next(value.position)
    count -= 1
    return JSONNode.Slot(
      key: isObject ? JSONValue(document: document, position: place) : nil, value: JSONTree(value), place: place)
  }

  subscript(index: Int) -> JSONNode.Slot {
    var rest = self
    rest.position = place(of: index)
    guard let slot = rest.next() else { preconditionFailure("no slot \(index)") }
    return slot
  }

  /// Calls `body` with the place and the name of each member, until it returns false.
  func visitNames(_ body: (_ place: Int, _ document: JSONDocument, _ name: Int) -> Bool) -> Bool {
    let words = document.tape
    let tape = words.span
    var name = position
    for place in 0..<count {
      guard body(place, document, name) else { return false }
      name = TapeWord.next(tape, name + 1)
    }
    return true
  }

  /// Where the text of all these children is, with everything between them.
  var range: Range<Int> {
    let last = place(of: count - 1)
    return document.start(position)..<document.end(isObject ? last + 1 : last)
  }

  /// The tape position of a child.
  private func place(of index: Int) -> Int {
    let words = document.tape
    let tape = words.span
    var place = position
    for _ in 0..<index { place = TapeWord.next(tape, isObject ? place + 1 : place) }
    return place
  }
}
