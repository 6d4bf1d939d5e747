// Detects two joined connections, of which the first was cut inside an element. Everything after the cut is then inside
// that element, well-formed, and nothing matches PATH until the input ends. This is never certain, so there is only a
// warning, as soon as it is likely:
//
// - an element inside the root element has the root's name; earlier documents of this input with that root have ended,
//   and none of them had such an element;
// - it has the root's name, and its tag equals the root's byte for byte and declares a namespace;
// - it has the root's name, and then nothing matches PATH for more bytes than the largest element may have; or the same
//   without such an element, if PATH cannot match in this root but did in others.
//
// Documents whose elements contain others of the same name (`div`, `outline`) show it early, and are then known.

import FeedCore

struct JoinedDocuments {
  enum Verdict {
    case newDocument(RootWatch.Sighting)
    case endless
  }

  /// The root elements of documents that have ended: whether no other element in them had the root's name.
  private var roots: [[UInt8]: Bool] = [:]
  /// Whether that was so in the last document.
  private var wasPlain = false
  /// More names than a feed has kinds of documents.
  private static let maxRoots = 64
  private static let maxName = 256

  private(set) var watch = RootWatch()

  /// The position in the input, in bytes, since which something should match PATH.
  private var waitingSince: Int?
  private var hasSpoken = false

  /// Begins another stream of documents.
  mutating func beginStream() {
    watch = RootWatch()
    beginDocument()
  }

  /// Begins a document, whatever happened to the one before.
  mutating func beginDocument() {
    watch.end()
    waitingSince = nil
    hasSpoken = false
  }

  /// Begins a root element that is not empty.
  /// - Parameters:
  ///   - position: the position in the input, if nothing in there can match PATH, although something did elsewhere.
  ///   - isRestart: whether its name never occurs inside it (--restart-at).
  mutating func beginRoot(
    _ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>, waitingFrom position: Int?, isRestart: Bool
  ) {
    watch.begin(tag, bytes, isRestart: isRestart)
    if !watch.name.isEmpty, let position { waitingSince = position }
  }

  /// Begins a root element with a malformed start tag, if its name never occurs inside it (--restart-at).
  mutating func beginBrokenRoot(named name: [UInt8]) {
    watch.beginBroken(name)
  }

  /// Examines a start tag.
  /// - Returns: whether it certainly begins another document.
  @inline(__always)
  mutating func see(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) -> Bool {
    watch.see(tag, bytes)
  }

  /// Ends a root element.
  mutating func endRoot() {
    defer { beginDocument() }
    guard watch.isOn else { return }
    let isPlain = !watch.hasSeen
    // Of many documents of one kind, only the first shows anything new.
    if isPlain, wasPlain, watch.isLikeBefore { return }
    wasPlain = isPlain
    let name = watch.name
    if let before = roots[name] {
      roots[name] = before && isPlain
    } else if roots.count < Self.maxRoots, name.count <= Self.maxName {
      roots[name] = isPlain
    }
  }

  /// Records that the element whose tag begins at `start` matches PATH.
  /// - Returns: whether the search for the root's name goes on, which had stopped.
  mutating func matched(at start: Int) -> Bool {
    waitingSince = nil
    return watch.lookOn(after: start)
  }

  /// - Parameters:
  ///   - start: the position of the first byte of the window.
  ///   - position: how far the input was read.
  mutating func verdict(from start: Int, at position: Int, limit: Int) -> Verdict? {
    if let sighting = watch.takeSighting(), !hasSpoken {
      if sighting.isRootAgain || roots[watch.name] == true {
        hasSpoken = true
        return .newDocument(sighting)
      }
      if waitingSince == nil, !sighting.hasMatchAfter { waitingSince = start + sighting.offset }
    }
    guard let since = waitingSince, !hasSpoken, position - since > limit else { return nil }
    hasSpoken = true
    return .endless
  }
}
