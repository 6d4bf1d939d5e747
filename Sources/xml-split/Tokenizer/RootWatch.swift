// Looks for a start tag inside the root element that has the root's own name: where connections are joined and the first
// was cut, the next document begins inside the one before, and nothing else shows it.

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
  private var nameLength = 0
  /// Whether there is a document that it is the root of.
  private(set) var isOn = false
  /// Whether that begins with the same tag as the one before.
  private(set) var isLikeBefore = false
  /// How many bytes a name has that is looked at; -1 while none is.
  private(set) var length = -1
  /// What was seen and not asked for.
  private var sighting: Sighting?
  /// Whether there has been such a tag in this document.
  private(set) var hasSeen = false

  /// A longer tag is too much to keep.
  private static let maxTag = 4096

  /// The name of the root element; empty where there is none that is looked for.
  var name: [UInt8] { isOn ? Array(tag[1...nameLength]) : [] }

  /// Begins with a root element.
  /// - Parameter range: of its start tag.
  mutating func begin(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, nameLength: Int) {
    end()
    guard range.count <= Self.maxTag else { return }
    isOn = true
    isLikeBefore = range.count == tag.count && sameBytes(bytes.extracting(range), tag.span)
    if !isLikeBefore {
      tag.removeAll(keepingCapacity: true)
      tag.append(span: bytes.extracting(range))
      self.nameLength = nameLength
    }
    length = nameLength
  }

  /// The document has ended.
  mutating func end() {
    isOn = false
    length = -1
    sighting = nil
    hasSeen = false
  }

  /// Looks for the next one, after an element that fits PATH: that is none, whatever its name.
  mutating func lookOn(behind start: Int) {
    if let sighting, sighting.offset == start { self.sighting = nil }
    if isOn { length = nameLength }
  }

  mutating func takeSighting() -> Sighting? {
    defer { sighting = nil }
    return sighting
  }

  /// Whether a name of `length` bytes is the root's.
  @inline(__always)
  func isName(_ bytes: borrowing Span<UInt8>, at start: Int) -> Bool {
    for index in 0..<nameLength where bytes[start + index] != tag[1 + index] { return false }
    return true
  }

  /// Takes in a start tag that has the root's name. One is enough until somebody wants to know of the next.
  mutating func see(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    length = -1
    hasSeen = true
    let isSame = range.count == tag.count && sameBytes(bytes.extracting(range), tag.span)
    sighting = Sighting(offset: range.lowerBound, isRootAgain: isSame && declaresNamespace)
  }

  private var declaresNamespace: Bool {
    let word = Array("xmlns".utf8)
    return tag.indices.contains { tag[$0].isWhiteSpace && tag[($0 + 1)...].starts(with: word) }
  }
}
