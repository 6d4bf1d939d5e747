// Two connections joined, the first cut inside an element: all that comes is then inside it, well-formed, and nothing fits
// PATH any more until the input ends. It cannot be told for certain, so it is only said, as soon as it is likely:
//
// - an element inside the root element has the root's name, and documents with that root have ended before in this input,
//   none of which had such an element;
// - it has the root's name, and its tag is the root's byte for byte and declares a namespace;
// - it has the root's name, or PATH leads nowhere in this root while it did in others, and then nothing fits PATH for more
//   bytes than the largest element may have.
//
// Documents whose elements hold others of their own name (`div`, `outline`) do so early on, and are then known.

import FeedCore

struct JoinedDocuments {
  enum Verdict {
    case newDocument(RootWatch.Sighting)
    case endless
  }

  /// Root elements of documents that have ended: whether there was none of their name in them.
  private var roots: [[UInt8]: Bool] = [:]
  /// Of the document before.
  private var wasPlain = false
  /// As many names as a feed has kinds of documents, and more.
  private static let maxRoots = 64
  private static let maxName = 256

  /// Where, in bytes from the start of the input, the time began in which something should fit PATH.
  private var waitingSince: Int?
  private var hasSpoken = false

  /// A document begins, whatever became of the one before.
  mutating func reset() {
    waitingSince = nil
    hasSpoken = false
  }

  /// Nothing in the root element that begins can fit PATH, though something did elsewhere.
  mutating func wait(from position: Int) { waitingSince = position }

  /// A root element has ended.
  mutating func endRoot(_ watch: borrowing RootWatch) {
    reset()
    guard watch.isOn else { return }
    let isPlain = !watch.hasSeen
    // Of many documents of one kind only the first has something new to tell.
    if isPlain, wasPlain, watch.isLikeBefore { return }
    wasPlain = isPlain
    let name = watch.name
    if let before = roots[name] {
      roots[name] = before && isPlain
    } else if roots.count < Self.maxRoots, name.count <= Self.maxName {
      roots[name] = isPlain
    }
  }

  /// Something fits.
  mutating func fits() { waitingSince = nil }

  /// - Parameters:
  ///   - start: the position of the first byte that the watch counts from.
  ///   - position: how far it has come.
  mutating func judge(_ watch: inout RootWatch, from start: Int, at position: Int, limit: Int) -> Verdict? {
    if let sighting = watch.takeSighting(), !hasSpoken {
      if sighting.isRootAgain || roots[watch.name] == true {
        hasSpoken = true
        return .newDocument(sighting)
      }
      if waitingSince == nil { waitingSince = start + sighting.offset }
    }
    guard let since = waitingSince, !hasSpoken, position - since > limit else { return nil }
    hasSpoken = true
    return .endless
  }
}
