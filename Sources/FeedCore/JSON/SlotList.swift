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

  let origin: SlotOrigin
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
    /// The current leaf with its words, and the index of the next one.
    private var leaf = SlotNode(from: 0, count: 0)
    private var index = 0
    /// The nodes not yet visited, the next one last.
    private var pending: [SlotNode]

    fileprivate init(_ root: SlotNode, _ origin: SlotOrigin) {
      self.origin = origin
      pending = [root]
    }

    mutating func next() -> Slot? {
      guard findWord() else { return nil }
      let word = leaf.words[index]
      index += 1
      return word >= 0 ? origin.slot(at: word) : leaf.changes[~word]
    }

    /// Children as read that follow each other in their document.
    /// - Returns: the place of the first one, and where the text of all of them is, with everything between them. Nil if
    ///   the next slot is another one, and at the end.
    mutating func nextRun() -> (place: Int, range: Range<Int>)? {
      guard findWord(), leaf.words[index] >= 0 else { return nil }
      let tape = origin.document.tape
      let words = tape.span
      let first = leaf.words[index]
      var last = first
      var value = origin.isObject ? first + 1 : first
      index += 1
      while index < leaf.words.count, leaf.words[index] == TapeWord.next(words, value) {
        last = leaf.words[index]
        value = origin.isObject ? last + 1 : last
        index += 1
      }
      return (first, origin.document.start(first)..<origin.document.end(value))
    }

    /// Goes to the next word that is no gap.
    @inline(__always)
    private mutating func findWord() -> Bool {
      while true {
        while index < leaf.words.count {
          if leaf.words[index] != SlotNode.removed { return true }
          index += 1
        }
        guard let node = pending.popLast() else { return false }
        pending += node.children.reversed()
        leaf = node
        leaf.open(origin)
        index = 0
      }
    }
  }

  func makeIterator() -> Iterator { Iterator(root, origin) }
}
