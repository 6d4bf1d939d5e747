/// The digests of a document, made on demand: for a value and everything in it, when first needed. If two documents
/// differ little, most of them is never digested, because the text is the same.
struct DigestCache {
  private let document: JSONDocument
  private let sets: Set<Int>
  private let voids: Set<Int>
  private let mask: UInt64
  /// By tape position; empty if nothing is known yet.
  private var pages: [[UInt64]]

  private static let pageSize = 1024

  init(_ document: JSONDocument, sets: Set<Int>, voids: Set<Int>, mask: UInt64) {
    self.document = document
    self.sets = sets
    self.voids = voids
    self.mask = mask
    pages = [[UInt64]](repeating: [], count: document.tape.count / Self.pageSize + 1)
  }

  /// The digest of a value or of a member's name; nil if it is unknown. If the digest of a value is known, so are those
  /// of everything in it.
  func known(_ position: Int) -> UInt64? {
    let page = position / Self.pageSize
    guard !pages[page].isEmpty else { return nil }
    let digest = pages[page][position % Self.pageSize]
    return digest == 0 ? nil : digest
  }

  mutating func digest(of position: Int) -> UInt64 {
    if let digest = known(position) { return digest }
    if document.kind(position).isContainer || voids.contains(position) {
      let value = JSONValue(document: document, position: position)
      let words = JSONDigests(of: value, sets: sets, voids: voids, mask: mask).words
      for (place, digest) in words.enumerated() { store(digest, at: position + place) }
    } else {
      store(JSONDigests.ofScalar(JSONValue(document: document, position: position)) & mask, at: position)
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
