// What is compared, and how: --ignore, --only, --unordered and --identity, each a JSON Pointer in which the token `*`
// stands for any member or element.
//
// What is ignored is left out of the tape of a document, so nothing else has to know of it; its bytes stay, so a value
// that goes into the patch goes whole.

import FeedCore

struct Scope {
  enum Purpose: Equatable {
    case ignore
    case only
    case unordered
    case identity([UInt8])
  }

  struct Rule {
    let purpose: Purpose
    let pointer: JSONPointer
    /// As it was typed, for messages: `--ignore /a/*`.
    let text: String
  }

  /// What the rules say of places in a document, by tape position.
  struct Marks {
    var sets: Set<Int> = []
    var identities: [Int: [UInt8]] = [:]
    var pruned: Set<Int> = []
    /// With `--only`: values on the way to what may be chosen, in which nothing is.
    var voids: Set<Int> = []
    /// With `--only`: for each word of the tape that is left, its position on the whole one.
    var origins: [Int] = []
  }

  /// A rule names an element by its index, which is not the same element on both sides.
  struct IndexMismatch: Error {
    let message: String
  }

  private var rules: [Rule] = []

  var isEmpty: Bool { rules.isEmpty }

  mutating func add(_ rule: Rule) { rules.append(rule) }

  /// The document as the rules show it.
  func view(of document: JSONDocument) throws(IndexMismatch) -> (JSONDocument, Marks) {
    if rules.isEmpty { return (document, Marks()) }
    var pruner = Pruner(document, rules)
    try pruner.run()
    return (JSONDocument(document, tape: pruner.tape), pruner.marks)
  }
}
