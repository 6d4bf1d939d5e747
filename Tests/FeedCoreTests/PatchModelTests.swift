// Long random series of patches, compared with a simple model. Almost all of them apply, with many operations on the
// same containers. Trees are kept on the way, and compared at the end: no later patch may change an earlier tree.

import TestSupport
import Testing

@testable import FeedCore

@Suite struct PatchModelTests {
  @Test(arguments: 1...8) func patchesAgreeWithAModel(seed: UInt64) throws {
    var maker = PatchMaker(SeededGenerator(seed: seed))
    let start = maker.document()
    let document = try JSONDocument(parsing: Array((seed % 2 == 0 ? spaced(start.text) : start.text).utf8))
    var kept = [(tree: JSONTree(document.root), model: start)]
    var applied = 0
    for _ in 0..<120 {
      // Usually goes on from the last tree, sometimes from an earlier one.
      var (tree, model) = maker.chance(6) ? maker.pick(kept) : kept[kept.count - 1]
      let before = (tree: tree, model: model)
      let patch = maker.chance(4) ? maker.mergePatch(&model) : maker.patch(&model)
      var undo: UndoLog? = maker.chance(2) ? UndoLog() : nil
      do {
        try apply(patch, to: &tree, &undo)
        applied += 1
      } catch {
        #expect(maker.isBroken, "\(error.message): \(patch)")
        #expect(compact(tree) == before.model.text)
        continue
      }
      #expect(!maker.isBroken, "applied: \(patch)")
      #expect(compact(tree) == model.text, "\(patch)")
      if seed % 2 == 1 { #expect(tree.size == model.text.utf8.count) }
      if let undo { try takeBack(undo.patch, tree, before.model) }
      kept.append((tree, model))
      if kept.count > 30 { kept.remove(at: Int.random(in: 0..<29, using: &maker.random)) }
    }
    #expect(applied > 90)
    for (tree, model) in kept {
      #expect(compact(tree) == model.text)
      var output = ByteWriter()
      JSONVerbatimWriter(of: document).write(tree, to: &output)
      #expect(compact(JSONTree(try JSONDocument(parsing: output.take()).root)) == model.text)
    }
  }

  private func apply(_ patch: String, to tree: inout JSONTree, _ undo: inout UndoLog?) throws(PatchFailure) {
    var options = PatchOptions()
    (options.makesParents, options.ignoresMissing) = (true, true)
    let value = JSONDocument(known: Array(patch.utf8)).root
    if value.kind == .object { return try MergePatch.apply(value, to: &tree, options, undo: &undo) }
    do { try JSONPatch(value).apply(to: &tree, options, undo: &undo) } catch {
      throw error as? PatchFailure ?? PatchFailure("\(error)")
    }
  }

  private func takeBack(_ undo: JSONPatch, _ tree: JSONTree, _ before: SimpleJSON) throws {
    var tree = tree
    try undo.apply(to: &tree)
    #expect(JSONTree.equal(tree, try FeedCoreTests.tree(before.text)))
  }

  /// The same JSON, with white space.
  private func spaced(_ text: String) -> String {
    text.replacing(",", with: ",\n  ").replacing(":", with: " : ").replacing("[", with: "[ ")
  }
}

/// Makes random patches that apply to a model, and applies them to it.
private struct PatchMaker {
  var random: SeededGenerator
  /// Whether the last patch must not apply.
  private(set) var isBroken = false
  private var number = 0

  init(_ random: SeededGenerator) { self.random = random }

  mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

  mutating func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &random)] }

  private mutating func newNumber() -> SimpleJSON {
    number += 1
    return .number(number)
  }

  private mutating func name() -> String {
    chance(8) ? pick(["", "a/b", "m~n", "q\"", "é", "x"]) : "k\(Int.random(in: 0..<120, using: &random))"
  }

  mutating func document() -> SimpleJSON {
    let wide = SimpleJSON.object((0..<100).map { ("k\($0)", chance(3) ? .array([newNumber()]) : newNumber()) })
    let long = SimpleJSON.array((0..<200).map { _ in chance(9) ? .object([("x", newNumber())]) : newNumber() })
    let deep = (0..<40).reduce(newNumber()) { inner, depth in
      depth % 2 == 0 ? .array([newNumber(), inner]) : .object([("a", newNumber()), ("k1", inner)])
    }
    return .object([("wide", wide), ("long", long), ("deep", deep)])
  }

  private mutating func value(_ depth: Int = 0) -> SimpleJSON {
    switch Int.random(in: 0..<(depth > 2 ? 4 : 6), using: &random) {
    case 4: .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth + 1) })
    case 5: .object((0..<Int.random(in: 0..<4, using: &random)).map { ("k\($0)", value(depth + 1)) })
    default: newNumber()
    }
  }

  // MARK: Paths

  private mutating func container(in model: SimpleJSON) -> [String] {
    var path: [String] = []
    var value = model
    while !chance(4) {
      let inner = value.tokens.filter { value[$0]?.isContainer == true }
      guard !inner.isEmpty else { break }
      path.append(pick(inner))
      value = value[path[path.count - 1]] ?? value
    }
    return path
  }

  /// A path to something inside the document; nil if the container that was picked is empty.
  private mutating func child(in model: SimpleJSON) -> [String]? {
    let path = container(in: model)
    let tokens = model.value(at: path)?.tokens ?? []
    return tokens.isEmpty ? nil : path + [pick(tokens)]
  }

  /// A path where something can be added.
  private mutating func target(in model: SimpleJSON) -> [String] {
    let path = container(in: model)
    guard case .array(let elements)? = model.value(at: path) else { return path + [name()] }
    return path + [chance(3) ? "-" : "\(Int.random(in: 0...elements.count, using: &random))"]
  }

  // MARK: Patches

  mutating func patch(_ model: inout SimpleJSON) -> String {
    var operations: [String] = []
    for _ in 0..<Int.random(in: 1...60, using: &random) { operation(&model).map { operations.append($0) } }
    isBroken = chance(10)
    if isBroken {
      let failing = pick([
        "\"test\",\"path\":\"\",\"value\":-1", "\"remove\",\"path\":\"\"",
        "\"copy\",\"from\":\"/none\",\"path\":\"\"",
      ])
      operations.append("{\"op\":\(failing)}")
    }
    return "[" + operations.joined(separator: ",") + "]"
  }

  private mutating func operation(_ model: inout SimpleJSON) -> String? {
    func text(_ op: String, _ path: [String], _ more: String = "") -> String {
      "{\"op\":\"\(op)\",\"path\":\(SimpleJSON.pointer(path))\(more)}"
    }
    switch Int.random(in: 0..<14, using: &random) {
    case 0...3:
      let (path, value) = (target(in: model), value())
      model.add(path, value)
      return text("add", path, ",\"value\":" + value.text)
    case 4, 5:
      guard let path = child(in: model) else { return nil }
      model.remove(path)
      return text("remove", path)
    case 6, 7:
      guard let path = child(in: model) else { return nil }
      let value = value()
      model.replace(path, value)
      return text("replace", path, ",\"value\":" + value.text)
    case 8, 9:
      guard let from = child(in: model), let value = model.value(at: from), value.text.utf8.count < 500 else {
        return nil
      }
      let path = target(in: model)
      model.add(path, value)
      return text("copy", path, ",\"from\":" + SimpleJSON.pointer(from))
    case 10, 11:
      guard let from = child(in: model), let value = model.value(at: from) else { return nil }
      var rest = model
      rest.remove(from)
      let path = target(in: rest)
      rest.add(path, value)
      // RFC 6902 §4.4 refuses a pointer that begins with `from`, although something else has moved there by then.
      guard !path.starts(with: from) else { return nil }
      model = rest
      return text("move", path, ",\"from\":" + SimpleJSON.pointer(from))
    case 12:
      let path = container(in: model)
      guard let value = model.value(at: path) else { return nil }
      return text("test", path, ",\"value\":" + value.text)
    default:
      let path = container(in: model)
      guard case .object? = model.value(at: path) else { return nil }
      if chance(2) { return text("remove", path + ["none"]) }
      let value = newNumber()
      let missing = "new\(number)"
      model.add(path + [missing], .object([("a", .object([("b", value)]))]))
      return text("add", path + [missing, "a", "b"], ",\"value\":" + value.text)
    }
  }

  mutating func mergePatch(_ model: inout SimpleJSON) -> String {
    isBroken = false
    let patch = changes(of: model, 0)
    model.merge(patch)
    return patch.text.replacing(/-\d+/) { _ in "null" }
  }

  private mutating func changes(of model: SimpleJSON, _ depth: Int) -> SimpleJSON {
    var names = Set(model.tokens.filter { _ in chance(4) })
    for _ in 0..<3 where chance(2) { names.insert(name()) }
    return .object(
      names.sorted().map { name in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return (name, .number(-1))
        case 1, 2:
          if let inner = model[name], inner.isContainer, depth < 6 { return (name, changes(of: inner, depth + 1)) }
        default: break
        }
        return (name, value())
      })
  }
}
