// Looks for a start tag inside the root element that has the root's own name: where connections are joined and the first
// was cut, the next document begins inside the one before, and nothing else shows it. The user may know that the root's name
// never occurs inside it (--restart-at): such a tag then begins a document for certain.

import FeedCore

struct RootWatch {
  struct Sighting {
    /// Of the start tag.
    let offset: Int
    /// Whether the tag declares a namespace and is the root's, byte for byte: hardly anything repeats that inside itself.
    let isRootAgain: Bool
  }

  /// The root's start tag; that of the document before, until another begins.
  private var tag: [UInt8] = []
  private var rootName: [UInt8] = []
  /// Whether there is a document that it is the root of.
  private(set) var isOn = false
  /// Whether that begins with the same tag as the one before.
  private(set) var isLikeBefore = false
  /// The name that is looked for; empty while none is.
  private(set) var wanted: [UInt8] = []
  /// Whether a start tag of that name begins another document, for certain.
  private(set) var isRestart = false
  /// One that nobody has asked about yet.
  private var sighting: Sighting?
  /// Whether there has been such a tag in this document.
  private(set) var hasSeen = false

  /// A longer tag is too much to keep.
  private static let maxTag = 4096

  /// The name of the root element; empty where there is none that is looked for.
  var name: [UInt8] { isOn ? rootName : [] }

  /// Begins with a root element.
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

  /// The document has ended.
  mutating func end() {
    isOn = false
    isRestart = false
    wanted = []
    sighting = nil
    hasSeen = false
  }

  /// Looks for more after an element that matches PATH: that one does not count, whatever its name.
  mutating func lookOn(after start: Int) {
    if let sighting, sighting.offset == start { self.sighting = nil }
    wanted = name
  }

  mutating func takeSighting() -> Sighting? {
    defer { sighting = nil }
    return sighting
  }

  /// Takes in a start tag. After one with the name it does not look for more, until `lookOn`.
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
