// One patch that does what several do in a row, and applies to exactly the same documents. Each operation is taken
// back to the last one that it depends on (PatchFootprints). If these two can be one, they become one:
//
//     add /a {"b":1}, replace /a/b 2     add /a {"b":2}        the value is known, and so is the kind of container
//     replace /n 1, replace /n 2         replace /n 2
//     remove /n, add /n 2                replace /n 2          in an object and in an array
//     replace /n 1, test /n 1            replace /n 1
//
// Otherwise nothing is known about the document: /l may be an array or an object, and /l/0 may exist or not. So
// `add /l/0` twice stays, since it may be two elements. `add /n 1` and `remove /n` stay, since /n may have been there;
// but the value that nobody sees becomes 0. An operation that could fail is never left out unless another one
// fails on the same documents. So one pass is enough, and each step costs as much as the pointers are long.

/// Operations of several patches, joined where one is enough.
package struct PatchComposition {
  struct PatchSlot {
    /// Nil if it was joined with a later operation.
    var operation: JSONPatch.Operation?
    /// Whether it puts a value at a place that an earlier operation left. Taking this value away again then leaves no
    /// trace: the member was missing, or the element is inserted and removed.
    let fillsGap: Bool
  }

  var slots: [PatchSlot] = []
  var footprints = PatchFootprints()
  /// By the number of a pointer, the last `test` there.
  private var tests: [Int: Int] = [:]
  let maxDepth: Int

  /// - Parameter maxDepth: how deep containers may be nested in the text of the result. No operation becomes deeper
  ///   than that by joining.
  package init(maxDepth: Int = JSONScanner.defaultMaxDepth) { self.maxDepth = maxDepth }

  /// All operations so far.
  package var patch: JSONPatch { JSONPatch(slots.compactMap(\.operation)) }

  /// Adds a patch after the ones so far.
  package mutating func append(_ patch: JSONPatch) {
    for operation in patch.operations {
      // A joined operation may be joined again. The first one is last.
      var pending = [operation]
      while let next = pending.popLast() { pending += append(next).reversed() }
    }
  }

  /// - Returns: the operations to append instead; none if this one was appended or joined.
  private mutating func append(_ operation: JSONPatch.Operation) -> [JSONPatch.Operation] {
    switch operation {
    case .add(let value, let path): if !join(add: value, at: path) { push(operation) }
    case .replace(let path, let value): if !join(replace: path, with: value) { push(operation) }
    case .test(let path, let value): if !isKnown(value, at: path) { push(operation) }
    case .remove(let path):
      if let others = join(remove: path) { return others }
      push(operation)
    case .copy(let from, let path):
      // Not if the patch would become longer.
      if let value = value(at: from, knownBy: footprints.latest(.read, at: from)), value.size <= from.text.count + 2 {
        return [.add(value, at: path)]
      }
      push(operation)
    case .move(let from, let path):
      if let others = join(move: from, to: path) { return others }
      push(operation)
    }
    return []
  }

  private mutating func push(_ operation: JSONPatch.Operation) {
    let time = slots.count
    slots.append(PatchSlot(operation: operation, fillsGap: fillsGap(operation)))
    for (access, pointer) in operation.accesses {
      let number = footprints.mark(access, at: pointer, time)
      if case .test = operation { tests[number] = time }
    }
  }

  // MARK: Known values

  /// Whether a `test` would certainly succeed.
  private mutating func isKnown(_ expected: JSONTree, at pointer: JSONPointer) -> Bool {
    let changed = footprints.latest(.read, at: pointer)
    if let value = value(at: pointer, knownBy: changed) { return JSONEquality.equal(value, expected) }
    let last = footprints.way(to: pointer).compactMap { tests[$0.number] }.max() ?? PatchFootprints.never
    guard last > changed, let value = value(at: pointer, knownBy: last) else { return false }
    return JSONEquality.equal(value, expected)
  }

  /// The value at `pointer` directly after an operation that puts or tests it, or a container around it.
  mutating func value(at pointer: JSONPointer, knownBy time: Int) -> JSONTree? {
    change(time, at: pointer) { (tree, rest) throws(PointerError) in try tree.value(at: rest) }
  }

  /// Changes the value that an operation puts or tests.
  /// - Parameter pointer: the place to change, which is `rest` in that value.
  /// - Returns: nil if the operation has no value, `pointer` is not in it, or the change is not possible.
  mutating func change<Result>(
    _ time: Int, at pointer: JSONPointer,
    _ body: (_ value: inout JSONTree, _ rest: JSONPointer) throws(PointerError) -> Result
  ) -> Result? {
    guard let path = operation(time)?.place, pointer.begins(with: path),
      var value = slots[time].operation?.takeValue()
    else { return nil }
    defer { slots[time].operation?.setValue(value) }
    do { return try body(&value, pointer.suffix(after: path.tokens.count)) } catch { return nil }
  }

  func operation(_ time: Int) -> JSONPatch.Operation? { time == PatchFootprints.never ? nil : slots[time].operation }
}

extension JSONPatch.Operation {
  /// The place of the value that it puts or tests; nil if it has no value, or may append it to an array.
  fileprivate var place: JSONPointer? {
    switch self {
    case .add(_, let path): path.tokens.last == [UInt8(ascii: "-")] ? nil : path
    case .replace(let path, _), .test(let path, _): path
    case .remove, .move, .copy: nil
    }
  }

  /// The place of the value that it puts.
  var placePut: JSONPointer? { if case .test = self { nil } else { place } }

  /// The value that it puts or tests.
  fileprivate var value: JSONTree? {
    switch self {
    case .add(let value, _), .replace(_, let value), .test(_, let value): value
    case .remove, .move, .copy: nil
    }
  }

  mutating func setValue(_ value: JSONTree) {
    switch self {
    case .add(_, let path): self = .add(value, at: path)
    case .replace(let path, _): self = .replace(path, with: value)
    case .test(let path, _): self = .test(path, equals: value)
    case .remove, .move, .copy: break
    }
  }

  /// The value, so that nobody else holds it until it is set again.
  fileprivate mutating func takeValue() -> JSONTree? {
    let value = value
    setValue(.zero)
    return value
  }
}

extension JSONTree {
  /// A short value for a place where nobody looks.
  static let zero = JSONTree(JSONDocument(known: Array("0".utf8)).root)
}
