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
  /// The operations so far; nil if one was joined with a later one. And whether an operation puts a value at a place
  /// that an earlier one left. Taking this value away again then leaves no trace: the member was missing, or the element
  /// is inserted and removed.
  private var slots: [(operation: JSONPatch.Operation?, fillsGap: Bool)] = []
  private var footprints = PatchFootprints()
  /// By the number of a pointer, the last `test` there.
  private var tests: [Int: Int] = [:]
  private let maxDepth: Int

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

  /// Appends an operation that could not be joined, and notes where it has been.
  private mutating func push(_ operation: JSONPatch.Operation) {
    let time = slots.count
    slots.append((operation, fillsGap(operation)))
    for (access, pointer) in operation.accesses {
      let number = footprints.mark(access, at: pointer, time)
      if case .test = operation { tests[number] = time }
    }
  }

  // MARK: Known values

  /// Whether a `test` would certainly succeed.
  private mutating func isKnown(_ expected: JSONTree, at pointer: JSONPointer) -> Bool {
    let changed = footprints.latest(.read, at: pointer)
    if let value = value(at: pointer, knownBy: changed) { return JSONTree.equal(value, expected) }
    let last = footprints.way(to: pointer).compactMap { tests[$0.number] }.max() ?? PatchFootprints.never
    guard last > changed, let value = value(at: pointer, knownBy: last) else { return false }
    return JSONTree.equal(value, expected)
  }

  /// The value at `pointer` directly after an operation that puts or tests it, or a container around it.
  private mutating func value(at pointer: JSONPointer, knownBy time: Int) -> JSONTree? {
    change(time, at: pointer) { (tree, rest) throws(PointerError) in try tree.value(at: rest) }
  }

  /// Changes the value that an operation puts or tests.
  /// - Parameter pointer: the place to change, which is `rest` in that value.
  /// - Returns: nil if the operation has no value, `pointer` is not in it, or the change is not possible.
  private mutating func change<Result>(
    _ time: Int, at pointer: JSONPointer,
    _ body: (_ value: inout JSONTree, _ rest: JSONPointer) throws(PointerError) -> Result
  ) -> Result? {
    guard let path = operation(time)?.place, pointer.begins(with: path),
      var value = slots[time].operation?.takeValue()
    else { return nil }
    defer { slots[time].operation?.setValue(value) }
    do { return try body(&value, pointer.suffix(after: path.tokens.count)) } catch { return nil }
  }

  private func operation(_ time: Int) -> JSONPatch.Operation? {
    time == PatchFootprints.never ? nil : slots[time].operation
  }

  // MARK: Which two operations become one
  //
  // The earlier one is the last that the new one depends on, so the new one could come directly after it. A value that
  // is taken away disturbs more: in an array, the elements after it get other indexes. If such an element was used in
  // between, only the earlier operation can be left out, and the new one stays where it is.

  /// - Returns: false if the operation must be appended.
  private mutating func join(replace path: JSONPointer, with value: JSONTree) -> Bool {
    let time = footprints.latest(.replace, at: path)
    guard fits(value, at: path, time) else { return false }
    return change(time, at: path) { (tree, rest) throws(PointerError) in try tree.replace(at: rest, with: value) }
      != nil
  }

  /// A removal before it makes it a replacement; a value around its place takes it in.
  private mutating func join(add value: JSONTree, at path: JSONPointer) -> Bool {
    let time = footprints.latest(.shift, at: path)
    if case .remove(path) = operation(time), !path.tokens.isEmpty {
      slots[time].operation = .replace(path, with: value)
      return true
    }
    guard let place = operation(time)?.placePut, fits(value, at: path, time) else { return false }
    // In an array these are two elements.
    if place == path, path.mayEndInArray { return false }
    return change(time, at: path) { (tree, rest) throws(PointerError) in try tree.add(value, at: rest) } != nil
  }

  /// - Returns: the operations to append instead; nil if it must be appended itself.
  private mutating func join(remove path: JSONPointer) -> [JSONPatch.Operation]? {
    let time = footprints.latest(.replace, at: path)
    let shiftsNothing = footprints.latest(.shift, at: path) == time
    switch operation(time) {
    case .replace(path, _) where shiftsNothing:
      put(.remove(path), time)
      return []
    case .replace(path, _):
      slots[time].operation = nil
      return nil
    case .add(_, path) where shiftsNothing && slots[time].fillsGap:
      slots[time].operation = nil
      return []
    case .add(_, path):
      slots[time].operation?.setValue(.zero)
      return nil
    case .move(let from, path) where canMove(from, over: time, shiftsNothing):
      slots[time].operation = nil
      return [.remove(from)]
    case let operation:
      guard shiftsNothing, operation?.placePut != nil else { return nil }
      return change(time, at: path) { (tree, rest) throws(PointerError) in try tree.remove(at: rest) }.map { _ in [] }
    }
  }

  /// A value that an earlier operation has put, moved or copied to `from` goes directly to `path`.
  /// - Returns: the operations to append instead; nil if it must be appended itself.
  private mutating func join(move from: JSONPointer, to path: JSONPointer) -> [JSONPatch.Operation]? {
    if from == path {
      return value(at: from, knownBy: footprints.latest(.read, at: from)).map { _ in [] }
    }
    if from.isProperPrefix(of: path) { return nil }
    let time = footprints.latest(.replace, at: from)
    let shiftsNothing = footprints.latest(.shift, at: from) == time
    switch operation(time) {
    case .replace(from, let value) where shiftsNothing:
      put(.remove(from), time)
      return [.add(value, at: path)]
    case .replace(from, let value):
      slots[time].operation = nil
      return [.remove(from), .add(value, at: path)]
    case .add(let value, from) where shiftsNothing && slots[time].fillsGap:
      slots[time].operation = nil
      return [.add(value, at: path)]
    case .move(let first, from) where canMove(first, over: time, shiftsNothing) && !first.isProperPrefix(of: path):
      slots[time].operation = nil
      return [.move(first, to: path)]
    case .copy(let first, from)
    where shiftsNothing && slots[time].fillsGap && footprints.latest(.read, at: first) <= time:
      slots[time].operation = nil
      return [.copy(first, to: path)]
    case let operation:
      guard shiftsNothing, let place = operation?.placePut, place != from else { return nil }
      return change(time, at: from) { (tree, rest) throws(PointerError) in try tree.remove(at: rest) }
        .map { [.add($0, at: path)] }
    }
  }

  /// Whether an operation puts its value at a place that is a gap (`slots`).
  private mutating func fillsGap(_ operation: JSONPatch.Operation) -> Bool {
    let path = operation.path
    switch operation {
    case .replace, .remove, .test: return false
    // Its own removal may leave the array too short.
    case .move(let from, _) where from.mayShift(path): return false
    case .add, .copy, .move: break
    }
    switch self.operation(footprints.latest(.shift, at: path)) {
    case .remove(path): return !path.tokens.isEmpty
    case .move(path, let other):
      let isMoved = other.mayShift(path) && path.tokens.count > other.tokens.count
      return !path.begins(with: other) && !isMoved
    case .add, .remove, .replace, .move, .copy, .test, nil: return false
    }
  }

  /// Whether a move that fills a gap, whose value is taken away again, can be made now instead.
  private mutating func canMove(_ from: JSONPointer, over time: Int, _ shiftsNothing: Bool) -> Bool {
    shiftsNothing && slots[time].fillsGap && footprints.latest(.shift, at: from) == time
  }

  /// Makes another operation with the same path of an earlier one.
  private mutating func put(_ operation: JSONPatch.Operation, _ time: Int) {
    slots[time].operation = operation
    for (access, pointer) in operation.accesses { footprints.mark(access, at: pointer, time) }
  }

  /// Whether an operation puts a value around `path`, and stays within the depth with `value` in it.
  private func fits(_ value: JSONTree, at path: JSONPointer, _ time: Int) -> Bool {
    guard let place = operation(time)?.placePut, path.begins(with: place) else { return false }
    // The text of a patch has an array and an object around each value.
    return path.tokens.count - place.tokens.count + value.depthBound + 2 <= maxDepth
  }
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
  fileprivate var placePut: JSONPointer? { if case .test = self { nil } else { place } }

  fileprivate mutating func setValue(_ value: JSONTree) {
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
  fileprivate static let zero = JSONTree(JSONDocument(known: Array("0".utf8)).root)
}
