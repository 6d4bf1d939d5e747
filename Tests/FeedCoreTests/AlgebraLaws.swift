// Laws for any patches and any document. The fuzzer uses the same laws (Tests/Fuzz/AlgebraTarget.swift).

@testable import FeedCore

/// A random document, and patches that mostly apply to it one after another. Names and indexes are few, so that
/// operations often meet, and objects have members called 0, 1 and -.
struct AlgebraLaws {
  /// Returns a number below its argument: from a random number generator, or from the bytes of a fuzzer.
  typealias Pick = (Int) -> Int

  struct Broken: Error, CustomStringConvertible { let description: String }

  let pick: Pick

  // MARK: Laws

  func checkComposition() throws {
    let document = value(depth: 3)
    let documents = [document] + (0..<4).map { _ in variation(of: document) }
    let operations = operations(for: document, count: 1 + pick(12))
    try Self.checkComposition(operations, cutAt: pick(operations.count + 1), pick(operations.count + 1), documents)
  }

  /// Composition changes neither what operations do, nor to which documents they apply, and is never longer.
  static func checkComposition(
    _ operations: [JSONPatch.Operation], cutAt a: Int, _ b: Int, _ documents: [JSONTree]
  ) throws {
    let all = JSONPatch(operations)
    let parts = [
      JSONPatch(Array(operations[..<min(a, b)])), JSONPatch(Array(operations[min(a, b)..<max(a, b)])),
      JSONPatch(Array(operations[max(a, b)...])),
    ]
    let whole = composed(parts)
    for patch in [
      whole, composed([composed(Array(parts[..<2])), parts[2]]), composed([parts[0], composed(Array(parts[1...]))]),
    ] {
      func hold(_ holds: Bool, _ what: String) throws {
        if !holds { throw Broken(description: "\(what): \(text(all)) -> \(text(patch))") }
      }
      try hold(patch.operations.count <= operations.count, "more operations")
      try hold(text(patch).utf8.count <= text(all).utf8.count, "more bytes")
      let again = try JSONPatch(JSONDocument(parsing: Array(text(patch).utf8)).root)
      for document in documents {
        let (expected, result) = (applied(all, to: document), applied(again, to: document))
        let place = "\(text(document)) becomes \(expected.map(text) ?? "nothing"), not \(result.map(text) ?? "nothing")"
        guard let expected, let result else {
          try hold((expected == nil) == (result == nil), place)
          continue
        }
        try hold(JSONTree.equal(expected, result), place)
      }
    }
  }

  /// What can be inverted comes back. What an operation puts must be new, or its old value known.
  func checkInversion() throws {
    let document = value(depth: 3)
    let patch = JSONPatch(tested(operations(for: document, count: 1 + pick(8)), document))
    guard let result = Self.applied(patch, to: document), let inverse = Self.inverted(patch) else { return }
    try Self.checkInversion(patch, inverse, document, result, isAgain: false)
  }

  static func checkInversion(
    _ patch: JSONPatch, _ inverse: JSONPatch, _ document: JSONTree, _ result: JSONTree, isAgain: Bool
  ) throws {
    let back = applied(inverse, to: result)
    guard let back, JSONTree.equal(back, document) else {
      throw Broken(
        description: "\(text(patch)) made \(text(result)) of \(text(document)); \(text(inverse)) makes "
          + (back.map(text) ?? "nothing"))
    }
    guard !isAgain else { return }
    guard let again = inverted(inverse) else {
      // A value that is not known, or a member that may be the end of an array.
      let dash: ArraySlice = [UInt8(ascii: "-")]
      let pointers = (patch.operations + inverse.operations).flatMap(\.accesses).map(\.pointer)
      if patch.operations.contains(where: { $0.name == "copy" }) || pointers.contains(where: { $0.tokens.last == dash })
      {
        return
      }
      throw Broken(description: "\(text(inverse)), which takes back \(text(patch)), has no inverse")
    }
    try checkInversion(inverse, again, result, document, isAgain: true)
  }

  /// Merge patches that can be one do the same as that one.
  func checkMerges() throws {
    let document = value(depth: 3)
    let documents = [document] + (0..<3).map { _ in value(depth: 3) }
    let patches = (0...1 + pick(3)).map { _ in value(depth: 3) }
    var composition = MergeComposition()
    for patch in patches { try composition.append(patch.origin) }
    guard let merge = try? composition.text() else { return }
    let texts = patches.map(Self.text)
    func hold(_ holds: Bool, _ what: String) throws {
      if !holds { throw Broken(description: "\(what): \(texts) -> \(String(decoding: merge, as: UTF8.self))") }
    }
    try hold(merge.count <= texts.reduce(0) { $0 + $1.utf8.count }, "more bytes")
    let patch = try JSONDocument(parsing: merge).root
    for document in documents {
      var (expected, result) = (document, document)
      var undo: UndoLog?
      for patch in patches { try MergePatch.apply(patch.origin, to: &expected, undo: &undo) }
      try MergePatch.apply(patch, to: &result, undo: &undo)
      try hold(JSONTree.equal(expected, result), "\(Self.text(document)) becomes \(Self.text(result))")
    }
  }

  // MARK: Doing it

  static func composed(_ patches: [JSONPatch]) -> JSONPatch {
    var composition = PatchComposition()
    for patch in patches { composition.append(patch) }
    return composition.patch
  }

  static func inverted(_ patch: JSONPatch) -> JSONPatch? {
    var inversion = PatchInversion()
    do { try inversion.append(patch) } catch { return nil }
    return inversion.patch
  }

  static func applied(_ patch: JSONPatch, to document: JSONTree) -> JSONTree? {
    var result = document
    do { try patch.apply(to: &result) } catch { return nil }
    return result
  }

  static func text(_ patch: JSONPatch) -> String {
    var writer = ByteWriter()
    patch.write(compact: true, to: &writer)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  static func text(_ tree: JSONTree) -> String {
    var writer = ByteWriter()
    JSONWriter.writeCompact(tree, to: &writer)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  static func tree(_ text: String) -> JSONTree { JSONTree(JSONDocument(known: Array(text.utf8)).root) }

  // MARK: Making documents

  private static let scalars = ["0", "1", "1.0", "\"x\"", "null", "\"a longer text\""]
  private static let names = ["a", "b", "0", "1", "2", "-", "~"]

  func value(depth: Int) -> JSONTree { Self.tree(valueText(depth: depth)) }

  private func valueText(depth: Int) -> String {
    switch depth == 0 ? 0 : pick(5) {
    case 0: return Self.scalars[pick(Self.scalars.count)]
    case 1, 2: return "[" + (0..<pick(5)).map { _ in valueText(depth: depth - 1) }.joined(separator: ",") + "]"
    default:
      let names = Self.names.filter { _ in pick(3) > 0 }
      return "{" + names.map { "\"\($0)\":" + valueText(depth: depth - 1) }.joined(separator: ",") + "}"
    }
  }

  /// A document with much in common: changed by some operations, or with objects for arrays.
  private func variation(of document: JSONTree) -> JSONTree {
    if pick(2) == 0 { return Self.tree(Self.withoutArrays(document.origin)) }
    return Self.applied(JSONPatch(operations(for: document, count: 1 + pick(3))), to: document) ?? document
  }

  private static func withoutArrays(_ value: JSONValue) -> String {
    guard value.kind.isContainer else { return String(decoding: value.text, as: UTF8.self) }
    let members = value.children.enumerated().map { index, child in
      (child.key.map { String(decoding: $0.text, as: UTF8.self) } ?? "\"\(index)\"") + ":" + withoutArrays(child.value)
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  // MARK: Making patches

  /// Operations, of which most can be applied to the document in this order.
  private func operations(for document: JSONTree, count: Int) -> [JSONPatch.Operation] {
    var current = document
    var operations: [JSONPatch.Operation] = []
    for _ in 0..<count {
      let operation = operation(for: current)
      if let next = Self.applied(JSONPatch([operation]), to: current) {
        current = next
      } else if pick(8) > 0 {
        continue
      }
      operations.append(operation)
    }
    return operations
  }

  private func operation(for document: JSONTree) -> JSONPatch.Operation {
    let path = pointer(in: document)
    switch pick(9) {
    case 0, 1: return .add(value(depth: pick(3)), at: path)
    case 2: return .remove(path)
    case 3, 4: return .replace(path, with: value(depth: pick(3)))
    case 5, 6: return .move(pointer(in: document), to: path)
    case 7: return .copy(pointer(in: document), to: path)
    default:
      var document = document
      let found = try? document.value(at: path)
      return .test(path, equals: found ?? value(depth: 1))
    }
  }

  /// A pointer to something in the document, or beside it.
  private func pointer(in document: JSONTree) -> JSONPointer {
    var tokens: [[UInt8]] = []
    var value = document
    while pick(4) > 0 {
      let children = Array(value.children)
      if children.isEmpty || pick(5) == 0 {
        tokens.append(Array((Self.names + ["-", "3"])[pick(Self.names.count + 2)].utf8))
        break
      }
      let place = pick(children.count)
      tokens.append(children[place].key.map(JSONString.decoded) ?? Array(String(place).utf8))
      value = children[place].value
    }
    return JSONPointer(tokens: tokens)
  }

  /// The operations that apply, with tests of the values that they remove or replace. Without operations that overwrite
  /// a value that no test can name for certain.
  private func tested(_ operations: [JSONPatch.Operation], _ document: JSONTree) -> [JSONPatch.Operation] {
    var current = document
    var result: [JSONPatch.Operation] = []
    for operation in operations {
      var next = current
      var undo: UndoLog? = UndoLog()
      do { try JSONPatch([operation]).apply(to: &next, undo: &undo) } catch { continue }
      let path = operation.path
      let overwrites = undo?.patch.operations.contains { if case .replace = $0 { true } else { false } } ?? false
      let isTested: Bool
      switch operation {
      case .test: isTested = false
      case .remove, .replace: isTested = pick(6) > 0
      case .move(let from, _) where overwrites && from.mayShift(path): continue
      case .add, .copy, .move:
        if overwrites, path.mayEndInArray { continue }
        isTested = overwrites
      }
      if isTested, let old = try? current.value(at: path) { result.append(.test(path, equals: old)) }
      result.append(operation)
      current = next
    }
    return result
  }
}
