// Which two operations become one. The earlier one is the last that the new one depends on, so the new one could come
// directly after it. A value that is taken away disturbs more: in an array, the elements after it get other indexes. If
// such an element was used in between, only the earlier operation can be left out, and the new one stays where it is.

extension PatchComposition {
  /// - Returns: false if the operation must be appended.
  mutating func join(replace path: JSONPointer, with value: JSONTree) -> Bool {
    let time = footprints.latest(.replace, at: path)
    guard fits(value, at: path, time) else { return false }
    return change(time, at: path) { (tree, rest) throws(PointerError) in try tree.replace(at: rest, with: value) }
      != nil
  }

  mutating func join(add value: JSONTree, at path: JSONPointer) -> Bool {
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
  mutating func join(remove path: JSONPointer) -> [JSONPatch.Operation]? {
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

  mutating func join(move from: JSONPointer, to path: JSONPointer) -> [JSONPatch.Operation]? {
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

  /// Whether an operation puts its value at a place that is a gap (`Slot.fillsGap`).
  mutating func fillsGap(_ operation: JSONPatch.Operation) -> Bool {
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
