// The patch that takes a patch back, made without the document. The values that a patch removes or replaces must be
// known from a `test` before, as `jdiff --test` writes them, or from the patch itself:
//
//     test /n 1, replace /n 2        test /n 2, replace /n 1
//     add /l/0 "x"                   test /l/0 "x", remove /l/0
//     move /l/0 -> /l/4              move /l/4 -> /l/0
//
// RFC 6902 has no test that a member is missing. So what `add`, `copy` and `move` put at a place without a known value
// is taken for new. A token that can be an index is taken for one, unless the container is known to be an object.

/// The inverse of several patches that are applied in a row.
package struct PatchInversion {
  /// A value, and when it was there: it holds until an operation changes something there. And the `test` that says it,
  /// as an index of `steps`.
  private typealias KnownValue = (value: JSONTree, time: Int, test: Int?)

  /// For each operation, what takes it back.
  private var steps: [[JSONPatch.Operation]] = []
  private var footprints = PatchFootprints()
  /// Values by the number of their pointer.
  private var known: [Int: KnownValue] = [:]
  private var time = 0

  package init() {}

  /// The patch that takes back all patches so far.
  package var patch: JSONPatch { JSONPatch(steps.reversed().flatMap { $0 }) }

  /// Adds a patch that is applied after the ones so far.
  package mutating func append(_ patch: JSONPatch) throws(PatchFailure) {
    for (index, operation) in patch.operations.enumerated() {
      let inverse: [JSONPatch.Operation]
      do { inverse = try append(operation) } catch {
        throw PatchFailure("\(operation.label(index + 1)): \(error.message)")
      }
      steps.append(inverse)
    }
  }

  private static let noOldValue = PatchFailure("no test before it has the old value")

  /// - Returns: what takes the operation back. Where the new value is known, a `test` of it comes first.
  private mutating func append(_ operation: JSONPatch.Operation) throws(PatchFailure) -> [JSONPatch.Operation] {
    switch operation {
    case .test(let path, let value):
      learn(value, footprints.mark(.read, at: path, time), test: steps.count)
      return [operation]

    case .add(let value, let path):
      let (old, place) = try put(value, at: path)
      return [.test(place, equals: value), .undoing(place, old)]

    case .remove(let path):
      let old = try oldValue(at: path)
      take(path)
      return [.add(old, at: path)]

    case .replace(let path, let value):
      let old = try oldValue(at: path)
      time += 1
      edit(path) { (tree, rest) throws(PointerError) in try tree.replace(at: rest, with: value) }
      learn(value, footprints.mark(.replace, at: path, time))
      return [.test(path, equals: value), .replace(path, with: old)]

    case .copy(let from, let path):
      let value = value(at: from)
      let (old, place) = try put(value, at: path)
      // Without the value there is no test, and the inverse has no inverse.
      return (value.map { [.test(place, equals: $0)] } ?? []) + [.undoing(place, old)]

    case .move(let from, let path): return try append(move: from, to: path)
    }
  }

  private mutating func append(
    move from: JSONPointer, to path: JSONPointer
  ) throws(PatchFailure) -> [JSONPatch.Operation] {
    if from == path { return [] }
    if from.isProperPrefix(of: path) { throw PatchFailure("a value cannot be moved into itself") }
    let value = value(at: from)
    if path.isProperPrefix(of: from) {
      // The value takes the place of the container that it was in.
      guard isMember(path), let value else { throw Self.noOldValue }
      let old = try oldValue(at: path)
      _ = try put(value, at: path)
      return [.test(path, equals: value), .replace(path, with: old)]
    }
    take(from)
    let (old, place) = try put(value, at: path)
    guard let old else { return [.move(place, to: from)] }
    guard from.mayEndInArray else { return [.move(place, to: from), .add(old, at: place)] }
    // If the value comes back first, the place of the old one may be another.
    guard let value else {
      throw PatchFailure("it replaces a value, and no test before it has the value that it moves")
    }
    return [.test(place, equals: value), .replace(place, with: old), .add(value, at: from)]
  }

  // MARK: Changes

  /// - Parameter value: nil if it is not known.
  /// - Returns: the value that was there, and the place with an index instead of `-`.
  private mutating func put(
    _ value: JSONTree?, at path: JSONPointer
  ) throws(PatchFailure) -> (old: JSONTree?, place: JSONPointer) {
    time += 1
    var place = path
    var old: JSONTree?
    let added = value.flatMap { value in
      edit(path) { (tree, rest) throws(PointerError) in try tree.add(value, at: rest) }
    }
    if let added {
      old = added.before
      place = added.place(path)
    } else if isMember(path) {
      old = path.tokens.isEmpty ? try oldValue(at: path) : knownOldValue(at: path)
    } else if path.tokens.last == [UInt8(ascii: "-")] {
      throw PatchFailure("the index of the new element is not known")
    }
    learn(value, footprints.mark(.shift, at: place, time))
    return (old, place)
  }

  /// Notes that the value at `path` goes away.
  private mutating func take(_ path: JSONPointer) {
    time += 1
    edit(path) { (tree, rest) throws(PointerError) in try tree.remove(at: rest) }
    footprints.mark(.shift, at: path, time)
  }

  /// Changes the known value of a container around `path`, before the change is noted in the footprints.
  /// - Returns: nil if there is none. What is known then still holds where nothing changes.
  @discardableResult
  private mutating func edit<Result>(
    _ path: JSONPointer, _ body: (_ tree: inout JSONTree, _ rest: JSONPointer) throws(PointerError) -> Result
  ) -> Result? {
    for (depth, (number, changed)) in footprints.way(to: path).prefix(path.tokens.count).enumerated() {
      guard let entry = known[number], entry.time >= changed else { continue }
      known[number] = nil
      var value = entry.value
      do {
        let result = try body(&value, path.suffix(after: depth))
        known[number] = (value, time, nil)
        return result
      } catch {
        known[number] = entry
        return nil
      }
    }
    return nil
  }

  // MARK: Known values

  private mutating func learn(_ value: JSONTree?, _ number: Int, test: Int? = nil) {
    known[number] = value.map { ($0, time, test) }
  }

  /// The value there now, if a `test` or an operation has said it and nothing has changed it since.
  private mutating func value(at path: JSONPointer) -> JSONTree? {
    let changed = footprints.latest(.read, at: path)
    for (depth, (number, _)) in footprints.way(to: path).enumerated() {
      guard var entry = known[number], entry.time >= changed else { continue }
      // The containers on the way stay open for the next one.
      defer { known[number] = entry }
      do { return try entry.value.value(at: path.suffix(after: depth)) } catch { return nil }
    }
    return nil
  }

  /// The value before it is replaced or removed. A `test` that says just this is not needed in the inverse.
  private mutating func knownOldValue(at path: JSONPointer) -> JSONTree? {
    let way = footprints.way(to: path)
    if way.count == path.tokens.count + 1, let last = way.last, let entry = known[last.number],
      entry.time >= last.changed, let test = entry.test
    {
      steps[test] = []
    }
    return value(at: path)
  }

  private mutating func oldValue(at path: JSONPointer) throws(PatchFailure) -> JSONTree {
    guard let value = knownOldValue(at: path) else { throw Self.noOldValue }
    return value
  }

  /// Whether `path` certainly names a member, or the whole document, and not an array element.
  private mutating func isMember(_ path: JSONPointer) -> Bool {
    !path.mayEndInArray || value(at: path.prefix(path.tokens.count - 1))?.kind == .object
  }
}
