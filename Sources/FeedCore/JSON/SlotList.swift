/// The children of an opened container, as a list whose old copies stay valid: a B-tree by position. To get, replace,
/// insert or remove one slot costs the logarithm of the length. Inserting at the head of a million elements costs no
/// more than at the end.
///
/// The nodes are values in arrays: a change copies the arrays that another list shares, and changes its own in place. So
/// a patch copies each node at most once, however many operations it has, and older copies of the list keep their slots.
///
/// A leaf in which nothing has changed only knows where its children begin on the tape. So to open a container costs
/// little more than to count its children. In any other leaf a child as read is one number. So it costs no more to copy.
struct SlotList {
  typealias Slot = JSONNode.Slot

  /// A node holds at most this many slots or nodes.
  static let width = 32
  /// New nodes are three quarters full, so that the first insertions do not split every node.
  static let fill = width * 3 / 4

  private let origin: SlotOrigin
  private var root: SlotNode

  var count: Int { root.count }

  /// The children of a container, as read.
  init(of container: JSONValue) {
    let document = container.document
    let origin = SlotOrigin(document: document, isObject: container.kind == .object)
    let words = document.tape
    let tape = words.span
    let end = document.last(container.position)
    var position = document.first(container.position)
    var leaves: [SlotNode] = []
    while position < end {
      let start = position
      var count = 0
      while position < end, count < Self.fill {
        position = TapeWord.next(tape, origin.isObject ? position + 1 : position)
        count += 1
      }
      leaves.append(SlotNode(from: start, count: count))
    }
    self.init(origin, leaves)
  }

  /// Slots that were chosen elsewhere.
  /// - Parameter container: the one in whose document their places are.
  init(_ slots: [Slot], of container: JSONValue) {
    self.init(slots, SlotOrigin(document: container.document, isObject: container.kind == .object))
  }

  private init(_ slots: [Slot], _ origin: SlotOrigin) {
    self.init(
      origin, stride(from: 0, to: slots.count, by: Self.fill).map { SlotNode(slots[$0...].prefix(Self.fill), origin) })
  }

  private init(_ origin: SlotOrigin, _ leaves: [SlotNode]) {
    self.origin = origin
    var level = leaves
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: Self.fill).map {
        SlotNode(children: Array(level[$0...].prefix(Self.fill)))
      }
    }
    root = level.first ?? SlotNode(from: 0, count: 0)
  }

  subscript(index: Int) -> Slot { root.slot(at: index, origin) }

  /// Calls `body` for each member that is not removed.
  func visitNames(_ body: (_ index: Int, _ name: JSONValue) -> Void) { root.visitNames(from: 0, origin, body) }

  /// Searches all members for a name.
  func find(_ name: MemberName) -> SlotNode.NameMatch {
    var match = SlotNode.NameMatch()
    let (bytes, words) = (origin.document.bytes, origin.document.tape)
    root.find(name, from: 0, origin, bytes.span, words.span, &match)
    return match
  }

  /// Changes a slot that is not removed.
  mutating func change<Result>(at index: Int, _ body: (inout Slot) -> Result) -> Result {
    root.change(at: index, origin, body)
  }

  /// - Returns: the former value.
  mutating func replace(_ index: Int, with value: JSONTree) -> JSONTree {
    var old = value
    change(at: index) { swap(&$0.value, &old) }
    return old
  }

  mutating func insert(_ slot: Slot, at index: Int) {
    guard let right = root.insert(slot, at: index, origin) else { return }
    root = SlotNode(children: [root, right])
  }

  mutating func append(_ slot: Slot) { insert(slot, at: count) }

  /// Removes a slot.
  /// - Parameter leavesGap: whether the slots after it keep their indexes. Nothing may ask for the slot of a gap.
  @discardableResult
  mutating func remove(at index: Int, leavesGap: Bool = false) -> Slot {
    defer { while root.children.count == 1 { root = root.children[0] } }
    return root.remove(at: index, leavesGap: leavesGap, origin)
  }

  /// The gaps go.
  mutating func removeGaps() { self = SlotList(Array(self), origin) }
}

extension SlotList: Sequence {
  /// Iterates over the slots in order, without the gaps, in constant time per step.
  struct Iterator: IteratorProtocol {
    private let origin: SlotOrigin
    /// What is left of the current leaf: a run of the tape, or words from `index` on.
    private var run: RawSlots
    private var leaf = SlotNode(from: 0, count: 0)
    private var index = 0
    /// The nodes not yet visited, the next one last.
    private var pending: [SlotNode]

    fileprivate init(_ root: SlotNode, _ origin: SlotOrigin) {
      self.origin = origin
      run = RawSlots(origin, from: 0, count: 0)
      pending = [root]
    }

    @inline(__always)
    mutating func next() -> Slot? {
      while true {
        if let slot = run.next() { return slot }
        while index < leaf.words.count {
          let word = leaf.words[index]
          index += 1
          if word >= 0 { return origin.slot(at: word) }
          if word != SlotNode.removed { return leaf.changes[~word] }
        }
        guard nextLeaf() else { return nil }
      }
    }

    /// The next slots if they are as read.
    mutating func nextRun() -> RawSlots? {
      while run.isEmpty, index == leaf.words.count {
        guard nextLeaf() else { return nil }
      }
      defer { run = RawSlots(origin, from: 0, count: 0) }
      return run.isEmpty ? nil : run
    }

    private mutating func nextLeaf() -> Bool {
      guard let node = pending.popLast() else { return false }
      pending += node.children.reversed()
      leaf = node
      index = 0
      run = RawSlots(origin, from: node.start, count: node.isLeaf && node.words.isEmpty ? node.count : 0)
      return true
    }
  }

  func makeIterator() -> Iterator { Iterator(root, origin) }
  var underestimatedCount: Int { 0 }
}

/// A run of children as read, which only the tape holds.
struct RawSlots: Sequence, IteratorProtocol {
  private let origin: SlotOrigin
  /// The place of the next child.
  private(set) var position: Int
  private(set) var count: Int

  init(_ origin: SlotOrigin, from position: Int, count: Int) {
    (self.origin, self.position, self.count) = (origin, position, count)
  }

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  mutating func next() -> JSONNode.Slot? {
    guard count > 0 else { return nil }
    let slot = origin.slot(at: position)
    position = origin.document.next(slot.value.origin.position)
    count -= 1
    return slot
  }

  /// Where the text of all these children is, with everything between them.
  var range: Range<Int> {
    var last = position
    origin.visitPlaces(from: position, count) {
      last = $1; return true
    }
    return origin.document.start(position)..<origin.document.end(origin.isObject ? last + 1 : last)
  }
}
