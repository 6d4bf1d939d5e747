/// A JSON Patch that undoes patches, collected while they are applied.
package struct UndoLog: Sendable {
  /// In the order of the changes, so the last one must be undone first; the steps of each change are in order.
  private var changes: [[JSONPatch.Operation]] = []

  package init() {}

  /// The patch that turns the result back into the original document.
  package var patch: JSONPatch { JSONPatch(changes.reversed().flatMap { $0 }) }

  mutating func added(at place: JSONPointer, _ before: JSONTree.Before) {
    switch before {
    case .nothing: changes.append([.remove(place)])
    case .value(let old): changes.append([.replace(place, with: old)])
    }
  }

  mutating func removed(_ old: JSONTree, from place: JSONPointer) { changes.append([.add(old, at: place)]) }

  mutating func replaced(_ old: JSONTree, at place: JSONPointer) { changes.append([.replace(place, with: old)]) }

  /// - Parameters:
  ///   - path: the value's new place.
  ///   - place: the place that was added: `path` itself, or the first parent that was created for it.
  mutating func moved(
    _ value: JSONTree, from: JSONPointer, to path: JSONPointer, in place: JSONPointer, _ before: JSONTree.Before
  ) {
    if case .nothing = before, place.tokens.count == path.tokens.count, !place.isProperPrefix(of: from) {
      changes.append([.move(place, to: from)])
    } else {
      // The new place held another value, or the value moved out of it, or new parents were created. Undo that first,
      // then bring the value back.
      added(at: place, before)
      changes[changes.count - 1].append(.add(value, at: from))
    }
  }
}
