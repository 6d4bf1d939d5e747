// Two connections joined, the first cut inside an element: all that comes is then inside it, well-formed, and nothing
// matches PATH until the input ends. This is never certain, so it is only a warning, as soon as it is likely:
//
// - an element inside the root element has the root's name, and documents with that root have ended before in this input,
//   none of which had such an element;
// - it has the root's name, and its tag is the root's byte for byte and declares a namespace;
// - it has the root's name, or PATH leads nowhere in this root while it did in others, and then nothing matches PATH for more
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

  private(set) var watch = RootWatch()

  /// Where, in bytes from the start of the input, the time began in which something should fit PATH.
  private var waitingSince: Int?
  private var hasSpoken = false

  /// Another stream of documents begins.
  mutating func beginStream() {
    watch = RootWatch()
    beginDocument()
  }

  /// A document begins, whatever became of the one before.
  mutating func beginDocument() {
    watch.end()
    waitingSince = nil
    hasSpoken = false
  }

  /// A root element begins that goes on.
  /// - Parameters:
  ///   - position: how far the input has come, if nothing in there can fit PATH, though something did elsewhere.
  ///   - isRestart: whether its name never occurs inside it (--restart-at).
  mutating func beginRoot(
    _ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>, waitingFrom position: Int?, isRestart: Bool
  ) {
    watch.begin(tag, bytes, isRestart: isRestart)
    if !watch.name.isEmpty, let position { waitingSince = position }
  }

  /// Takes in a start tag.
  /// - Returns: whether it begins another document, for certain.
  @inline(__always)
  mutating func see(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) -> Bool {
    watch.see(tag, bytes)
  }

  /// A root element has ended.
  mutating func endRoot() {
    defer { beginDocument() }
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

  /// An element matches PATH whose tag begins at `start`.
  mutating func matched(at start: Int) {
    waitingSince = nil
    watch.lookOn(after: start)
  }

  /// - Parameters:
  ///   - start: the position of the first byte that the watch counts from.
  ///   - position: how far it has come.
  mutating func verdict(from start: Int, at position: Int, limit: Int) -> Verdict? {
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
