// The items that this run has added last. They are usually printed next, and then need not be read from the store.

struct FreshItems {
  /// A page with more of them holds them in memory already, and should not hold them longer.
  private static let limit = 10_000

  /// The number of the first.
  private var first = 0
  /// Their numbers follow each other.
  private var items: [FeedItem] = []

  mutating func add(_ item: FeedItem, _ number: Int) {
    if items.isEmpty || number != first + items.count || items.count == Self.limit {
      first = number
      items.removeAll()
    }
    items.append(item)
  }

  func has(_ numbers: ClosedRange<Int>) -> Bool {
    numbers.lowerBound >= first && numbers.upperBound < first + items.count
  }

  func item(_ number: Int, at position: Int) -> WaitingItem {
    let item = items[number - first]
    return WaitingItem(position: position, id: item.id, data: item.data)
  }
}
