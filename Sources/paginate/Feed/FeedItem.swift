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

  init(id: [UInt8], orderKey: [UInt8]? = nil, data: [UInt8], isNewer: Bool = false) {
    self.init(ItemTexts([Texts(id: id, orderKey: orderKey, data: data)]), 0)
    self.isNewer = isNewer
  }

  /// Everything that the store keeps of an item.
  struct Texts: Equatable {
    let id: [UInt8]
    /// The sort key of the feed; nil without `--order-key`.
    let orderKey: [UInt8]?
    /// One line of JSON.
    let data: [UInt8]

    /// Changes when the item is edited: a digest of its text.
    var version: [UInt8] { ItemVersion.of(data.span) }
  }

  var texts: Texts { page.texts(Int(index)) }
  var id: [UInt8] { page.id(Int(index)) }
  /// A digest of the id.
  var idDigest: Digest { page.idDigest(Int(index)) }
  var hasID: Bool { page.hasID(Int(index)) }
  var orderKey: [UInt8]? { page.orderKey(Int(index)) }
  var version: [UInt8] { texts.version }
  var data: [UInt8] { texts.data }
  /// How many items it stands for.
  var count: Int { page.count }
  /// About how long its text is, in bytes.
  var size: Int { page.size(Int(index)) }

  /// Writes its text on one line.
  func write(to output: inout ByteWriter) { page.write(Int(index), to: &output) }

  static func == (one: Self, other: Self) -> Bool { one.texts == other.texts && one.isNewer == other.isNewer }
}

/// The items of a page: where they are in its bytes.
final class ItemTexts: Sendable {
  /// A part of a page of at most 4 GiB.
  private struct PageRange {
    let start, count: UInt32

    init(_ range: Range<Int>) { (start, count) = (UInt32(range.lowerBound), UInt32(range.count)) }

    var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
  }

  private struct ItemRange {
    let value, id: PageRange
  }

  private let bytes: [UInt8]
  /// Whether there is no white space between the tokens.
  private let isCompact: Bool
  private let items: [ItemRange]
  /// Empty without `--order-key`; an empty one for none.
  private let keys: [PageRange]
  /// The items themselves, if they are not from a page, or from a larger one.
  private let texts: [FeedItem.Texts]
  /// How many items each of these stands for.
  let count: Int

  init(_ texts: [FeedItem.Texts]) {
    (bytes, isCompact, items, keys, count) = ([], true, [], [], 1)
    self.texts = texts
  }

  /// A whole page as one item, without an id.
  init(whole page: Page) {
    (bytes, isCompact, keys, count) = (page.document.bytes, page.document.isCompact, [], page.items.count)
    let isPlace = bytes.count <= UInt32.max
    items = isPlace ? [ItemRange(value: PageRange(page.root.range), id: PageRange(0..<0))] : []
    texts = isPlace ? [] : [.init(id: [], orderKey: nil, data: page.root.text)]
  }

  init(_ page: Page) {
    (bytes, isCompact, count) = (page.document.bytes, page.document.isCompact, 1)
    guard bytes.count <= UInt32.max else {
      (items, keys) = ([], [])
      texts = page.items.map { .init(id: $0.id ?? [], orderKey: $0.orderKey, data: $0.text) }
      return
    }
    items = page.items.map { ItemRange(value: PageRange($0.value.range), id: PageRange($0.idRange ?? 0..<0)) }
    let hasKeys = page.items.contains { $0.keyRange != nil }
    keys = hasKeys ? page.items.map { PageRange($0.keyRange ?? 0..<0) } : []
    texts = []
  }

  var all: [FeedItem] { (0..<max(items.count, texts.count)).map { FeedItem(self, $0) } }

  // MARK: Reading an item

  func texts(_ index: Int) -> FeedItem.Texts {
    if !texts.isEmpty { return texts[index] }
    return .init(id: id(index), orderKey: orderKey(index), data: data(items[index].value.range))
  }

  func id(_ index: Int) -> [UInt8] { texts.isEmpty ? scalar(items[index].id.range) : texts[index].id }

  func idDigest(_ index: Int) -> Digest {
    guard texts.isEmpty, let range = plain(items[index].id.range) else { return Digest(of: id(index)) }
    let bytes = bytes
    return Digest(of: bytes.span.extracting(range))
  }

  func hasID(_ index: Int) -> Bool { texts.isEmpty ? items[index].id.count > 0 : !texts[index].id.isEmpty }

  func orderKey(_ index: Int) -> [UInt8]? {
    if !texts.isEmpty { return texts[index].orderKey }
    return keys.isEmpty || keys[index].count == 0 ? nil : scalar(keys[index].range)
  }

  func size(_ index: Int) -> Int { texts.isEmpty ? items[index].value.range.count : texts[index].data.count }

  func write(_ index: Int, to output: inout ByteWriter) {
    if texts.isEmpty { write(items[index].value.range, to: &output) } else { output.append(texts[index].data) }
  }

  private func write(_ range: Range<Int>, to output: inout ByteWriter) {
    let bytes = bytes
    if isCompact {
      output.append(bytes.span.extracting(range))
    } else {
      JSONWriter.writeCompact(bytes.span.extracting(range), to: &output)
    }
  }

  private func data(_ range: Range<Int>) -> [UInt8] {
    if isCompact { return Array(bytes[range]) }
    var output = ByteWriter()
    write(range, to: &output)
    return output.take()
  }

  /// The text of a string; anything else as it is.
  private func scalar(_ range: Range<Int>) -> [UInt8] {
    if let plain = plain(range) { return Array(bytes[plain]) }
    return JSONDocument(known: Array(bytes[range])).root.string ?? []
  }

  /// Where the text is as it is; nil for a string with escapes.
  private func plain(_ range: Range<Int>) -> Range<Int>? {
    guard range.count > 1, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return range }
    let text = (range.lowerBound + 1)..<(range.upperBound - 1)
    for place in text where bytes[place] == UInt8(ascii: "\\") { return nil }
    return text
  }
}

/// A short digest of an item's text, kept in the store to see whether the item was edited. It must be the same in every
/// process, on every machine, for ever; so it is FNV-1a (64 bits, draft-eastlake-fnv) and not seeded. Somebody who makes
/// two versions collide on purpose only hides an edit of their own item.
enum ItemVersion {
  /// 16 hexadecimal digits.
  static func of(_ data: borrowing Span<UInt8>) -> [UInt8] {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in data.indices { hash = (hash ^ UInt64(data[index])) &* 0x100_0000_01B3 }
    return hash.hexDigits
  }
}
