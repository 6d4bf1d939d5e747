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

  /// The texts, if they are kept as such.
  private var kept: Texts? { page.texts.isEmpty ? nil : page.texts[Int(index)] }
  /// Where the item, its id and its order key are in the page, if its texts are not kept; empty for none.
  private var value: ItemTexts.PageRange { page.values[Int(index)] }
  private var idRange: Range<Int> { page.ids.isEmpty ? 0..<0 : page.ids[Int(index)].range }
  private var keyRange: Range<Int> { page.keys.isEmpty ? 0..<0 : page.keys[Int(index)].range }

  var texts: Texts { kept ?? Texts(id: id, orderKey: orderKey, data: data) }
  var id: [UInt8] { kept?.id ?? page.scalar(idRange) }
  /// A digest of the id.
  var idDigest: Digest {
    guard page.texts.isEmpty, let range = page.plain(idRange) else { return Digest(of: id) }
    let bytes = page.bytes
    return Digest(of: bytes.span.extracting(range))
  }
  var hasID: Bool { !(kept?.id.isEmpty ?? idRange.isEmpty) }
  var orderKey: [UInt8]? {
    if let kept { return kept.orderKey }
    let range = keyRange
    return range.isEmpty ? nil : page.scalar(range)
  }
  /// Changes when the item is edited.
  var version: [UInt8] { ItemVersion.of(data.span) }
  /// Its text on one line.
  var data: [UInt8] {
    if let kept { return kept.data }
    if page.isCompact { return Array(page.bytes[value.range]) }
    var output = ByteWriter()
    write(to: &output)
    return output.take()
  }
  /// How many items it stands for.
  var count: Int { page.count }
  /// About how long its text is, in bytes.
  var size: Int { kept?.data.count ?? Int(value.count) }

  /// Writes its text on one line.
  func write(to output: inout ByteWriter) {
    if let kept { return output.append(kept.data) }
    let bytes = page.bytes
    if page.isCompact {
      output.append(bytes.span.extracting(value.range))
    } else {
      JSONWriter.writeCompact(bytes.span.extracting(value.range), to: &output)
    }
  }

  static func == (one: Self, other: Self) -> Bool { one.texts == other.texts && one.isNewer == other.isNewer }
}

/// The items of a page: where they are in its bytes.
final class ItemTexts: Sendable {
  /// A part of a page of at most 4 GiB.
  fileprivate struct PageRange {
    let start, count: UInt32

    init(_ range: Range<Int>) { (start, count) = (UInt32(range.lowerBound), UInt32(range.count)) }

    var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
  }

  fileprivate let bytes: [UInt8]
  /// Whether there is no white space between the tokens.
  fileprivate let isCompact: Bool
  fileprivate let values: [PageRange]
  /// Empty if no item has any; an empty one for none.
  fileprivate let ids, keys: [PageRange]
  /// The items themselves, if they are not from a page, or from a larger one.
  fileprivate let texts: [FeedItem.Texts]
  /// How many items each of these stands for.
  fileprivate let count: Int

  init(_ texts: [FeedItem.Texts]) {
    (bytes, isCompact, values, ids, keys, count) = ([], true, [], [], [], 1)
    self.texts = texts
  }

  /// A whole page as one item, without an id.
  init(whole page: Page) {
    (bytes, isCompact, ids, keys, count) = (page.document.bytes, page.document.isCompact, [], [], page.items.count)
    let isPlace = bytes.count <= UInt32.max
    values = isPlace ? [PageRange(page.root.range)] : []
    texts = isPlace ? [] : [.init(id: [], orderKey: nil, data: page.root.text)]
  }

  init(_ page: Page) {
    (bytes, isCompact, count) = (page.document.bytes, page.document.isCompact, 1)
    guard bytes.count <= UInt32.max else {
      (values, ids, keys) = ([], [], [])
      texts = page.items.map { .init(id: $0.id ?? [], orderKey: $0.orderKey, data: $0.text) }
      return
    }
    values = page.items.map { PageRange($0.value.range) }
    let hasIDs = page.items.contains { $0.idRange != nil }
    ids = hasIDs ? page.items.map { PageRange($0.idRange ?? 0..<0) } : []
    let hasKeys = page.items.contains { $0.keyRange != nil }
    keys = hasKeys ? page.items.map { PageRange($0.keyRange ?? 0..<0) } : []
    texts = []
  }

  var all: [FeedItem] { (0..<max(values.count, texts.count)).map { FeedItem(self, $0) } }

  /// The text of a string; anything else as it is.
  fileprivate func scalar(_ range: Range<Int>) -> [UInt8] {
    if let plain = plain(range) { return Array(bytes[plain]) }
    return JSONDocument(known: Array(bytes[range])).root.string ?? []
  }

  /// Where the text is as it is; nil for a string with escapes.
  fileprivate func plain(_ range: Range<Int>) -> Range<Int>? {
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
