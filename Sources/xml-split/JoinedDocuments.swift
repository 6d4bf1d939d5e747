import FeedCore

/// Detects two joined connections, of which the first was cut inside an element. Everything after the cut is then inside
/// that element, well-formed, and nothing matches PATH until the input ends. Only a user who knows that the root's name
/// never occurs inside it is certain (--restart-at). Otherwise there is a warning, as soon as it is likely:
///
/// - an element inside the root element has the root's name, and its tag equals the root's byte for byte and declares a
///   namespace, or the document before began with that name too and no document had such an element;
/// - it has the root's name, and then nothing matches PATH for more bytes than the largest element may have; or the same
///   without such an element, if PATH cannot match in this root but did in others.
struct JoinedDocuments {
  /// A start tag inside the root element that has the root's name.
  struct Sighting {
    /// The offset of the start tag.
    let offset: Int
    /// Whether that is enough for a warning.
    let isLikely: Bool
    /// Whether an element after it matches PATH.
    var hasMatchAfter = false
  }

  /// The root's start tag and name; those of the last document, until another one begins.
  private var tag: [UInt8] = []
  private(set) var name: [UInt8] = []
  /// Whether the root element is open, and its name is looked for, as often as it takes.
  private var isOn = false
  /// The name to look for now; empty for none.
  private(set) var wanted: [UInt8] = []
  /// Whether a start tag with that name certainly begins another document.
  private(set) var isRestart = false
  /// Whether the document before has ended, and had a root of this name.
  private var isLikeBefore = false
  private var hasEnded = false
  /// Whether this document has an element with its root's name inside it.
  private var hasSeen = false
  /// Whether one that has ended had such an element: then it means nothing.
  private var isUsual = false
  /// A sighting that was not asked for yet.
  private var sighting: Sighting?
  /// The position in the input, in bytes, since which something should match PATH.
  private var waitingSince: Int?
  private var hasWarned = false

  /// Longer tags are not kept.
  private static let maxTag = 4096

  /// The option that would begin a document where this one seems to be joined with the next.
  var remedy: String { "--restart-at /\(isOn ? shortened(name) : "ROOT")" }

  /// Begins another stream of documents.
  mutating func beginStream() {
    beginDocument()
    hasEnded = false
  }

  /// Begins a document, whatever happened to the one before.
  mutating func beginDocument() {
    isOn = false
    isRestart = false
    wanted = []
    hasSeen = false
    sighting = nil
    waitingSince = nil
    hasWarned = false
  }

  /// Begins a root element that is not empty.
  /// - Parameters:
  ///   - position: the position in the input, if nothing in there can match PATH, although something did elsewhere.
  ///   - isRestart: whether its name never occurs inside it (--restart-at).
  mutating func beginRoot(
    _ root: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>, waitingFrom position: Int?, isRestart: Bool
  ) {
    self.isRestart = isRestart
    let range = isRestart ? root.name : root.range
    isOn = range.count <= Self.maxTag
    isLikeBefore = hasEnded && isName(bytes, root.name, name)
    hasEnded = false
    guard isOn else { return }
    if !isLikeBefore { name = array(bytes, root.name) }
    if !isName(bytes, range, tag) { tag = array(bytes, range) }
    wanted = name
    waitingSince = position
  }

  /// Begins a root element with a malformed start tag, if its name never occurs inside it (--restart-at).
  mutating func beginBrokenRoot(named name: [UInt8]) {
    beginDocument()
    isRestart = true
    wanted = name
  }

  /// Examines a start tag. After one with the name, the search stops until something matches PATH.
  /// - Returns: whether it certainly begins another document.
  @inline(__always)
  mutating func see(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) -> Bool {
    guard isName(bytes, tag.name, wanted) else { return false }
    if !isRestart { take(tag, bytes) }
    return isRestart
  }

  private mutating func take(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) {
    wanted = []
    hasSeen = true
    let isRootAgain = declaresNamespace && isName(bytes, tag.range, self.tag)
    sighting = Sighting(offset: tag.range.lowerBound, isLikely: isRootAgain || isLikeBefore && !isUsual)
  }

  private var declaresNamespace: Bool {
    let word = Array("xmlns".utf8)
    return tag.indices.contains { tag[$0].isWhiteSpace && tag[($0 + 1)...].starts(with: word) }
  }

  /// Ends a root element.
  mutating func endRoot() {
    hasEnded = isOn
    if hasSeen { isUsual = true }
    beginDocument()
  }

  /// Records that the element whose tag begins at `start` matches PATH. That tag is no sighting, whatever its name.
  /// - Returns: whether the search for the root's name goes on, which had stopped.
  mutating func matched(at start: Int) -> Bool {
    waitingSince = nil
    if sighting?.offset == start { sighting = nil } else { sighting?.hasMatchAfter = true }
    guard wanted.isEmpty, isOn else { return false }
    wanted = name
    return true
  }

  /// The warning that another document seems to have begun inside this one, once.
  /// - Parameters:
  ///   - start: the position of the first byte of the window.
  ///   - position: how far the input was read.
  ///   - limit: the size of the largest element.
  mutating func warning(from start: Int, at position: Int, limit: Int) -> XMLError? {
    guard !hasWarned else { return nil }
    if let sighting {
      self.sighting = nil
      if sighting.isLikely {
        hasWarned = true
        return XMLError(
          "a new document seems to begin inside element '\(shortened(name))', which has not ended (\(remedy))",
          at: sighting.offset)
      }
      if waitingSince == nil, !sighting.hasMatchAfter { waitingSince = start + sighting.offset }
    }
    guard let since = waitingSince, position - since > limit else { return nil }
    hasWarned = true
    return XMLError(
      "element '\(shortened(name))' has not ended, and nothing matches PATH for more than \(limit) bytes (--max-size)",
      at: position - start)
  }
}
