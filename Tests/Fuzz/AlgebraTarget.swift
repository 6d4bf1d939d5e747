// Patches joined and taken back: laws for any patches (Tests/FeedCoreTests/AlgebraLaws.swift). The first byte chooses
// what comes then: choices from which documents and patches are made; or, as text, a document, 0xFF and a patch.

func fuzzAlgebra(_ bytes: [UInt8]) {
  guard let how = bytes.first else { return }
  var rest = bytes.dropFirst()
  if how & 8 != 0 { return hold { try checkTexts(Array(rest)) } }
  let laws = AlgebraLaws { bound in Int(rest.popFirst() ?? 0) % bound }
  hold {
    switch how & 3 {
    case 0: try laws.checkInversion()
    case 1: try laws.checkMerges()
    default: try laws.checkComposition()
    }
  }
}

private func checkTexts(_ bytes: [UInt8]) throws {
  guard let separator = bytes.firstIndex(of: 0xFF),
    let document = try? JSONDocument(parsing: Array(bytes[..<separator]), maxDepth: 100),
    let text = try? JSONDocument(parsing: Array(bytes[(separator + 1)...]), maxDepth: 100)
  else { return }
  let tree = JSONTree(document.root)
  // If a name occurs twice in an object, the order of its members counts, and an edit may change it.
  if Model(tree).hasDuplicates || Model(JSONTree(text.root)).hasDuplicates { return }
  guard text.root.kind == .array, let patch = try? JSONPatch(text.root) else { return }
  let count = patch.operations.count
  try AlgebraLaws.checkComposition(patch.operations, cutAt: count / 3, count / 2, [tree])
}

private func hold(_ laws: () throws -> Void) {
  do { try laws() } catch { promise(false, "\(error)") }
}
