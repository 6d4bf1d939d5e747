// An item of a page, as the engine and the store need it. A page may have a million items, so an item is only a number
// of a page, and a page that waits to be stored is only its bytes and the places of the items in them. What is needed of
// an item is read from there, each time.

import FeedCore

/// An item as read from a page.
struct FeedItem: Equatable, Sendable {
  fileprivate let page: ItemTexts
  fileprivate let index: UInt32
  /// Whether it is newer than what the mark of `--since` covers.
  var isNewer = false

  fileprivate init(_ page: ItemTexts, _ index: Int) {
    self.page = page
    self.index = UInt32(index)
  }

  init(id: [UInt8], orderKey: [UInt8]? = nil, version: [UInt8], data: [UInt8], isNewer: Bool = false) {
    self.init(ItemTexts([Texts(id: id, orderKey: orderKey, version: version, data: data)]), 0)
    self.isNewer = isNewer
  }

  /// Everything that the store keeps of an item.
  struct Texts: Equatable {
    let id: [UInt8]
    /// The sort key of the feed; nil without `--order-key`.
    let orderKey: [UInt8]?
    /// Changes when the item is edited: a digest of its text.
    let version: [UInt8]
    /// One line of JSON.
    let data: [UInt8]
  }

  var texts: Texts { page.texts(Int(index)) }
  var id: [UInt8] { page.id(Int(index)) }
  var orderKey: [UInt8]? { page.orderKey(Int(index)) }
  var version: [UInt8] { texts.version }
  var data: [UInt8] { texts.data }

  static func == (one: Self, other: Self) -> Bool { one.texts == other.texts && one.isNewer == other.isNewer }
}

/// The items of a page: where they are in its bytes.
final class ItemTexts: Sendable {
  /// A part of a page of at most 4 GiB.
  private struct Place {
    let start, count: UInt32

    init(_ range: Range<Int>) { (start, count) = (UInt32(range.lowerBound), UInt32(range.count)) }

    var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
  }

  private struct Item {
    let value, id: Place
  }

  private let bytes: [UInt8]
  /// Whether there is no white space between the tokens.
  private let isCompact: Bool
  private let items: [Item]
  /// Empty without `--order-key`; an empty one for none.
  private let keys: [Place]
  /// The items themselves, if they are not from a page, or from a larger one.
  private let texts: [FeedItem.Texts]

  init(_ texts: [FeedItem.Texts]) {
    (bytes, isCompact, items, keys) = ([], true, [], [])
    self.texts = texts
  }

  init(_ page: Page) {
    guard page.document.bytes.count <= UInt32.max else {
      (bytes, isCompact, items, keys) = ([], true, [], [])
      texts = page.items.map { item in
        let data = item.text
        return .init(id: item.id ?? [], orderKey: item.orderKey, version: ItemVersion.of(data.span), data: data)
      }
      return
    }
    (bytes, isCompact) = (page.document.bytes, page.document.isCompact)
    items = page.items.map { Item(value: Place($0.value.range), id: Place($0.idRange ?? 0..<0)) }
    let hasKeys = page.items.contains { $0.keyRange != nil }
    keys = hasKeys ? page.items.map { Place($0.keyRange ?? 0..<0) } : []
    texts = []
  }

  var all: [FeedItem] { (0..<max(items.count, texts.count)).map { FeedItem(self, $0) } }

  // MARK: Reading an item

  func texts(_ index: Int) -> FeedItem.Texts {
    if !texts.isEmpty { return texts[index] }
    let data = data(items[index].value.range)
    return .init(id: id(index), orderKey: orderKey(index), version: ItemVersion.of(data.span), data: data)
  }

  func id(_ index: Int) -> [UInt8] { texts.isEmpty ? scalar(items[index].id.range) : texts[index].id }

  func orderKey(_ index: Int) -> [UInt8]? {
    if !texts.isEmpty { return texts[index].orderKey }
    return keys.isEmpty || keys[index].count == 0 ? nil : scalar(keys[index].range)
  }

  private func data(_ range: Range<Int>) -> [UInt8] {
    let text = Array(bytes[range])
    if isCompact { return text }
    var output = ByteWriter()
    JSONWriter.writeCompact(JSONTree(JSONDocument(known: text).root), to: &output)
    return output.take()
  }

  /// The text of a string; anything else as it is.
  private func scalar(_ range: Range<Int>) -> [UInt8] {
    guard range.count > 1, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return Array(bytes[range]) }
    let text = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
    guard text.contains(UInt8(ascii: "\\")) else { return Array(text) }
    return JSONDocument(known: Array(bytes[range])).root.string ?? []
  }
}
