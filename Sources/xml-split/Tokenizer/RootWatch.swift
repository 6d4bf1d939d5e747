// Looks for a start tag inside the root element with the root's own name. If connections are joined and the first was
// cut, the next document begins inside the last one, and nothing else shows it. The user may know that the root's name
// never occurs inside it (--restart-at): then such a tag certainly begins a document.

import FeedCore

struct RootWatch {
  struct Sighting {
    /// The offset of the start tag.
    let offset: Int
    /// Whether the tag declares a namespace and equals the root's, byte for byte: documents hardly ever repeat that.
    let isRootAgain: Bool
    /// Whether an element after it matches PATH.
    var hasMatchAfter = false
  }

  /// The root's start tag; that of the last document, until another one begins.
  private var tag: [UInt8] = []
  private var rootName: [UInt8] = []
  /// Whether its document is still open.
  private(set) var isOn = false
  /// Whether that document begins with the same tag as the one before.
  private(set) var isLikeBefore = false
  /// The name to look for; empty for none.
  private(set) var wanted: [UInt8] = []
  /// Whether a start tag with that name certainly begins another document.
  private(set) var isRestart = false
  /// A sighting that was not asked for yet.
  private var sighting: Sighting?
  /// Whether this document has had such a tag.
  private(set) var hasSeen = false

  /// Longer tags are not kept.
  private static let maxTag = 4096

  /// The name of the root element; empty if none is being looked for.
  var name: [UInt8] { isOn ? rootName : [] }

  /// Begins a root element.
  /// - Parameter isRestart: whether its name never occurs inside it.
  mutating func begin(_ root: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>, isRestart: Bool) {
    end()
    self.isRestart = isRestart
    let range = isRestart ? root.name : root.range
    guard range.count <= Self.maxTag else { return }
    isOn = true
    isLikeBefore = range.count == tag.count && sameBytes(bytes.extracting(range), tag.span)
    if !isLikeBefore {
      tag.removeAll(keepingCapacity: true)
      tag.append(span: bytes.extracting(range))
      rootName = array(bytes, root.name)
    }
    wanted = rootName
  }

  /// Begins a root element with a malformed start tag. Its name never occurs inside it.
  mutating func beginBroken(_ name: [UInt8]) {
    end()
    isRestart = true
    wanted = name
  }

  /// Ends the document.
  mutating func end() {
    isOn = false
    isRestart = false
    wanted = []
    sighting = nil
    hasSeen = false
  }

  /// Continues the search after an element that matches PATH: that one does not count, whatever its name.
  /// - Returns: whether it had stopped.
  mutating func lookOn(after start: Int) -> Bool {
    if sighting?.offset == start { sighting = nil } else { sighting?.hasMatchAfter = true }
    guard wanted.isEmpty, isOn else { return false }
    wanted = rootName
    return true
  }

  mutating func takeSighting() -> Sighting? {
    defer { sighting = nil }
    return sighting
  }

  /// Examines a start tag. After one with the name, the search stops until `lookOn`.
  /// - Returns: whether it begins another document.
  @inline(__always)
  mutating func see(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) -> Bool {
    guard isName(bytes, tag.name, wanted) else { return false }
    if !isRestart { take(tag, bytes) }
    return isRestart
  }

  private mutating func take(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) {
    wanted = []
    hasSeen = true
    let range = tag.range
    let isSame = range.count == self.tag.count && sameBytes(bytes.extracting(range), self.tag.span)
    sighting = Sighting(offset: range.lowerBound, isRootAgain: isSame && declaresNamespace)
  }

  private var declaresNamespace: Bool {
    let word = Array("xmlns".utf8)
    return tag.indices.contains { tag[$0].isWhiteSpace && tag[($0 + 1)...].starts(with: word) }
  }
}
