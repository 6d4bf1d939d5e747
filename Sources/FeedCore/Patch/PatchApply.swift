// Applying a JSON Patch to a tree, and recording how to undo it.

/// How patches are applied, besides what the RFCs say.
package struct PatchOptions: Sendable {
  /// Whether `add` creates missing objects on the way to its target.
  package var makesParents = false
  /// Whether `remove` of a missing value succeeds.
  package var ignoresMissing = false
  /// The largest result in bytes: a short patch could otherwise copy a document into itself without end.
  package var maxSize = 1 << 30
  /// The deepest nesting of containers that the result may have, and the most tokens of a pointer.
  package var maxDepth = JSONScanner.defaultMaxDepth

  package init() {}
}

/// Why a well-formed patch does not apply.
package struct PatchFailure: MessageError, Equatable, Sendable {
  /// `op 3 (remove /results/12/titel): no member 'titel' at /results/12`
  package let message: String
  /// Whether the patch is wrong or exceeds a limit, rather than not fitting the document.
  package let isMalformed: Bool
  package let limit: Limit?

  init(_ message: String, isMalformed: Bool = false, limit: Limit? = nil) {
    self.message = message
    self.isMalformed = isMalformed || limit != nil
    self.limit = limit
  }

  static func tooDeep(_ options: PatchOptions) -> PatchFailure {
    PatchFailure("the result is nested deeper than \(options.maxDepth) levels", limit: .depth)
  }

  static func tooLarge(_ step: String, _ options: PatchOptions) -> PatchFailure {
    PatchFailure(step + ": the result is larger than \(options.maxSize) bytes", limit: .size)
  }
}

extension JSONPatch {
  /// Applies all operations or none.
  /// - Parameters:
  ///   - tree: becomes the result; unchanged if the patch fails.
  ///   - undo: if given, records the changes that undo this patch.
  package func apply(
    to tree: inout JSONTree, _ options: PatchOptions = PatchOptions(), undo: inout UndoLog?
  ) throws(PatchFailure) {
    // If the patch fails, the log takes back what it has done. To hold the old tree instead would make each change copy
    // what it touches; but an old tree in which nothing is open costs nothing.
    let before = tree.untouched == nil ? nil : tree
    var log = before == nil || undo != nil ? UndoLog(capacity: operations.count) : nil
    if let before { log?.keep(before) }
    do throws(PatchFailure) {
      for (index, operation) in operations.enumerated() {
        let problem: String?
        do { problem = try operation.apply(to: &tree, options, &log) } catch { problem = error.message }
        if let problem { throw PatchFailure(operation.label(index + 1) + ": " + problem) }
        if tree.size > options.maxSize { throw .tooLarge(operation.label(index + 1), options) }
      }
      if tree.isDeeper(than: options.maxDepth) { throw .tooDeep(options) }
    } catch {
      if let before { tree = before } else { log?.takeBack(in: &tree) }
      throw error
    }
    if let log { undo?.append(log) }
  }

  /// The same without a record of the changes.
  package func apply(to tree: inout JSONTree, _ options: PatchOptions = PatchOptions()) throws(PatchFailure) {
    var undo: UndoLog?
    try apply(to: &tree, options, undo: &undo)
  }
}

/// A JSON Patch that undoes patches, collected while they are applied.
package struct UndoLog: Sendable {
  /// The steps that undo the changes, the last one to be applied first.
  private var steps: [JSONPatch.Operation] = []
  /// The tree after that many steps, if it is to be put back as a whole.
  private var kept: (tree: JSONTree, count: Int)?

  package init() {}

  /// - Parameter capacity: the number of steps for which there is room.
  fileprivate init(capacity: Int) { steps.reserveCapacity(capacity) }

  /// The patch that turns the result back into the original document.
  package var patch: JSONPatch { JSONPatch(steps.reversed()) }

  /// Adds the changes of the next patch.
  mutating func append(_ next: UndoLog) { steps += next.steps }

  /// Keeps a tree, for instance if a member will be removed: to add it again would put it after all others.
  mutating func keep(_ tree: JSONTree) {
    if kept == nil { kept = (tree, steps.count) }
  }

  /// Whether the steps alone make the tree what it was, also the order of members.
  var isExact: Bool { kept == nil }

  /// Takes back all changes in `tree`.
  mutating func takeBack(in tree: inout JSONTree) {
    if let kept {
      tree = kept.tree
      steps.removeLast(steps.count - kept.count)
    }
    kept = nil
    var noLog: UndoLog?
    while let step = steps.popLast() {
      do { _ = try step.apply(to: &tree, PatchOptions(), &noLog) } catch { preconditionFailure(error.message) }
    }
  }

  /// - Parameter old: the value that was there before; nil for none.
  mutating func put(at place: JSONPointer, _ old: JSONTree?) { steps.append(.undoing(place, old)) }

  mutating func removed(_ old: JSONTree, from place: JSONPointer) { steps.append(.add(old, at: place)) }

  /// - Parameters:
  ///   - path: the value's new place.
  ///   - place: the place that was added: `path` itself, or the first parent that was created for it.
  ///   - old: the value that was there before.
  mutating func moved(
    _ value: JSONTree, from: JSONPointer, to path: JSONPointer, in place: JSONPointer, _ old: JSONTree?
  ) {
    let goesBack = old == nil && place.tokens.count == path.tokens.count && !place.isProperPrefix(of: from)
    // If the new place held another value, or the value moved out of it, or new parents were created, undo that first.
    // Then bring the value back.
    steps += goesBack ? [.move(place, to: from)] : [.add(value, at: from), .undoing(place, old)]
  }
}

extension JSONPatch.Operation {
  /// What takes back that a value was put at `place`.
  /// - Parameter old: the value that was there before; nil for none.
  static func undoing(_ place: JSONPointer, _ old: JSONTree?) -> Self {
    old.map { .replace(place, with: $0) } ?? .remove(place)
  }

  /// What messages call it: `op 3 (remove /a)`.
  func label(_ number: Int) -> String {
    "op \(number) (\(name) \(path.tokens.isEmpty ? "\"\"" : path.shown))"
  }

  /// - Returns: why the operation does not apply although its pointers exist; nil if it was applied.
  func apply(to tree: inout JSONTree, _ options: PatchOptions, _ undo: inout UndoLog?) throws(PointerError) -> String? {
    switch self {
    case .add(let value, let path):
      let addition = try tree.add(value, at: path, makingParents: options.makesParents)
      undo?.put(at: addition.place(path), addition.before)

    case .remove(let path):
      guard !path.tokens.isEmpty else { return Self.wholeDocument }
      do {
        let old = try Self.remove(path, from: &tree, &undo)
        undo?.removed(old, from: path)
      } catch {
        guard options.ignoresMissing, error.isAbsence else { throw error }
      }

    case .replace(let path, let value):
      let old = try tree.replace(at: path, with: value)
      undo?.put(at: path, old)

    case .copy(let from, let path):
      let value = try tree.value(at: from)
      let addition = try tree.add(value, at: path, makingParents: options.makesParents)
      undo?.put(at: addition.place(path), addition.before)

    case .move(let from, let path):
      // RFC 6902 §4.4: a value cannot be moved into one of its children; moving it onto itself changes nothing.
      if from.isProperPrefix(of: path) { return "\(Self.place(from)) cannot be moved into itself" }
      let value = try tree.value(at: from)
      if from == path { return nil }
      _ = try Self.remove(from, from: &tree, &undo)
      let addition: JSONTree.Addition
      do { addition = try tree.add(value, at: path, makingParents: options.makesParents) } catch {
        undo?.removed(value, from: from)
        throw error
      }
      undo?.moved(value, from: from, to: path, in: addition.place(path), addition.before)

    case .test(let path, let expected):
      let found = try tree.value(at: path)
      if !JSONTree.equal(found, expected) {
        return Self.difference(found, expected)
      }
    }
    return nil
  }

  private static func remove(
    _ path: JSONPointer, from tree: inout JSONTree, _ undo: inout UndoLog?
  ) throws(PointerError) -> JSONTree {
    if undo?.isExact == true, let element = try tree.removeElement(at: path) { return element }
    undo?.keep(tree)
    return try tree.remove(at: path)
  }

  private static let wholeDocument = "the whole document cannot be removed"

  private static func place(_ pointer: JSONPointer) -> String {
    pointer.tokens.isEmpty ? "the whole document" : pointer.shown
  }

  private static func difference(_ found: JSONTree, _ expected: JSONTree) -> String {
    if found.kind == .object && expected.kind == .object { return "the objects differ" }
    if found.kind == .array && expected.kind == .array { return "the arrays differ" }
    return "the value is \(excerpt(found)), not \(excerpt(expected))"
  }

  /// A value for a message: all of it if it is short, else its beginning or just its kind.
  private static func excerpt(_ tree: JSONTree) -> String {
    guard let value = tree.untouched else { return tree.kind.name }
    let limit = 40
    guard value.range.count <= limit || value.kind.isString || value.kind == .number else { return value.kind.name }
    return beginning(of: value.text, upTo: limit)
  }
}
