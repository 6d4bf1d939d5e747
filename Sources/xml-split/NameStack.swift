/// The names of the elements that are open, one behind the other.
struct NameStack {
  private var bytes: [UInt8] = []
  private var starts: [Int] = []

  var count: Int { starts.count }

  mutating func push(_ text: borrowing Span<UInt8>, _ name: Range<Int>) {
    starts.append(bytes.count)
    bytes.append(span: text.extracting(name))
  }

  mutating func pop() {
    guard let start = starts.popLast() else { return }
    bytes.removeLast(bytes.count - start)
  }

  /// Takes the innermost element of this name away, and all inside it.
  /// - Returns: false where none is open.
  mutating func popAll(to name: [UInt8]) -> Bool {
    var end = bytes.count
    for place in starts.indices.reversed() {
      if bytes[starts[place]..<end].elementsEqual(name) {
        bytes.removeLast(bytes.count - starts[place])
        starts.removeLast(starts.count - place)
        return true
      }
      end = starts[place]
    }
    return false
  }

  /// How many bytes the innermost name has.
  var topCount: Int { bytes.count - (starts.last ?? 0) }

  /// Whether the innermost name, which is as long as `range`, is the one there.
  @inline(__always)
  func topIs(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    var place = starts.last ?? 0
    for index in range {
      if bytes[place] != text[index] { return false }
      place += 1
    }
    return true
  }

  var topName: [UInt8] { Array(bytes[(starts.last ?? 0)...]) }
}
