// A path that begins at the root, such as `/item`, matches nothing in most feeds, where the items are further in. So does
// a name with another prefix than the tags, or in another case.

import FeedCore

/// Counts the elements that `//name` would match, while PATH matches nothing.
struct PathHint {
  /// The name of the last step; nil if there is nothing to count.
  private var name: [UInt8]?
  /// Where its local part begins.
  private var localStart = 0
  /// Whether PATH is `//name` already.
  private let isAnywhere: Bool
  /// The name to count, as tags are written: that of the last step, or else the first that is like it.
  private var found: [UInt8] = []
  private var count = 0

  /// - Parameter isWanted: whether anybody would read it.
  init(_ path: XMLPath, isWanted: Bool) {
    isAnywhere = path.steps.count == 1 && path.steps[0].isDeep
    // Not for a union.
    if isWanted, path.last.nonzeroBitCount == 1, case .written(let name) = path.steps.last?.name {
      self.name = name
      localStart = name.firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? 0
    }
  }

  @inline(__always)
  mutating func see(_ tag: XMLTokenizer.Token, _ bytes: borrowing Span<UInt8>) {
    if let name { see(tag.name, bytes, name) }
  }

  private mutating func see(_ tagName: Range<Int>, _ bytes: borrowing Span<UInt8>, _ name: [UInt8]) {
    if isName(bytes, tagName, found) {
      count += 1
      return
    }
    let isSame = isName(bytes, tagName, name)
    // Then the name is right, and a condition fails.
    if isSame, isAnywhere { return stop() }
    guard isSame || found.isEmpty && isLike(bytes, tagName, name) else { return }
    found = array(bytes, tagName)
    count = 1
  }

  /// Whether the local parts of two names are the same, in any case.
  private func isLike(_ bytes: borrowing Span<UInt8>, _ tagName: Range<Int>, _ name: [UInt8]) -> Bool {
    let start = firstIndex(of: UInt8(ascii: ":"), in: bytes, tagName).map { $0 + 1 } ?? tagName.lowerBound
    guard tagName.upperBound - start == name.count - localStart else { return false }
    return (localStart..<name.count).allSatisfy { index in
      let difference = name[index] ^ bytes[start + index - localStart]
      return difference == 0 || difference == 0x20 && name[index].isLetter
    }
  }

  /// Stops counting, because PATH matches something.
  mutating func stop() { name = nil }

  /// What to say at the end, if nothing matched.
  var message: String? {
    guard name != nil, count > 0 else { return nil }
    let elements = count == 1 ? "1 element" : "\(count) elements"
    return "nothing matches PATH, but //\(quoted(found)) would match \(elements)"
  }
}
