/// What is compared, and how: --ignore, --only, --unordered, --identity and --tolerance. Each takes a JSON Pointer in which
/// the token `*` matches any member or element, and `**` any number of them on the way, or none.
///
/// Ignored parts are left out of a document's tape, so no other code has to know about them. Their bytes remain, so a
/// value in the patch is always complete.
package struct Scope {
  /// What a rule says about the values that its pointer matches.
  package enum ScopePurpose: Equatable {
    case ignore
    case only
    case unordered
    /// The members that together identify an item.
    case identity([[UInt8]])
    /// For the numbers there, and in the value there.
    case tolerance(NumberTolerance)
  }

  /// One token of a rule's pointer.
  enum ScopeStep: Equatable {
    case name([UInt8])
    case any
    /// Any number of members and elements, or none.
    case anyNumber
  }

  /// A pointer with a purpose.
  package struct Rule {
    let purpose: ScopePurpose
    let steps: [ScopeStep]
    /// As typed, for messages: `--ignore /a/*`.
    let text: String

    package init(purpose: ScopePurpose, pointer: JSONPointer, text: String) {
      self.purpose = purpose
      self.text = text
      var steps: [ScopeStep] = []
      for token in pointer.tokens {
        let isAny = token.elementsEqual("*".utf8)
        let step: ScopeStep = isAny ? .any : token.elementsEqual("**".utf8) ? .anyNumber : .name(Array(token))
        if step != .anyNumber || steps.last != .anyNumber { steps.append(step) }
      }
      self.steps = steps
    }
  }

  /// The rules for places in a document, by tape position.
  struct Marks {
    var sets: Set<Int> = []
    var identities: [Int: [[UInt8]]] = [:]
    /// From which position on which tolerance applies, in order; nil for none.
    var tolerances: [(start: Int, tolerance: NumberTolerance?)] = []
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
