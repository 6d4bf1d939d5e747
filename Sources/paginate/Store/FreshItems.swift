/// The items that this run has added last. They are usually printed next, and then need not be read from the store.
struct FreshItems {
  /// A larger page holds them in memory already, and should not hold them longer.
  private static let limit = 10_000
  private static let byteLimit = 4 << 20

  /// The number of the first.
  private var first = 0
  /// Their numbers follow each other.
  private var items: [FeedItem.Texts] = []
  private var byteCount = 0

  mutating func add(_ item: FeedItem.Texts, _ number: Int) {
    if items.isEmpty || number != first + items.count || items.count == Self.limit || byteCount >= Self.byteLimit {
      first = number
      items.removeAll()
      byteCount = 0
    }
    items.append(item)
    byteCount += item.data.count
  }

  func has(_ numbers: ClosedRange<Int>) -> Bool {
    numbers.lowerBound >= first && numbers.upperBound < first + items.count
  }

  func item(_ number: Int, at position: Int) -> WaitingItem {
    let item = items[number - first]
    return WaitingItem(position: position, id: item.id, data: item.data)
  }
}
