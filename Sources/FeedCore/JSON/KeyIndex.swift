/// The members of a wide object by the hash of their names: a hash table in three levels of arrays. An older copy stays
/// valid, and a change copies only one array of each level, if another copy shares them.
struct KeyIndex {
  /// The high bits of a hash, which also choose the bucket, and the number of a slot.
  private typealias Entry = UInt64
  private static let slotBits = 36
  private static let slotMask: Entry = 1 << slotBits - 1
  /// How many entries a bucket holds on average before there are more buckets.
  private static let fill = 32

  private var groups: [[[Entry]]]
  /// There are as many buckets as this many bits can count.
  private let bits: Int
  private var count: Int

  /// - Parameter slots: the members of an object.
  init(_ slots: SlotList) {
    var entries: [Entry] = []
    entries.reserveCapacity(slots.count)
    slots.visitNames { entries.append(Self.entry(JSONDigests.ofScalar($1), $0)) }
    self.init(entries: entries)
  }

  /// - Parameter object: as read, with a slot for each member.
  init(of object: JSONValue) {
    let document = object.document
    let (bytes, words) = (document.bytes, document.tape)
    let (text, tape) = (bytes.span, words.span)
    var entries: [Entry] = []
    var position = document.first(object.position)
    let end = document.last(object.position)
    while position < end {
      let hash = JSONDigests.ofScalar(TapeWord.kind(tape[position]), text, document, position, JSONDigests.seed)
      entries.append(Self.entry(hash, entries.count))
      position = TapeWord.next(tape, position + 1)
    }
    self.init(entries: entries)
  }

  private init(entries: [Entry]) {
    count = entries.count
    var bits = 0
    while entries.count > (Self.fill / 2) << bits { bits += 1 }
    self.bits = bits
    // Sorted by bucket: the first pass counts, the second one places.
    var ends = [Int](repeating: 0, count: 1 << bits + 1)
    for entry in entries { ends[Self.bucket(entry, bits) + 1] += 1 }
    for bucket in 1...(1 << bits) { ends[bucket] += ends[bucket - 1] }
    var starts = ends
    var sorted = [Entry](repeating: 0, count: entries.count)
    for entry in entries {
      let bucket = Self.bucket(entry, bits)
      sorted[starts[bucket]] = entry
      starts[bucket] += 1
    }
    let inner = 1 << (bits / 2)
    groups = stride(from: 0, to: 1 << bits, by: inner).map { first in
      (first..<(first + inner)).map { Array(sorted[ends[$0]..<ends[$0 + 1]]) }
    }
  }

  private static func entry(_ hash: UInt64, _ slot: Int) -> Entry { hash & ~slotMask | Entry(slot) }
  private static func bucket(_ entry: Entry, _ bits: Int) -> Int { Int(entry >> UInt64(64 - bits)) }

  private func place(of entry: Entry) -> (group: Int, bucket: Int) {
    let bucket = Self.bucket(entry, bits)
    return (bucket >> (bits / 2), bucket & (1 << (bits / 2) - 1))
  }

  /// Calls `body` with the slots whose names may have this hash, until it returns false.
  func visit(_ hash: UInt64, _ body: (_ slot: Int) -> Bool) {
    let wanted = Self.entry(hash, 0)
    let place = place(of: wanted)
    for entry in groups[place.group][place.bucket] where (entry ^ wanted) & ~Self.slotMask == 0 {
      guard body(Int(entry & Self.slotMask)) else { return }
    }
  }

  /// More buckets are made when they are twice as full as new ones.
  mutating func add(_ hash: UInt64, at slot: Int) {
    if count >= Self.fill << bits { self = KeyIndex(entries: groups.flatMap { $0.flatMap { $0 } }) }
    let entry = Self.entry(hash, slot)
    let place = place(of: entry)
    groups[place.group][place.bucket].append(entry)
    count += 1
  }

  /// The last entry of the bucket takes the place of the removed one: the order in a bucket does not count.
  mutating func remove(_ hash: UInt64, at slot: Int) {
    let entry = Self.entry(hash, slot)
    let place = place(of: entry)
    guard let found = groups[place.group][place.bucket].firstIndex(of: entry) else { return }
    groups[place.group][place.bucket].swapAt(found, groups[place.group][place.bucket].count - 1)
    groups[place.group][place.bucket].removeLast()
    count -= 1
  }
}
