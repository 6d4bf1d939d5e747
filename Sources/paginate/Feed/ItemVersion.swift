// A short digest of an item's text, kept in the store to see whether the item was edited. It must be the same in every
// process, on every machine, for ever; so it is FNV-1a (64 bits, draft-eastlake-fnv) and not seeded. Somebody who makes
// two versions collide on purpose only hides an edit of their own item.

import FeedCore

enum ItemVersion {
  /// 16 hexadecimal digits.
  static func of(_ data: borrowing Span<UInt8>) -> [UInt8] {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in data.indices { hash = (hash ^ UInt64(data[index])) &* 0x100_0000_01B3 }
    return hash.hexDigits
  }
}
