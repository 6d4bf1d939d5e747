// Decides whether a value of the old document equals one of the new: by digests, and then with certainty.

/// The two documents of a diff, with what is known about them so far.
///
/// Items of arrays are digested, so that any of them can be compared with any other. Values at the same place are compared
/// directly, and so are those with a tolerance, which have no digest. What differs is remembered, and everything in a
/// digested value is compared by digests. So the cost depends on a document's size, not on its depth.
package struct Sides {
  /// Values of so many bytes may be compared again for everything that is around them.
  private static let small = 1024

  let old: Side
  let new: Side
  private var olds: DigestCache
  private var news: DigestCache
  /// Containers that are not equal, so that those in one another are not compared again and again.
  private var differing: Set<Alignment.Pair> = []
  /// How many values were compared directly.
  private(set) var steps = 0

  package init(old: Side, new: Side) {
    self.old = old
    self.new = new
    olds = DigestCache(old)
    news = DigestCache(new)
  }

  /// Whether two documents are equal. The comparison ends at the first difference.
  package static func areEqual(_ old: Side, _ new: Side) -> Bool {
    var sides = Sides(old: old, new: new)
    return sides.areEqualFromStart(0, 0)
  }

  /// Whether two values have the same text and are therefore equal.
  func haveSameText(_ a: Int, _ b: Int) -> Bool { old.value(a).hasSameText(as: new.value(b)) }

  /// Whether the value at tape position `a` of the old document equals that at `b` of the new one.
  package mutating func areEqual(_ a: Int, _ b: Int) -> Bool {
    if old.isVoid(a) && new.isVoid(b) { return true }
    guard old.document.kind(a).isContainer, new.document.kind(b).isContainer else {
      return Comparison.areEqualScalars(a, b, old, new)
    }
    if old.isTolerant(a) { return areEqualFromStart(a, b) }
    let isKnown = isDigested(a, b)
    if !isKnown && haveSameText(a, b) { return true }
    guard olds.digest(of: a) == news.digest(of: b) else { return false }
    return areEqualFromStart(a, b)
  }

  /// Compares two values from the start to the first difference, without digests.
  mutating func areEqualFromStart(_ a: Int, _ b: Int) -> Bool {
    if !differing.isEmpty, differing.contains(Alignment.Pair(old: a, new: b)) { return false }
    var comparison = Comparison(old, new)
    let areEqual = comparison.run(a, b, &self)
    steps += comparison.steps
    if !areEqual { differing.formUnion(comparison.openContainers) }
    return areEqual
  }

  /// Whether two values at the same place must be compared further: false only if they are equal.
  mutating func mayDiffer(_ a: Int, _ b: Int) -> Bool {
    let kind = old.document.kind(a)
    guard kind.isContainer, kind == new.document.kind(b), !isDigested(a, b) else { return !areEqual(a, b) }
    if old.isVoid(a) && new.isVoid(b) { return false }
    // If the sizes differ, a comparison of their contents will show it.
    let size = old.size(a)
    if size != new.size(b) { return true }
    return !(size <= Self.small && haveSameText(a, b)) && !areEqualFromStart(a, b)
  }

  /// Whether the digests of two values, and so of everything in them, are known.
  func isDigested(_ a: Int, _ b: Int) -> Bool { olds.known(a) != nil && news.known(b) != nil }

  mutating func oldDigest(_ position: Int) -> UInt64 { olds.digest(of: position) }
  mutating func newDigest(_ position: Int) -> UInt64 { news.digest(of: position) }
}

/// The digests of a document, made on demand: for a value and everything in it, when first needed. If two documents
/// differ little, most of them is never digested, because the text is the same.
struct DigestCache {
  private let side: Side
  /// By tape position; empty if nothing is known yet.
  private var pages: [[UInt64]]

  private static let pageSize = 1024

  init(_ side: Side) {
    self.side = side
    pages = [[UInt64]](repeating: [], count: side.document.tape.count / Self.pageSize + 1)
  }

  /// The digest of a value or of a member's name; nil if it is unknown. If the digest of a value is known, so are those
  /// of everything in it.
  func known(_ position: Int) -> UInt64? {
    let page = position / Self.pageSize
    guard !pages[page].isEmpty else { return nil }
    let digest = pages[page][position % Self.pageSize]
    return digest == 0 ? nil : digest
  }

  /// Digests a container with everything in it at once, as its parts will be asked for next.
  mutating func digest(of position: Int) -> UInt64 {
    if let digest = known(position) { return digest }
    if side.document.kind(position).isContainer || side.isVoid(position) {
      for (place, digest) in side.digests(position).enumerated() { store(digest, at: position + place) }
    } else {
      store(side.scalarDigest(position), at: position)
    }
    return known(position) ?? 0
  }

  private mutating func store(_ digest: UInt64, at position: Int) {
    let page = position / Self.pageSize
    if pages[page].isEmpty { pages[page] = [UInt64](repeating: 0, count: Self.pageSize) }
    // 0 means unknown.
    pages[page][position % Self.pageSize] = digest == 0 ? 1 : digest
  }
}
