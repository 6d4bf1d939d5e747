/// Pairs the items of the old array with those of the new. Equal items at both ends are left out at the start.
struct ItemPairing {
  /// The tape positions of the items between the common ends.
  private(set) var olds: [Int] = []
  private(set) var news: [Int] = []
  /// How many items come before them.
  private(set) var offset = 0
  /// For each old item its new partner, and the reverse; -1 for none.
  private(set) var newOf: [Int]
  private(set) var oldOf: [Int]
  /// For each new item with a partner: whether the partner has the same value.
  private(set) var isEqual: [Bool]
  /// For each old item with a partner: whether it keeps its place among the others.
  private(set) var isKept: [Bool]
  private(set) var hasMoved = false
  /// Whether the order does not count, so that no item has to move.
  let isSet: Bool

  let old: Side
  let new: Side
  let arrays: (old: Int, new: Int)
  /// Whether all values of both arrays have digests, so that comparing text first would not help.
  private let isDigested: Bool
  /// Whether items may be equal within a tolerance.
  private let isTolerant: Bool

  /// Whether values are compared; otherwise equal digests are enough, and those pairs do not count as equal.
  private let isCertain: Bool

  init(_ sides: inout Sides, _ old: Int, _ new: Int, isCertain: Bool = true) {
    self.isCertain = isCertain
    self.old = sides.old
    self.new = sides.new
    arrays = (old, new)
    isSet = sides.old.isSet(old) || sides.new.isSet(new)
    isTolerant = sides.old.isTolerant(old)
    isDigested = !isTolerant && sides.isDigested(old, new)
    let comparesValues = isDigested || isTolerant
    // In a set with a tolerance, the best partner of an item may be elsewhere.
    let hasEnds = !(isSet && isTolerant)
    let areSame = { (i: Int, j: Int, sides: inout Sides) in
      hasEnds && (comparesValues ? isCertain && sides.areEqual(i, j) : sides.haveSameText(i, j))
    }

    let (a, b) = (sides.old.document, sides.new.document)
    let (aEnd, bEnd) = (a.last(old), b.last(new))
    var (i, j) = (a.first(old), b.first(new))
    while i < aEnd, j < bEnd, areSame(i, j, &sides) {
      i = a.next(i)
      j = b.next(j)
      offset += 1
    }
    olds = sides.old.items(from: i, to: aEnd)
    news = sides.new.items(from: j, to: bEnd)
    while let x = olds.last, let y = news.last, areSame(x, y, &sides) {
      olds.removeLast()
      news.removeLast()
    }
    newOf = [Int](repeating: -1, count: olds.count)
    oldOf = [Int](repeating: -1, count: news.count)
    isEqual = [Bool](repeating: false, count: news.count)
    isKept = [Bool](repeating: isSet, count: olds.count)
  }

  mutating func pair(_ old: Int, _ new: Int, isEqual: Bool) {
    newOf[old] = new
    oldOf[new] = old
    self.isEqual[new] = isEqual
  }

  // MARK: By value

  /// Pairs equal items.
  ///
  /// Most items are paired by their text, and only the rest is digested. But if equal items are written in different
  /// ways, some may have been paired across others that are also equal. In that case all are digested.
  mutating func pairByValue(_ sides: inout Sides) {
    if isTolerant {
      if isSet { pairNumbersOfSets() } else { pairWithinTolerance(&sides) }
    } else if !isDigested {
      pairEqual(textClasses) { sides.haveSameText($0, $1) }
      pairRest(&sides)
      if isSet || isInOrder { return }
      for place in olds.indices { newOf[place] = -1 }
      for place in news.indices { oldOf[place] = -1 }
    }
    pairRest(&sides)
  }

  private var isInOrder: Bool {
    let run = newOf.filter { $0 >= 0 }
    return zip(run, run.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Digests only the items that have no partner yet.
  private mutating func pairRest(_ sides: inout Sides) {
    let (a, b) = (restOfOld, restOfNew)
    if a.isEmpty || b.isEmpty { return }
    let digests = (a.map { sides.oldDigest(olds[$0]) }, b.map { sides.newDigest(news[$0]) })
    let isCertain = isCertain
    pairEqual(Classes(digests.0, digests.1)) { isCertain ? sides.areEqual($0, $1) : nil }
  }

  /// The classes of texts. If a few bytes of each long one tell it from the others in its list, the rest need not be
  /// digested.
  private var textClasses: Classes<UInt64> {
    if old.size(arrays.old) > Self.longText * olds.count {
      let samples = Classes(olds.map(old.textSample), news.map(new.textSample))
      if !samples.hasCopies { return samples }
    }
    return Classes(olds.map(old.textDigest), news.map(new.textDigest))
  }

  /// Texts of so many bytes on average take longer to digest than to find their samples.
  private static let longText = 256

  /// The indices of the items that have no partner yet.
  private var restOfOld: [Int] { olds.indices.filter { newOf[$0] < 0 } }
  private var restOfNew: [Int] { news.indices.filter { oldOf[$0] < 0 } }

  /// Pairs items without a partner that are in the same class.
  /// - Parameter areEqual: decides with certainty whether the values at two tape positions are equal; nil if it is not
  ///   asked.
  private mutating func pairEqual(_ classes: Classes<UInt64>, _ areEqual: (Int, Int) -> Bool?) {
    let (restOfOld, restOfNew) = (restOfOld, restOfNew)
    for found in Alignment.pairs(classes.olds, classes.news, classCount: classes.count) {
      let (place, partner) = (restOfOld[found.old], restOfNew[found.new])
      let isSame = areEqual(olds[place], news[partner])
      if isSame != false { pair(place, partner, isEqual: isSame == true) }
    }
  }

  // MARK: Within a tolerance

  /// Pairs items that are equal within a tolerance and need not move. This relation is not transitive and has no digest,
  /// so items are compared one by one. If that would take too long, the rest has no partner yet.
  private mutating func pairWithinTolerance(_ sides: inout Sides) {
    let words = (old.document.next(arrays.old) - arrays.old) + (new.document.next(arrays.new) - arrays.new)
    let limit = sides.steps + 16 * words + 1 << 16
    let (olds, news) = (olds, news)
    let pairs = Alignment.similar(olds.count, news.count) {
      sides.steps < limit && sides.areEqual(olds[$0], news[$1])
    }
    for found in pairs { pair(found.old, found.new, isEqual: true) }
  }

  /// Pairs the numbers in two sets within their tolerance. From the smallest up, each takes the smallest that is left: so
  /// as many as possible have a partner.
  private mutating func pairNumbersOfSets() {
    var others = Self.numbers(news, new)[...]
    for (place, number) in Self.numbers(olds, old) {
      while let other = others.first {
        let isPartner = Comparison.areEqualScalars(olds[place], news[other.place], old, new)
        if !isPartner && JSONNumber.compare(number, other.number) < 0 { break }
        others.removeFirst()
        if isPartner {
          pair(place, other.place, isEqual: true)
          break
        }
      }
    }
  }

  /// The items that are numbers, in ascending order.
  private static func numbers(_ items: [Int], _ side: Side) -> [(place: Int, number: JSONNumber)] {
    let numbers = items.enumerated().compactMap { place, item in JSONNumber(side.value(item)).map { (place, $0) } }
    return numbers.sorted { JSONNumber.compare($0.1, $1.1) < 0 }
  }

  // MARK: By identity

  /// Pairs items by a member whose scalar values are unique and which all of them have, or by the given members together.
  /// - Parameter known: what a merge knows of the items.
  mutating func pairByIdentity(_ known: ItemIdentity? = nil) {
    let (restOfOld, restOfNew) = (restOfOld, restOfNew)
    if restOfOld.isEmpty || restOfNew.isEmpty { return }
    let identity = known ?? .given([(old, arrays.old), (new, arrays.new)]) ?? .usual
    for names in identity.choices {
      guard let a = identities(restOfOld, olds, old, names, mayLack: identity.isGiven),
        let b = identities(restOfNew, news, new, names, mayLack: identity.isGiven)
      else { continue }
      var hasFound = false
      for (identity, place) in a {
        guard let partner = b[identity] else { continue }
        pair(place, partner, isEqual: false)
        hasFound = true
      }
      if hasFound { return }
    }
  }

  /// The indices of items by the digest of their identity.
  /// - Returns: nil if the member does not identify them: two have the same value, or one has none.
  private func identities(
    _ places: [Int], _ items: [Int], _ side: Side, _ names: [[UInt8]], mayLack: Bool
  ) -> [UInt64: Int]? {
    var result: [UInt64: Int] = [:]
    for place in places {
      guard let identity = side.identity(of: items[place], names) else {
        if mayLack { continue }
        return nil
      }
      guard result.updateValue(place, forKey: identity) == nil else { return nil }
    }
    return result
  }

  // MARK: Items that stay

  /// Finds the largest number of items that need not move.
  mutating func findKept() {
    let goingOn = olds.indices.filter { newOf[$0] >= 0 }
    let run = Alignment.longestIncreasingRun(goingOn.map { newOf[$0] })
    for (place, stays) in zip(goingOn, run) { isKept[place] = stays }
    hasMoved = run.contains(false)
  }

  // MARK: By position

  /// Pairs the remaining items between the same two kept items, in order.
  mutating func pairByPosition() {
    var rest = restWithGaps[...]
    var gap = 0
    for place in olds.indices {
      guard newOf[place] < 0 else {
        if isKept[place] && !isSet { gap += 1 }
        continue
      }
      while let first = rest.first, first.gap < gap { rest.removeFirst() }
      guard let first = rest.first, first.gap == gap else { continue }
      rest.removeFirst()
      pair(place, first.place, isEqual: false)
      isKept[place] = true
    }
  }

  /// The indices of new items without a partner, each with the number of kept items before it (irrelevant in a set).
  private var restWithGaps: [(place: Int, gap: Int)] {
    var rest: [(place: Int, gap: Int)] = []
    var gap = 0
    for place in news.indices {
      if oldOf[place] < 0 { rest.append((place, gap)) } else if isKept[oldOf[place]] && !isSet { gap += 1 }
    }
    return rest
  }

  // MARK: Final places

  /// For each new item its place in the result: its own, but in a set the new items come last.
  func finalPlaces() -> [Int] {
    guard isSet else { return Array(news.indices) }
    var places = [Int](repeating: -1, count: news.count)
    var next = 0
    for place in olds.indices where newOf[place] >= 0 {
      places[newOf[place]] = next
      next += 1
    }
    for place in news.indices where oldOf[place] < 0 {
      places[place] = next
      next += 1
    }
    return places
  }
}
