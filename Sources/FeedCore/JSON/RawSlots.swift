/// A run of children as read, which only the tape holds.
struct RawSlots: Sequence, IteratorProtocol {
  private let document: JSONDocument
  private let isObject: Bool
  /// The tape position of the next child: of its name in an object.
  private(set) var position: Int
  private(set) var count: Int

  static let none = RawSlots(document: JSONTree.emptyObject.origin.document, isObject: true, position: 0, count: 0)

  private init(document: JSONDocument, isObject: Bool, position: Int, count: Int) {
    self.document = document
    self.isObject = isObject
    self.position = position
    self.count = count
  }

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
