// The digests of a document as far as anybody has asked: those of a value with all that is in it, when they are first
// needed. Most of two documents that differ little is never digested, since its text is the same.

import FeedCore

struct DigestCache {
  private let document: JSONDocument
  private let sets: Set<Int>
  private let voids: Set<Int>
  private let mask: UInt64
  /// By tape position; empty where nothing is known yet.
  private var pages: [[UInt64]]

  private static let pageSize = 1024

  init(_ document: JSONDocument, sets: Set<Int>, voids: Set<Int>, mask: UInt64) {
    self.document = document
    self.sets = sets
    self.voids = voids
    self.mask = mask
    pages = [[UInt64]](repeating: [], count: document.tape.count / Self.pageSize + 1)
  }

  /// The digest of a value, or of a member's name; nil where it is not known. What is in a value of which it is known is
  /// known too.
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
    // 0 stands for not known.
    pages[page][position % Self.pageSize] = digest == 0 ? 1 : digest
  }
}
