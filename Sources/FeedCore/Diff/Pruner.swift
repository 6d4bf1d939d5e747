// Copies the tape of a document without the parts that a scope leaves out, and records the rules for the rest.

/// A list of open containers replaces recursion.
struct Pruner {
  /// A container that is being copied.
  private struct PrunedLevel {
    /// The position of the next name or element, and of the closing word.
    var next: Int
    let end: Int
    /// The position of the container in the copy.
    let copy: Int
    let isObject: Bool
    let active: [Int]
    /// Those of its elements; they are the same for all.
    var activeInElements: [Int]?
    /// The last rule for the numbers in the container.
    let tolerance: Int?
    /// Whether the container is in a part chosen by `--only`; true without such rules.
    let isChosen: Bool
    /// Whether something in it is chosen.
    var hasChosen: Bool
    var isPruned = false
  }

  private let document: JSONDocument
  private let rules: [Scope.Rule]
  private let steps: ScopeSteps
  private let hasOnly: Bool
  /// The copy, after `run`.
  private(set) var tape: [UInt64] = []
  private var levels: [PrunedLevel] = []
  /// The rule for the numbers that come next on the copy.
  private var currentTolerance: Int?
  private(set) var marks = Scope.Marks()

  init(_ document: JSONDocument, _ rules: [Scope.Rule]) {
    self.document = document
    self.rules = rules
    steps = ScopeSteps(rules)
    hasOnly = rules.contains { $0.purpose == .only }
    tape.reserveCapacity(document.tape.count)
  }

  mutating func run() throws(FormatError) {
    var active: [Int] = []
    steps.enter(0, &active)
    if ends(active, .ignore) {
      // Everything is ignored: any two such documents are equal.
      for word in [TapeWord.make(.array, at: 0), TapeWord.skip(to: 3), TapeWord.closing(at: 0)] {
        append(word, from: 0)
      }
      return
    }
    take(key: nil, 0, active, isChosen: !hasOnly || ends(active, .only))
    while let level = levels.last {
      guard level.next < level.end else {
        close()
        continue
      }
      let key = level.isObject ? level.next : nil
      let child = level.isObject ? level.next + 1 : level.next
      levels[levels.count - 1].next = document.next(child)
      let active: [Int]
      if let known = level.activeInElements {
        active = known
      } else {
        active =
          if let key { steps.advance(level.active, to: document, key) } else {
            try steps.advance(level.active, to: JSONValue(document: document, position: child))
          }
        if key == nil { levels[levels.count - 1].activeInElements = active }
      }
      let isChosen = level.isChosen || ends(active, .only)
      let isOnTheWay = isChosen || active.contains(where: steps.leadsToOnly)
      if ends(active, .ignore) || !isOnTheWay {
        levels[levels.count - 1].isPruned = true
      } else {
        take(key: key, child, active, isChosen: isChosen)
      }
    }
  }

  private func ends(_ active: [Int], _ purpose: Scope.ScopePurpose) -> Bool {
    active.contains { steps.ends(at: $0).contains { rules[$0].purpose == purpose } }
  }

  /// Copies a value as a whole if no rule goes on in it, else opens it.
  private mutating func take(key: Int?, _ value: Int, _ active: [Int], isChosen: Bool) {
    if let key { append(document.tape[key], from: key) }
    let kind = document.kind(value)
    let leadsOn = !isChosen || active.contains(where: steps.leadsOn)
    if isChosen, !levels.isEmpty { levels[levels.count - 1].hasChosen = true }
    let position = tape.count
    let tolerance = tolerance(active)
    guard kind.isContainer, leadsOn else {
      copy(value)
      if !isChosen {
        marks.voids.insert(position)
        // Nothing in it counts, so nothing in it may be replaced together with what is around it.
        if !levels.isEmpty { levels[levels.count - 1].isPruned = true }
      }
      return mark(position, active)
    }
    append(document.tape[value], from: value)
    append(0, from: value + 1)
    levels.append(
      PrunedLevel(
        next: document.first(value), end: document.last(value), copy: position, isObject: kind == .object,
        active: active, tolerance: tolerance, isChosen: isChosen, hasChosen: isChosen))
  }

  /// Finds the tolerance for a value that comes next on the copy. The last rule on the command line decides.
  /// - Returns: the rule.
  private mutating func tolerance(_ active: [Int]) -> Int? {
    var last = levels.last?.tolerance
    for rule in active.lazy.flatMap(steps.ends) {
      if case .tolerance = rules[rule].purpose { last = max(last ?? 0, rule) }
    }
    guard last != currentTolerance else { return last }
    currentTolerance = last
    var tolerance: NumberTolerance?
    if let last, case .tolerance(let given) = rules[last].purpose, !given.isExact { tolerance = given }
    marks.tolerances.append((tape.count, tolerance))
    return last
  }

  private mutating func append(_ word: UInt64, from position: Int) {
    tape.append(word)
    if hasOnly { marks.origins.append(position) }
  }

  /// Copies a value unchanged.
  private mutating func copy(_ value: Int) {
    let shift = tape.count - value
    for position in value..<document.next(value) {
      let word = document.tape[position]
      let isSkip = word & 0xF == 0xE
      append(isSkip ? TapeWord.skip(to: TapeWord.offset(word) + shift) : word, from: position)
    }
  }

  /// Ends a container in the copy, and reports to the one around it whether something was left out or chosen.
  private mutating func close() {
    guard let level = levels.popLast() else { return }
    append(document.tape[level.end], from: level.end)
    tape[level.copy + 1] = TapeWord.skip(to: tape.count)
    mark(level.copy, level.active)
    if !level.hasChosen { marks.voids.insert(level.copy) }
    if level.isPruned { marks.pruned.insert(level.copy) }
    guard !levels.isEmpty else { return }
    if level.isPruned || !level.hasChosen { levels[levels.count - 1].isPruned = true }
    if level.hasChosen { levels[levels.count - 1].hasChosen = true }
  }

  /// Notes the rules for an array of the copy.
  private mutating func mark(_ position: Int, _ active: [Int]) {
    guard TapeWord.kind(tape[position]) == .array else { return }
    // The last rule on the command line decides.
    for rule in active.flatMap(steps.ends).sorted() {
      switch rules[rule].purpose {
      case .unordered: marks.sets.insert(position)
      case .identity(let names): marks.identities[position] = names
      case .ignore, .only, .tolerance: break
      }
    }
  }
}
