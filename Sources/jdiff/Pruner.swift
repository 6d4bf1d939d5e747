// Copies the tape of a document without what the rules of a scope leave out, and notes what they say of what is left.

import FeedCore

/// A list of open containers stands in for the stack.
struct Pruner {
  /// A rule whose pointer led here, and how many of its tokens that took.
  private struct Active {
    let rule: Int
    let depth: Int
  }

  private struct Level {
    /// The position of the next name or element, and of the closing word.
    var next: Int
    let end: Int
    /// Where the container is in the copy, and where the copy ends if it is to be dropped.
    let copy: Int
    let before: Int
    let isObject: Bool
    let isMember: Bool
    let active: [Active]
    /// Whether the container is inside what `--only` chose; true without such rules.
    let isChosen: Bool
    /// Whether something in it is.
    var hasChosen: Bool
    var isPruned = false
  }

  private let document: JSONDocument
  private let rules: [Scope.Rule]
  private let hasOnly: Bool
  /// The copy, once `run` is done.
  private(set) var tape: [UInt64] = []
  private var origins: [Int] = []
  private var levels: [Level] = []
  // In the order in which the containers were closed, so that what is dropped is at the end.
  private var sets: [Int] = []
  private var identities: [(position: Int, name: [UInt8])] = []
  private var pruned: [Int] = []
  private var isVoid = false

  init(_ document: JSONDocument, _ rules: [Scope.Rule]) {
    self.document = document
    self.rules = rules
    hasOnly = rules.contains { $0.purpose == .only }
    tape.reserveCapacity(document.tape.count)
  }

  func takeMarks() -> Scope.Marks {
    Scope.Marks(
      sets: Set(sets),
      identities: Dictionary(identities.map { ($0.position, $0.name) }, uniquingKeysWith: { a, _ in a }),
      pruned: Set(pruned), isVoid: isVoid, origins: origins)
  }

  mutating func run() throws(Scope.Misfit) {
    let active = rules.indices.map { Active(rule: $0, depth: 0) }
    if ends(active, .ignore) {
      // Everything is ignored: any two such documents are the same.
      for word in [TapeWord.make(.array, at: 0), TapeWord.skip(to: 3), TapeWord.closing(at: 0)] {
        append(word, from: 0)
      }
      return
    }
    let isChosen = !hasOnly || ends(active, .only)
    isVoid = !isChosen
    take(key: nil, 0, active, isChosen: isChosen)
    while let level = levels.last {
      guard level.next < level.end else {
        close()
        continue
      }
      let key = level.isObject ? level.next : nil
      let child = level.isObject ? level.next + 1 : level.next
      levels[levels.count - 1].next = document.next(child)
      let active = try advance(level.active, key)
      let isChosen = level.isChosen || ends(active, .only)
      let isOnTheWay = isChosen || active.contains { rules[$0.rule].purpose == .only }
      if ends(active, .ignore) || !isOnTheWay || (key != nil && !isChosen && !document.kind(child).isContainer) {
        levels[levels.count - 1].isPruned = true
      } else {
        take(key: key, child, active, isChosen: isChosen)
      }
    }
  }

  private func ends(_ active: [Active], _ purpose: Scope.Purpose) -> Bool {
    active.contains { rules[$0.rule].purpose == purpose && $0.depth == rules[$0.rule].pointer.tokens.count }
  }

  /// The rules that still lead on at a child.
  private func advance(_ active: [Active], _ key: Int?) throws(Scope.Misfit) -> [Active] {
    var result: [Active] = []
    for item in active {
      let rule = rules[item.rule]
      guard item.depth < rule.pointer.tokens.count else { continue }
      let token = rule.pointer.tokens[item.depth]
      if token != Self.any {
        guard let key else {
          if JSONPointer.isIndex(token) {
            throw Scope.Misfit(
              message: "\(rule.text): an item has no fixed place in an array: use '*' instead of '\(quoted(token))'")
          }
          continue
        }
        guard JSONString.equals(JSONValue(document: document, position: key), token) else { continue }
      }
      result.append(Active(rule: item.rule, depth: item.depth + 1))
    }
    return result
  }

  private static let any = [UInt8(ascii: "*")]

  private mutating func take(key: Int?, _ value: Int, _ active: [Active], isChosen: Bool) {
    let before = tape.count
    if let key { append(document.tape[key], from: key) }
    let kind = document.kind(value)
    let leadsOn = !isChosen || active.contains { $0.depth < rules[$0.rule].pointer.tokens.count }
    if isChosen, !levels.isEmpty { levels[levels.count - 1].hasChosen = true }
    let position = tape.count
    guard kind.isContainer, leadsOn else {
      copy(value)
      return mark(position, active)
    }
    append(document.tape[value], from: value)
    append(0, from: value + 1)
    levels.append(
      Level(
        next: document.first(value), end: document.last(value), copy: position, before: before,
        isObject: kind == .object, isMember: key != nil, active: active, isChosen: isChosen, hasChosen: isChosen))
  }

  private mutating func append(_ word: UInt64, from position: Int) {
    tape.append(word)
    if hasOnly { origins.append(position) }
  }

  /// Copies a value as it is.
  private mutating func copy(_ value: Int) {
    let shift = tape.count - value
    for position in value..<document.next(value) {
      let word = document.tape[position]
      let isSkip = word & 0xF == 0xE
      append(isSkip ? TapeWord.skip(to: TapeWord.offset(word) + shift) : word, from: position)
    }
  }

  private mutating func close() {
    guard let level = levels.popLast() else { return }
    guard level.hasChosen || !level.isMember else { return drop(level) }
    append(document.tape[level.end], from: level.end)
    tape[level.copy + 1] = TapeWord.skip(to: tape.count)
    mark(level.copy, level.active)
    if level.isPruned { pruned.append(level.copy) }
    guard !levels.isEmpty else {
      isVoid = !level.hasChosen
      return
    }
    if level.isPruned { levels[levels.count - 1].isPruned = true }
    if level.hasChosen { levels[levels.count - 1].hasChosen = true }
  }

  /// Takes back a member in which nothing was chosen: it is as good as absent.
  private mutating func drop(_ level: Level) {
    tape.removeLast(tape.count - level.before)
    if hasOnly { origins.removeLast(origins.count - level.before) }
    while let last = sets.last, last >= level.before { sets.removeLast() }
    while let last = identities.last, last.position >= level.before { identities.removeLast() }
    while let last = pruned.last, last >= level.before { pruned.removeLast() }
    if !levels.isEmpty { levels[levels.count - 1].isPruned = true }
  }

  private mutating func mark(_ position: Int, _ active: [Active]) {
    guard TapeWord.kind(tape[position]) == .array else { return }
    for item in active where item.depth == rules[item.rule].pointer.tokens.count {
      switch rules[item.rule].purpose {
      case .unordered: sets.append(position)
      case .identity(let name): identities.append((position, name))
      case .ignore, .only: break
      }
    }
  }
}
