// What is compared, and how: --ignore, --only, --unordered and --identity. Each takes a JSON Pointer in which the token
// `*` matches any member or element.
//
// Ignored parts are left out of a document's tape, so no other code has to know about them. Their bytes remain, so a
// value in the patch is always complete.

package struct Scope {
  package enum Purpose: Equatable {
    case ignore
    case only
    case unordered
    case identity([UInt8])
  }

  package struct Rule {
    let purpose: Purpose
    let pointer: JSONPointer
    /// As typed, for messages: `--ignore /a/*`.
    let text: String

    package init(purpose: Purpose, pointer: JSONPointer, text: String) {
      self.purpose = purpose
      self.pointer = pointer
      self.text = text
    }
  }

  /// The rules for places in a document, by tape position.
  struct Marks {
    var sets: Set<Int> = []
    var identities: [Int: [UInt8]] = [:]
    var pruned: Set<Int> = []
    /// With `--only`: values on the way to chosen parts, with nothing chosen in them.
    var voids: Set<Int> = []
    /// With `--only`: for each word that remains on the tape, its position on the original tape.
    var origins: [Int] = []
  }

  /// A rule uses an index, but that index is not the same element on both sides.
  package struct IndexMismatch: Error {
    package let message: String
  }

  private var rules: [Rule] = []

  package init() {}

  package var isEmpty: Bool { rules.isEmpty }

  package mutating func add(_ rule: Rule) { rules.append(rule) }

  /// The document without ignored parts.
  func view(of document: JSONDocument) throws(IndexMismatch) -> (JSONDocument, Marks) {
    if rules.isEmpty { return (document, Marks()) }
    var pruner = Pruner(document, rules)
    try pruner.run()
    return (JSONDocument(document, tape: pruner.tape), pruner.marks)
  }
}
