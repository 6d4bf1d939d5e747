/// Compares two values in the order of their text, to the first difference. The rules of equality are those of
/// JSONTree.equal; but ignored values do not count, some arrays have no order, and some numbers have a tolerance.
///
/// A list of open containers replaces recursion. Where the texts are the same, nothing has to be compared: their common
/// start is measured once, and everything in it is passed over, at any depth.
struct Comparison {
  /// Two containers of one kind, and where the next children are.
  private struct ComparedLevel {
    let old: Int
    let new: Int
    let isObject: Bool
    var left: Int
    var right: Int
    /// The children that remain, last one first, if they are not compared in order.
    var pairs: [(old: Int, new: Int)]?
  }

  private let old: Side
  private let new: Side
  private var levels: [ComparedLevel] = []
  /// The old text from `start` to `common` is the same as the new, `shift` bytes later. It was compared up to `limit`.
  private var (start, common, limit, shift) = (0, 0, 0, 0)
  /// How many pairs of values were compared.
  private(set) var steps = 0

  init(_ old: Side, _ new: Side) {
    self.old = old
    self.new = new
  }

  /// After a difference was found: the containers around it, all of which differ.
  var openContainers: some Sequence<Alignment.Pair> { levels.lazy.map { Alignment.Pair(old: $0.old, new: $0.new) } }

  /// - Returns: whether two values are equal.
  mutating func run(_ a: Int, _ b: Int, _ sides: inout Sides) -> Bool {
    guard enter(a, b, &sides) else { return false }
    while let level = levels.last {
      if level.pairs != nil {
        guard let pair = levels[levels.count - 1].pairs?.popLast() else {
          levels.removeLast()
          continue
        }
        if !enter(pair.old, pair.new, &sides) { return false }
        continue
      }
      guard let isSame = level.isObject ? nextMembers(level, &sides) : nextElements(level, &sides) else {
        levels.removeLast()
        continue
      }
      if !isSame { return false }
    }
    return true
  }

  /// Scalars, or a scalar and a container.
  static func areEqualScalars(_ a: Int, _ b: Int, _ old: Side, _ new: Side) -> Bool {
    let (left, right) = (old.value(a), new.value(b))
    if left.kind == .number, right.kind == .number, let tolerance = old.tolerance(at: a) {
      return tolerance.allows(left, right)
    }
    return JSONTree.scalarsAreEqual(left, right)
  }

  /// Compares two scalars, or begins to compare two containers.
  /// - Returns: false if they differ.
  private mutating func enter(_ a: Int, _ b: Int, _ sides: inout Sides) -> Bool {
    steps += 1
    let isVoid = (old.isVoid(a), new.isVoid(b))
    if isVoid.0 || isVoid.1 { return isVoid == (true, true) }
    let kind = old.document.kind(a)
    guard kind.isContainer, kind == new.document.kind(b) else { return Self.areEqualScalars(a, b, old, new) }
    if haveSameText(a, b) { return true }
    var level = ComparedLevel(
      old: a, new: b, isObject: kind == .object, left: old.document.first(a), right: new.document.first(b))
    if old.isSet(a) || new.isSet(b) {
      guard let pairs = itemsOfSets(a, b, &sides) else { return false }
      level.pairs = pairs
    }
    levels.append(level)
    return true
  }

  /// Whether two containers have the same text. Their common start also answers for what is in them.
  private mutating func haveSameText(_ a: Int, _ b: Int) -> Bool {
    let (left, right) = (old.value(a).range, new.value(b).range)
    // After the first difference, the rest may be the same again.
    let isKnown = start <= left.lowerBound && left.lowerBound <= common && left.upperBound <= limit
    if !isKnown || right.lowerBound - left.lowerBound != shift {
      let (mine, others) = (old.document.bytes, new.document.bytes)
      let count = commonLength(mine.span.extracting(left), 0, others.span.extracting(right), 0)
      start = left.lowerBound
      common = start + count
      limit = left.upperBound
      shift = right.lowerBound - start
    }
    return left.upperBound <= common && left.count == right.count
  }

  // MARK: Children

  /// - Returns: nil if there are no more elements, false if they differ.
  private mutating func nextElements(_ level: ComparedLevel, _ sides: inout Sides) -> Bool? {
    let hasMore = (level.left < old.document.last(level.old), level.right < new.document.last(level.new))
    guard hasMore == (true, true) else { return hasMore == (false, false) ? nil : false }
    levels[levels.count - 1].left = old.document.next(level.left)
    levels[levels.count - 1].right = new.document.next(level.right)
    return enter(level.left, level.right, &sides)
  }

  /// - Returns: nil if there are no more members, false if they differ.
  private mutating func nextMembers(_ level: ComparedLevel, _ sides: inout Sides) -> Bool? {
    let left = old.nextMember(level.left, of: level.old)
    let right = new.nextMember(level.right, of: level.new)
    guard let left, let right else { return left == nil && right == nil ? nil : false }
    guard JSONString.equal(old.value(left), new.value(right)) else {
      guard let pairs = membersByName(level, from: left) else { return false }
      levels[levels.count - 1].pairs = pairs
      return true
    }
    levels[levels.count - 1].left = old.document.next(left + 1)
    levels[levels.count - 1].right = new.document.next(right + 1)
    return enter(left + 1, right + 1, &sides)
  }

  /// The members of two objects whose order differs.
  /// - Parameter first: the first one to compare; those before it are known to be equal.
  /// - Returns: nil if they have different names. If an object names a member twice, the order counts.
  private func membersByName(_ level: ComparedLevel, from first: Int) -> [(old: Int, new: Int)]? {
    var members: [[UInt8]: Int] = [:]
    var position = new.document.first(level.new)
    while let name = new.nextMember(position, of: level.new) {
      if members.updateValue(name + 1, forKey: JSONString.decoded(new.value(name))) != nil { return nil }
      position = new.document.next(name + 1)
    }
    var pairs: [(old: Int, new: Int)] = []
    position = old.document.first(level.old)
    while let name = old.nextMember(position, of: level.old) {
      guard let partner = members.removeValue(forKey: JSONString.decoded(old.value(name))) else { return nil }
      if name >= first { pairs.append((name + 1, partner)) }
      position = old.document.next(name + 1)
    }
    return members.isEmpty ? pairs.reversed() : nil
  }

  /// The items of two arrays without order. They are paired as in a diff, but it is not certain yet that they are equal.
  /// - Returns: nil if some have no equal.
  private func itemsOfSets(_ a: Int, _ b: Int, _ sides: inout Sides) -> [(old: Int, new: Int)]? {
    var pairing = ItemPairing(&sides, a, b, isCertain: false)
    guard pairing.olds.count == pairing.news.count else { return nil }
    pairing.pairByValue(&sides)
    if old.isTolerant(a) {
      pairing.pairByIdentity()
      pairing.pairByPosition()
    }
    let pairs = pairing.news.indices.map { (pairing.oldOf[$0], $0) }
    guard pairs.allSatisfy({ $0.0 >= 0 }) else { return nil }
    return pairs.filter { !pairing.isEqual[$0.1] }.map { (pairing.olds[$0.0], pairing.news[$0.1]) }.reversed()
  }
}

extension Side {
  /// The position of the next member's name that counts, from `position`; nil at the end of the object.
  fileprivate func nextMember(_ position: Int, of object: Int) -> Int? {
    let end = document.last(object)
    var position = position
    while position < end {
      if !isVoid(position + 1) { return position }
      position = document.next(position + 1)
    }
    return nil
  }
}
