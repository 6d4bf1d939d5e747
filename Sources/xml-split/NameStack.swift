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
