// A short text that stands for the text of an item, kept in the store to see whether an item was edited. It must be the
// same in every process, on every machine, for ever; so it is FNV-1a (64 bits, draft-eastlake-fnv) and not seeded. Who
// makes two versions collide on purpose hides an edit of an item of their own, and nothing else.

import FeedCore

enum ItemVersion {
  /// 16 hexadecimal digits.
  static func of(_ data: borrowing Span<UInt8>) -> [UInt8] {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in data.indices { hash = (hash ^ UInt64(data[index])) &* 0x100_0000_01B3 }
    return hash.hexDigits
  }
}
