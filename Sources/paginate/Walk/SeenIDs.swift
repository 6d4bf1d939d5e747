// What a walk has seen: ids of items, requests, cursors. Each is kept as a digest of 128 bits in a flat table. So a
// million ids of any length take little more than 16 bytes each, without allocations.
//
// Two different ids have the same digest with a probability of 1 in 2^128; among 10^9 ids, that is one in 10^20. The
// seed is new in each process, so that no server can choose ids that collide.

import FeedCore
import FeedHTTP

/// A 128-bit digest of some bytes.
struct Digest: Equatable, Sendable {
  var high: UInt64
  var low: UInt64

  private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

  init(of bytes: [UInt8]) { self.init(of: bytes.span) }

  init(of span: borrowing Span<UInt8>) { self.init(of: span, in: 0..<span.count) }

  init(of span: borrowing Span<UInt8>, in range: Range<Int>) {
    var (high, low) = Self.seeds
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      let word = loadWord(span, at: index)
      high = Self.mix(high, word, 0x9E37_79B9_7F4A_7C15)
      low = Self.mix(low, word, 0xC2B2_AE3D_27D4_EB4F)
      index += 8
    }
    var rest: UInt64 = 0
    for place in index..<range.upperBound { rest |= UInt64(span[place]) << UInt64((place - index) * 8) }
    for word in [rest, UInt64(range.count), 0] {
      high = Self.mix(high, word, 0x9E37_79B9_7F4A_7C15)
      low = Self.mix(low, word, 0xC2B2_AE3D_27D4_EB4F)
    }
    self.high = high
    self.low = low
  }

  fileprivate init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  fileprivate var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (UInt64($0) * 8)) } }
  }

  @inline(__always)
  private static func mix(_ digest: UInt64, _ word: UInt64, _ odd: UInt64) -> UInt64 {
    let product = (digest ^ word).multipliedFullWidth(by: odd)
    return (product.high ^ product.low) &+ word.byteSwapped
  }
}

/// A set of digests in flat tables: one, then many. The low bits choose the table, the high bits the place where the search
/// starts. Because there are many, a growing table needs only little more memory.
struct SeenIDs: Sendable {
  /// A slot of zeros is free; a digest of zeros is changed to another one.
  private struct Table {
    var slots: [Digest] = []
    var count = 0
  }

  private static let mostTables = 64
  /// One table with as many digests becomes many.
  private static let mostOfOne = 4096
  private var tables = [Table()]

  var count: Int { tables.reduce(0) { $0 + $1.count } }

  /// Adds `bytes`.
  /// - Returns: whether they are new.
  mutating func insert(_ bytes: [UInt8]) -> Bool { insert(Digest(of: bytes)) }

  mutating func insert(_ digest: Digest) -> Bool {
    if tables.count == 1, tables[0].count == Self.mostOfOne { split() }
    let digest = Self.kept(digest)
    return Self.insert(digest, &tables[table(of: digest)])
  }

  func contains(_ digest: Digest) -> Bool {
    let digest = Self.kept(digest)
    let slots = tables[table(of: digest)].slots
    return !slots.isEmpty && slots[Self.place(of: digest, in: slots.span)] != Self.free
  }

  private mutating func split() {
    let all = tables[0].slots
    tables = [Table](repeating: Table(), count: Self.mostTables)
    for digest in all where digest != Self.free { _ = Self.insert(digest, &tables[table(of: digest)]) }
  }

  private static let free = Digest(high: 0, low: 0)

  private static func kept(_ digest: Digest) -> Digest { digest == free ? Digest(high: 0, low: 1) : digest }

  private func table(of digest: Digest) -> Int { tables.count == 1 ? 0 : Int(digest.low % UInt64(Self.mostTables)) }

  private static func insert(_ digest: Digest, _ table: inout Table) -> Bool {
    // A quarter of the slots stays free: then a search for a new digest takes eight steps; with an eighth, thirty.
    if table.count + 1 > table.slots.count - table.slots.count / 4 { grow(&table) }
    let place = place(of: digest, in: table.slots.span)
    if table.slots[place] != free { return false }
    table.slots[place] = digest
    table.count += 1
    return true
  }

  /// The place of the digest, or a free one for it. There is always a free slot.
  private static func place(of digest: Digest, in slots: borrowing Span<Digest>) -> Int {
    // Uses the high bits as a fraction, so the table size need not be a power of two.
    var place = Int(truncatingIfNeeded: digest.high.multipliedFullWidth(by: UInt64(slots.count)).high)
    while slots[place] != free, slots[place] != digest {
      place += 1
      if place == slots.count { place = 0 }
    }
    return place
  }

  private static func grow(_ table: inout Table) {
    // A small table is copied seldom, a large one takes little more memory.
    let size = max(16, table.slots.count + table.slots.count / (table.count < mostOfOne ? 1 : 4))
    var larger = [Digest](repeating: free, count: size)
    for digest in table.slots where digest != free { larger[place(of: digest, in: larger.span)] = digest }
    table.slots = larger
  }
}

/// The requests of a walk, each with a digest of its page: if a request brings the same page again, the walk would
/// never end. A request that brings another page each time is no loop: the server keeps the place.
struct LoopGuard: Sendable {
  /// After this many pages in a row that are the same, the server is taken not to know the parameter. If items have ids,
  /// fewer may come from a feed that grew by a page meanwhile.
  static let sameLimit = 10

  /// Requests with their pages, and the items of pages.
  private var seen = SeenIDs(), seenItems = SeenIDs()
  private var first: Digest?
  /// The last page, and how many in a row were the same.
  private var last: Digest?
  private var sameCount = 0
  /// How many pages in a row had only items that came before.
  private var knownCount = 0

  /// Records a page.
  /// - Parameters:
  ///   - rules: those that led to it.
  ///   - hasIDs: whether an item that came before is not printed again.
  /// - Throws: if the page came before.
  mutating func add(
    _ page: Page, of request: PageRequest, by rules: NextRules?, hasIDs: Bool, _ progress: WalkProgress
  ) throws(NextError) {
    let whole = Digest(of: page.document.bytes)
    if !seen.insert(request.identity + whole.bytes) {
      throw .response("this page was already read in this run, so the walk would never end")
    }
    // What else is on the page may be new each time, such as a time. If the server gives the cursor, equal items can be
    // real, such as readings of a sensor.
    let isOurs = rules?.deciding?.counter != nil || rules?.needsItems == true
    let items = Self.digest(of: page) ?? whole
    let digest = isOurs ? items : whole
    sameCount = digest == last ? sameCount + 1 : 1
    last = digest
    // The feed may have grown by a page, which shifts numbers. A cursor may include its item.
    let mayRepeat = hasIDs && (rules?.needsItems != true || page.items.count < 2)
    if sameCount == 2, isOurs || digest == first, !mayRepeat {
      if let place = rules?.deciding?.same(page.items.map(\.value)) {
        throw .response("all \(page.items.count) items of the page have this value at \(place): ask for larger pages")
      }
      if digest != first {
        throw .response("the page has the same items as the one before, so the walk would never end")
      }
      throw .response("the page has the same items as page 1" + Self.remedy(rules, request))
    }
    if first == nil { first = digest }
    if sameCount >= Self.sameLimit {
      throw .response("the last \(sameCount) pages are the same" + Self.remedy(rules, request))
    }
    if isOurs || page.items.isEmpty { return }
    let isKnown =
      !seenItems.insert(items) || (hasIDs && !progress.isKept && !page.items.contains(where: progress.isNew))
    knownCount = isKnown ? knownCount + 1 : 0
    if knownCount >= Self.sameLimit {
      throw .response("the last \(knownCount) pages have only items that came before" + Self.remedy(rules, request))
    }
  }

  /// The digest of the items of a page; nil if it has none.
  private static func digest(of page: Page) -> Digest? {
    guard let first = page.items.first, let last = page.items.last else { return nil }
    let range = first.value.range.lowerBound..<last.value.range.upperBound
    let bytes = page.document.bytes
    return Digest(of: bytes.span, in: range)
  }

  /// What the server may not know, and what to type.
  private static func remedy(_ rules: NextRules?, _ request: PageRequest) -> String {
    guard let rule = rules?.deciding, case .query(let name) = rule.target else { return "" }
    let shown = quoted(name)
    guard request.hasJSONBody else { return ": the server does not know '\(shown)' in the URL" }
    let text = String(decoding: rule.text.drop { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    return
      ": the server does not know '\(shown)' in the URL; if it belongs in the body, type --next body:/\(shown)\(text)"
  }
}
