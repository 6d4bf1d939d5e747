/// An array whose elements hold no references, and which keeps its memory. Emptying it costs nothing.
struct ReusedArray<Element> {
  /// The first `count` ones; those after them have been removed.
  private var elements: [Element] = []
  private(set) var count = 0

  var indices: Range<Int> { 0..<count }

  subscript(index: Int) -> Element {
    @inline(__always) get { elements[index] }
    @inline(__always) _modify { yield &elements[index] }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count < elements.count { elements[count] = element } else { elements.append(element) }
    count &+= 1
  }

  /// Removes all elements from `index` on.
  @inline(__always)
  mutating func remove(from index: Int) { count = index }

  mutating func removeFirst(_ removed: Int) {
    elements.removeFirst(removed)
    count -= removed
  }
}
