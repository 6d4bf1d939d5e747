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

  /// A pointer with a purpose.
  package struct Rule {
    let purpose: ScopePurpose
    /// The tokens of its pointer. After `**`, another one would mean nothing.
    let steps: [[UInt8]]
    /// As typed, for messages: `--ignore /a/*`.
    let text: String

    package init(purpose: ScopePurpose, pointer: JSONPointer, text: String) {
      self.purpose = purpose
      self.text = text
      var steps: [[UInt8]] = []
      for token in pointer.tokens where token != Scope.anyNumber[...] || steps.last != Scope.anyNumber {
        steps.append(Array(token))
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

  /// The tokens that match any child, and any number of them on the way.
  static let any = Array("*".utf8)
  static let anyNumber = Array("**".utf8)

  private var rules: [Rule] = []

  package init() {}

  package var isEmpty: Bool { rules.isEmpty }

  /// A rule that is added later decides, where two say something of one place.
  package mutating func add(_ rule: Rule) { rules.append(rule) }

  /// The document without ignored parts.
  /// - Throws: if a rule has an index where the document has an array: the index is not the same element on both sides.
  func view(of document: JSONDocument) throws(FormatError) -> (JSONDocument, Marks) {
    if rules.isEmpty { return (document, Marks()) }
    var pruner = Pruner(document, rules)
    try pruner.run()
    return (JSONDocument(document, tape: pruner.tape), pruner.marks)
  }
}

/// The pointers of all rules of a scope as one tree of steps, so that the cost of a member does not grow with their
/// number. A place in the tree is an index; the root is 0. As a pointer with `**` can lead to a value in several ways, a
/// value has a list of places.
struct ScopeSteps {
  private struct ScopePlace {
    /// The places after each step. A member called `*` may be looked up here, as it takes that step anyway.
    var next: [[UInt8]: Int] = [:]
    /// Those after a name.
    var names: [(name: [UInt8], place: Int)] = []
    /// After the step `*`.
    var any: Int?
    /// After the step `**`.
    var anyNumber: Int?
    /// Whether that is how this place was reached: then it stays, through any number of children.
    var repeats = false
    /// The rules whose pointers end here.
    var ends: [Int] = []
    /// Whether `--only` has a rule that ends here or further on.
    var leadsToOnly = false
    /// The first rule that goes on from here with an index, by its number and step.
    var index: (rule: Int, name: [UInt8])?
  }

  private var places = [ScopePlace()]
  private let rules: [Scope.Rule]

  /// A table finds a name faster if there are more than this.
  private static let many = 8

  init(_ rules: [Scope.Rule]) {
    self.rules = rules
    for (number, rule) in rules.enumerated() {
      var place = 0
      for step in rule.steps {
        if rule.purpose == .only { places[place].leadsToOnly = true }
        place = self.place(after: place, step, number)
      }
      places[place].ends.append(number)
      if rule.purpose == .only { places[place].leadsToOnly = true }
    }
  }

  private mutating func place(after place: Int, _ step: [UInt8], _ rule: Int) -> Int {
    if places[place].index == nil, !places[place].repeats, JSONPointer.isIndex(step[...]) {
      places[place].index = (rule, step)
    }
    if let known = places[place].next[step] { return known }
    let new = places.count
    places.append(ScopePlace())
    places[place].next[step] = new
    if step == Scope.any {
      places[place].any = new
    } else if step == Scope.anyNumber {
      places[place].anyNumber = new
      places[new].repeats = true
    } else {
      places[place].names.append((step, new))
    }
    return new
  }

  // MARK: Following them

  func ends(at place: Int) -> [Int] { places[place].ends }
  func leadsToOnly(_ place: Int) -> Bool { places[place].leadsToOnly }

  /// Whether a pointer goes on from there.
  func leadsOn(_ place: Int) -> Bool {
    let place = places[place]
    return place.repeats || !place.next.isEmpty
  }

  /// Adds a place, and if `**` comes next, the place after it too.
  func enter(_ place: Int, _ active: inout [Int]) {
    if active.contains(place) { return }
    active.append(place)
    if let next = places[place].anyNumber { enter(next, &active) }
  }

  /// The places of a member.
  /// - Parameter key: the position of its name.
  func advance(_ active: [Int], to document: JSONDocument, _ key: Int) -> [Int] {
    var result: [Int] = []
    var name: [UInt8]?
    for number in active {
      let place = places[number]
      if place.repeats { enter(number, &result) }
      if let any = place.any { enter(any, &result) }
      if place.names.count <= Self.many {
        for (name, next) in place.names where MemberName(name[...]).isString(at: key, of: document) {
          enter(next, &result)
        }
      } else {
        let text = name ?? JSONString.decoded(JSONValue(document: document, position: key))
        name = text
        if let next = place.next[text] { enter(next, &result) }
      }
    }
    return result
  }

  /// The places of an element.
  func advance(_ active: [Int], to item: JSONValue) throws(FormatError) -> [Int] {
    var result: [Int] = []
    for number in active {
      let place = places[number]
      if let (rule, name) = place.index {
        throw FormatError(
          "\(rules[rule].text): an item has no fixed place in an array: use '*' instead of '\(quoted(name))'", at: item)
      }
      if place.repeats { enter(number, &result) }
      if let any = place.any { enter(any, &result) }
    }
    return result
  }
}
