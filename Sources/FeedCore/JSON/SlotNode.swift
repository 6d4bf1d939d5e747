/// Where the children of a container are that nobody has changed: on the tape of its document.
struct SlotOrigin {
  typealias Slot = JSONNode.Slot

  let document: JSONDocument
  let isObject: Bool

  /// The child at a place: the tape position of its name in an object, and of its value in an array.
  @inline(__always)
  func slot(at place: Int) -> Slot {
    Slot(
      key: isObject ? JSONValue(document: document, position: place) : nil,
      value: JSONTree(JSONValue(document: document, position: isObject ? place + 1 : place)), place: place)
  }

  /// Whether a slot is the child that was read at its place, unchanged.
  func isAsRead(_ slot: Slot) -> Bool {
    guard slot.place >= 0, let value = slot.value.untouched, value.document === document else { return false }
    guard isObject else { return value.position == slot.place }
    return value.position == slot.place + 1 && slot.key?.document === document && slot.key?.position == slot.place
  }

  /// Calls `body` with the places of `count` children, from the one at `start`.
  @inline(__always)
  func visitPlaces(from start: Int, _ count: Int, _ body: (_ index: Int, _ place: Int) -> Void) {
    let words = document.tape
    let tape = words.span
    var place = start
    for index in 0..<count {
      body(index, place)
      place = TapeWord.next(tape, isObject ? place &+ 1 : place)
    }
  }
}

/// A node of a `SlotList`: an inner node has children, a leaf has a word for each slot. A raw leaf has no words: it is a
/// run of the tape.
struct SlotNode {
  typealias Slot = JSONNode.Slot

  private(set) var children: [SlotNode] = []
  /// How many slots are in it and below it.
  private(set) var count = 0
  /// Of a raw leaf: the place of its first child.
  private(set) var start = 0
  /// For each slot of a leaf: the place of a child as read, or the complement of an index in `changes`, or `removed`.
  private(set) var words: [Int] = []
  /// The children of a leaf that were put in or changed, in any order.
  private(set) var changes: [Slot] = []

  /// The word of a member that was removed.
  static let removed = Int.min

  /// A raw leaf.
  init(from start: Int, count: Int) { (self.start, self.count) = (start, count) }

  init(children: [SlotNode]) {
    self.children = children
    count = children.reduce(0) { $0 + $1.count }
  }

  init(_ slots: some Sequence<Slot>, _ origin: SlotOrigin) {
    for slot in slots { words.append(origin.isAsRead(slot) ? slot.place : add(slot)) }
    count = words.count
  }

  /// A part of the slots of a leaf.
  private init(_ words: ArraySlice<Int>, of node: SlotNode) { append(words, of: node) }

  var isLeaf: Bool { children.isEmpty }
  private var isRaw: Bool { words.isEmpty && isLeaf }
  /// How many slots or children the node itself has.
  private var size: Int { isLeaf ? count : children.count }

  /// Which child has the slot at `index`, which becomes the index in that child. The last child also takes the index
  /// after its end, where a slot may be inserted.
  private func child(with index: inout Int) -> Int {
    var child = 0
    while child < children.count - 1, index >= children[child].count {
      index -= children[child].count
      child += 1
    }
    return child
  }

  func slot(at index: Int, _ origin: SlotOrigin) -> Slot {
    var index = index
    guard isLeaf else { return children[child(with: &index)].slot(at: index, origin) }
    guard !isRaw else {
      var place = start
      origin.visitPlaces(from: start, index + 1) { place = $1 }
      return origin.slot(at: place)
    }
    return words[index] >= 0 ? origin.slot(at: words[index]) : changes[~words[index]]
  }

  /// Calls `body` for each member that is not removed.
  /// - Parameter first: the index of the first slot.
  func visitNames(from first: Int, _ origin: SlotOrigin, _ body: (_ index: Int, _ name: JSONValue) -> Void) {
    if isRaw {
      origin.visitPlaces(from: start, count) { index, place in
        body(first + index, JSONValue(document: origin.document, position: place))
      }
    }
    for (index, word) in words.enumerated() where word != Self.removed {
      if let key = word >= 0 ? origin.slot(at: word).key : changes[~word].key { body(first + index, key) }
    }
    var next = first
    for child in children {
      child.visitNames(from: next, origin, body)
      next += child.count
    }
  }

  /// The members of one name that a search has found.
  struct NameMatch {
    var slot: Int?
    var isDuplicate = false

    @inline(__always)
    mutating func add(_ index: Int) {
      isDuplicate = slot != nil
      slot = index
    }
  }

  /// Searches all members for a name, until a second one has it.
  /// - Parameters:
  ///   - first: the index of the first slot.
  ///   - text: the bytes of the origin's document.
  ///   - tape: its tape.
  func find(
    _ name: MemberName, from first: Int, _ origin: SlotOrigin, _ text: borrowing Span<UInt8>,
    _ tape: borrowing Span<UInt64>, _ match: inout NameMatch
  ) {
    if isRaw {
      var place = start
      for index in 0..<count {
        if name.isString(at: place, of: origin.document, text, tape) { match.add(first + index) }
        place = TapeWord.next(tape, place &+ 1)
      }
    }
    for index in words.indices where words[index] != Self.removed {
      let word = words[index]
      let place = word >= 0 ? word : changes[~word].place
      if place >= 0 {
        if name.isString(at: place, of: origin.document, text, tape) { match.add(first + index) }
      } else if let key = changes[~word].key, name.isString(at: key.position, of: key.document) {
        match.add(first + index)
      }
    }
    var next = first
    for child in children where !match.isDuplicate {
      child.find(name, from: next, origin, text, tape, &match)
      next += child.count
    }
  }

  // MARK: Changing

  /// Changes a slot that is not removed.
  mutating func change<Result>(at index: Int, _ origin: SlotOrigin, _ body: (inout Slot) -> Result) -> Result {
    var index = index
    guard isLeaf else { return children[child(with: &index)].change(at: index, origin, body) }
    open(origin)
    if words[index] >= 0 { words[index] = add(origin.slot(at: words[index])) }
    return body(&changes[~words[index]])
  }

  /// - Returns: the right part if the node had to be split.
  mutating func insert(_ slot: Slot, at index: Int, _ origin: SlotOrigin) -> SlotNode? {
    var index = index
    open(origin)
    count += 1
    guard isLeaf else {
      let child = child(with: &index)
      guard let right = children[child].insert(slot, at: index, origin) else { return nil }
      children.insert(right, at: child + 1)
      guard children.count > SlotList.width else { return nil }
      let part = SlotNode(children: Array(children[Self.half(children.count, child + 1)...]))
      children.removeLast(part.children.count)
      count -= part.count
      return part
    }
    words.insert(add(slot), at: index)
    guard count > SlotList.width else { return nil }
    let half = Self.half(count, index)
    let right = SlotNode(words[half...], of: self)
    self = SlotNode(words[..<half], of: self)
    return right
  }

  /// Where to split: in the middle, but before an item that was just appended. So appending fills every node.
  private static func half(_ count: Int, _ inserted: Int) -> Int { inserted == count - 1 ? inserted : count / 2 }

  /// Removes a slot.
  /// - Parameter leavesGap: whether the slots after it keep their indexes.
  mutating func remove(at index: Int, leavesGap: Bool, _ origin: SlotOrigin) -> Slot {
    var index = index
    open(origin)
    if !leavesGap { count -= 1 }
    guard isLeaf else {
      let child = child(with: &index)
      defer { if !leavesGap { join(child, origin) } }
      return children[child].remove(at: index, leavesGap: leavesGap, origin)
    }
    let word = words[index]
    if leavesGap { words[index] = Self.removed } else { words.remove(at: index) }
    return word >= 0 ? origin.slot(at: word) : takeChange(~word)
  }

  /// Removes an empty child; joins a small one with a neighbour if both fit in one node.
  private mutating func join(_ child: Int, _ origin: SlotOrigin) {
    if children[child].count == 0, children.count > 1 {
      children.remove(at: child)
    } else if children[child].size < SlotList.width / 4, !merge(child - 1, origin) {
      _ = merge(child, origin)
    }
  }

  /// Makes one child of two neighbours, if both are there and fit into one.
  private mutating func merge(_ left: Int, _ origin: SlotOrigin) -> Bool {
    guard left >= 0, left + 1 < children.count,
      children[left].size + children[left + 1].size <= SlotList.width
    else { return false }
    var right = children.remove(at: left + 1)
    if right.isLeaf {
      children[left].open(origin)
      right.open(origin)
      children[left].append(right.words[...], of: right)
    } else {
      children[left].children += right.children
      children[left].count += right.count
    }
    return true
  }

  /// Gives a raw leaf its words, before its count changes.
  mutating func open(_ origin: SlotOrigin) {
    guard isRaw else { return }
    words.reserveCapacity(count + 1)
    origin.visitPlaces(from: start, count) { words.append($1) }
  }

  private mutating func append(_ words: ArraySlice<Int>, of node: SlotNode) {
    for word in words {
      self.words.append(word >= 0 || word == Self.removed ? word : add(node.changes[~word]))
    }
    count += words.count
  }

  /// - Returns: the word of the new change.
  private mutating func add(_ slot: Slot) -> Int {
    changes.append(slot)
    return ~(changes.count - 1)
  }

  /// Takes a change out. The last one gets its place.
  private mutating func takeChange(_ number: Int) -> Slot {
    changes.swapAt(number, changes.count - 1)
    if number < changes.count - 1, let word = words.firstIndex(of: ~(changes.count - 1)) { words[word] = ~number }
    return changes.removeLast()
  }
}
