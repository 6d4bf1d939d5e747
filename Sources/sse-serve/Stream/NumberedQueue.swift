/// A queue whose elements are numbered from 0 in the order in which they come. They keep their numbers when elements
/// are removed from the front.
struct NumberedQueue<Element> {
  private var items: [Element] = []
  /// How many entries of `items` are free at the front.
  private var gap = 0
  /// The number of the first element.
  private(set) var first = 0
  /// The value of a freed entry, so that the element's memory is released at once.
  private let blank: Element

  init(blank: Element) { self.blank = blank }

  /// The number after the last element.
  var end: Int { first + items.count - gap }
  var isEmpty: Bool { items.count == gap }

  subscript(_ number: Int) -> Element {
    get { items[number - first + gap] }
    _modify { yield &items[number - first + gap] }
  }

  mutating func append(_ element: Element) { items.append(element) }

  mutating func removeFirst() {
    items[gap] = blank
    gap += 1
    first += 1
    // On average, each removal moves at most one element.
    if gap >= 16, gap >= items.count / 2 {
      items.removeFirst(gap)
      gap = 0
    }
  }

  /// The first number for which `holds` is true, if it is true for all later ones too; `end` if there is none.
  func firstNumber(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (first, end)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
