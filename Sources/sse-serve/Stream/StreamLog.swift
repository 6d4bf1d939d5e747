import FeedCore
import FeedZlib

/// The stream in one encoding, plain text or gzip (RFC 1952): one sequence of bytes, written once for all clients that
/// take it. So an event costs the same memory, and is compressed once, for one client as for ten thousand. Each piece is
/// a chunk; clients that do not know chunks get the data alone.
///
/// Each piece is compressed so that it refers to nothing before it: a client can begin at any piece. What a client gets
/// is one member of gzip: its header, the pieces from its beginning on, and at the end an empty last block with the
/// checksum of all of them. `Subscription` writes all that is not in the log.
final class StreamLog {
  private(set) var bytes = ByteLog()
  /// Everything before this place was sent to all clients.
  var sentEnd = 0
  /// The document that clients get first, until the next piece.
  private(set) var document: SharedText?
  /// The ends of the pieces that may still be needed, after the end of the piece before them.
  private var ends = NumberedQueue(blank: 0)
  /// The length and checksum of the plain text up to each of these ends.
  private var sums = NumberedQueue(blank: Checksum())
  private let deflater: DeflaterStream?

  /// - Parameter deflater: of gzip; may be shared, since no piece needs another one.
  init(_ deflater: DeflaterStream? = nil) {
    self.deflater = deflater
    ends.append(0)
    sums.append(Checksum())
  }

  var isGzip: Bool { deflater != nil }
  /// The place after the last byte, where a new client begins that has missed nothing.
  var end: Int { bytes.end }
  /// The length and checksum of the plain text of the whole log.
  var checksum: Checksum { sums[sums.end - 1] }

  /// Adds a piece of plain text, which is an event.
  func append(_ piece: [UInt8]) {
    document = nil
    bytes.append(encoded(piece).bytes)
    ends.append(bytes.end)
    var sum = checksum
    sum.add(piece)
    sums.append(sum)
  }

  private func encoded(_ text: [UInt8]) -> Chunk {
    guard let deflater else { return Chunk(text) }
    var packed: [UInt8] = []
    deflater.run(text.span, forgets: true, to: &packed)
    return Chunk(packed)
  }

  /// The current document in this encoding, made once for all clients.
  /// - Parameter text: makes it as plain text.
  func document(_ text: () -> [UInt8]) -> SharedText {
    if let document { return document }
    let text = text()
    var sum = Checksum()
    sum.add(text)
    let made = SharedText(encoded(text), of: sum)
    document = made
    return made
  }

  /// Where a client begins, and the checksum up to there.
  /// - Parameter plainPlace: the end of a piece, as a place in the plain text.
  func start(at plainPlace: Int) -> (place: Int, checksum: Checksum) {
    let number = sums.firstNumber { $0.count >= plainPlace }
    return (ends[number], sums[number])
  }

  /// The end of the piece with the byte at `place`.
  func pieceEnd(after place: Int) -> Int {
    let number = ends.firstNumber { $0 > place }
    return number < ends.end ? ends[number] : place
  }

  /// What a client without chunks gets from `place` on in one write.
  func data(from place: Int) -> [UInt8] {
    var data: [UInt8] = []
    var number = ends.firstNumber { $0 > place }
    while number < ends.end, data.count < ByteLog.pieceSize {
      let part = self.data(in: number, from: place)
      let (bytes, offset) = bytes.piece(at: part.lowerBound)
      data += bytes[offset..<(offset + min(part.count, ByteLog.pieceSize - data.count))]
      number += 1
    }
    return data
  }

  /// The place after some of that data.
  /// - Parameter count: of its bytes, at least 1.
  func place(after count: Int, from place: Int) -> Int {
    var rest = count
    var number = ends.firstNumber { $0 > place }
    while true {
      let part = data(in: number, from: place)
      if rest < part.count { return part.lowerBound + rest }
      rest -= part.count
      if rest == 0 { return ends[number] }
      number += 1
    }
  }

  /// Where the data of a chunk is, without that before `place`.
  private func data(in number: Int, from place: Int) -> Range<Int> {
    let start = ends[number - 1]
    let data = Chunk.data(start, count: ends[number] - start)
    return max(data.lowerBound, place)..<data.upperBound
  }

  /// Drops the part that no client needs any more.
  /// - Parameter plainPlace: where a new client may begin, as a place in the plain text.
  func drop(before plainPlace: Int) {
    while ends.end - ends.first > 1 {
      let next = ends.first + 1
      guard ends[next] <= sentEnd, sums[next].count <= plainPlace else { break }
      ends.removeFirst()
      sums.removeFirst()
    }
    bytes.drop(before: ends[ends.first])
  }
}

/// One sequence of bytes. A place in it is an offset from the first byte ever written. A client's place says that
/// everything before it was sent. A slow client costs the bytes between its place and the end.
///
/// The bytes are in pieces of up to 64 KiB, a good size for a write. Pieces are dropped from the front.
struct ByteLog {
  static let pieceSize = 64 * 1024

  private var pieces = NumberedQueue(blank: (start: 0, bytes: [UInt8]()))
  /// The place after the last byte.
  private(set) var end = 0

  /// The place of the first byte that is still stored.
  var start: Int { pieces.isEmpty ? end : pieces[pieces.first].start }

  /// Adds bytes to the last piece, if there is room, so that several events go out in one write.
  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if pieces.isEmpty || pieces[pieces.end - 1].bytes.count + bytes.count > Self.pieceSize {
      pieces.append((end, bytes))
    } else {
      pieces[pieces.end - 1].bytes += bytes
    }
    end += bytes.count
  }

  /// The piece with the byte at `place`, which is before the end, and the byte's offset in it.
  func piece(at place: Int) -> (bytes: [UInt8], offset: Int) {
    // It is almost always the last one.
    var number = pieces.end - 1
    if pieces[number].start > place { number = pieces.firstNumber { $0.start > place } - 1 }
    let piece = pieces[number]
    return (piece.bytes, place - piece.start)
  }

  /// Drops whole pieces before `place`.
  mutating func drop(before place: Int) {
    while !pieces.isEmpty, pieces[pieces.first].start + pieces[pieces.first].bytes.count <= place {
      pieces.removeFirst()
    }
  }
}

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

  /// Frees the element with the lowest number; there must be one.
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
