import FeedCore

/// The names of the elements that are open, as places: mostly in the text, since most elements end soon. Only the names
/// of those around a place where the text is cut are kept.
struct NameStack {
  private var places: [Range<Int>] = []
  /// The names of the outermost elements, whose text has been dropped; `places` has where they are in here.
  private var kept: [UInt8] = []
  private var keptCount = 0

  var count: Int { places.count }

  @inline(__always)
  mutating func push(_ name: Range<Int>) { places.append(name) }

  @inline(__always)
  mutating func pop() {
    let place = places.removeLast()
    guard places.count < keptCount else { return }
    keptCount = places.count
    kept.removeLast(place.count)
  }

  /// The first bytes of the text go.
  mutating func drop(_ count: Int, of text: borrowing Span<UInt8>) {
    for index in keptCount..<places.count {
      let place = places[index]
      if place.lowerBound < count {
        places[index] = kept.count..<(kept.count + place.count)
        kept.append(span: text.extracting(place))
        keptCount = index + 1
      } else {
        places[index] = (place.lowerBound - count)..<(place.upperBound - count)
      }
    }
  }

  /// Takes the innermost element of this name away, and all inside it.
  /// - Returns: false where none is open.
  mutating func popAll(to name: [UInt8], in text: borrowing Span<UInt8>) -> Bool {
    for index in places.indices.reversed() where self.name(index, in: text) == name {
      while places.count > index { pop() }
      return true
    }
    return false
  }

  /// How many bytes the innermost name has.
  var topCount: Int { places.last?.count ?? 0 }

  /// Whether the innermost name also stands at `start`, which leaves it room.
  @inline(__always)
  func topStands(at start: Int, in text: borrowing Span<UInt8>) -> Bool {
    let place = places[places.count - 1]
    if places.count > keptCount { return hasSameBytes(text, place, text, at: start) }
    return hasSameBytes(kept.span, place, text, at: start)
  }

  func topName(in text: borrowing Span<UInt8>) -> [UInt8] {
    places.isEmpty ? [] : name(places.count - 1, in: text)
  }

  private func name(_ index: Int, in text: borrowing Span<UInt8>) -> [UInt8] {
    index < keptCount ? Array(kept[places[index]]) : array(text, places[index])
  }
}

/// Whether the bytes of a range stand at another place too, eight a step.
@inline(__always)
private func hasSameBytes(
  _ left: borrowing Span<UInt8>, _ range: Range<Int>, _ right: borrowing Span<UInt8>, at start: Int
) -> Bool {
  var (index, other) = (range.lowerBound, start)
  while index + 8 <= left.count, other + 8 <= right.count {
    let difference = loadWord(left, at: index) ^ loadWord(right, at: other)
    if difference != 0 { return index + difference.lowestPlace >= range.upperBound }
    index += 8
    other += 8
    if index >= range.upperBound { return true }
  }
  while index < range.upperBound {
    if left[index] != right[other] { return false }
    index += 1
    other += 1
  }
  return true
}
