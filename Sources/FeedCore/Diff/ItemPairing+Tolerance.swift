// Pairs items whose numbers are equal within a tolerance.

extension ItemPairing {
  /// Pairs items that are equal within a tolerance and need not move. This relation is not transitive and has no digest,
  /// so items are compared one by one. If that would take too long, the rest has no partner yet.
  mutating func pairWithinTolerance(_ sides: inout Sides) {
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
  mutating func pairNumbersOfSets() {
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
}
