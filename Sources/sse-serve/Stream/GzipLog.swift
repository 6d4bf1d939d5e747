import FeedCore
import FeedZlib

/// The log once more, compressed, for clients that accept gzip (RFC 1952). Each piece is compressed once for all clients,
/// so that it refers to nothing before it: a client can begin at any piece. What a client gets is one member of gzip: its
/// header, the pieces from its beginning on, and at the end an empty last block with the checksum of all of them.
struct GzipLog {
  /// The end of a piece in both logs, and the checksum of everything up to there.
  struct Mark {
    var place = 0
    var packedPlace = 0
    var checksum = Checksum()
  }

  private(set) var bytes = ByteLog()
  /// The ends of the pieces that may still be needed, after the end of the piece before them.
  private var marks = NumberedQueue(blank: Mark())
  private let deflater: DeflaterStream

  /// - Parameter deflater: may be shared, since no piece needs another one.
  init(_ deflater: DeflaterStream) {
    self.deflater = deflater
    marks.append(Mark())
  }

  /// The end of the log.
  var end: Mark { marks[marks.end - 1] }

  mutating func append(_ piece: [UInt8]) {
    guard !piece.isEmpty else { return }
    var mark = end
    bytes.append(packed(piece))
    mark.place += piece.count
    mark.packedPlace = bytes.end
    mark.checksum.add(piece)
    marks.append(mark)
  }

  /// The compressed form of a text that is a piece by itself.
  func packed(_ text: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = []
    deflater.run(text.span, forgets: true, to: &packed)
    return packed
  }

  /// The mark at the end of a piece.
  /// - Parameter place: in the log that is not compressed.
  func mark(at place: Int) -> Mark { marks[marks.firstNumber { $0.place >= place }] }

  /// The end of the piece with the byte at a place of the compressed log.
  func pieceEnd(after packedPlace: Int) -> Int {
    let number = marks.firstNumber { $0.packedPlace > packedPlace }
    return number < marks.end ? marks[number].packedPlace : packedPlace
  }

  /// Drops the part that no client needs any more.
  /// - Parameters:
  ///   - packedPlace: everything before it was sent to all clients.
  ///   - place: in the other log, where a new client may begin.
  mutating func drop(before packedPlace: Int, and place: Int) {
    while marks.end - marks.first > 1, marks[marks.first + 1].place <= place,
      marks[marks.first + 1].packedPlace <= packedPlace
    { marks.removeFirst() }
    bytes.drop(before: min(packedPlace, marks[marks.first].packedPlace))
  }
}

/// What one client gets, as a member of gzip.
final class GzipMember {
  static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
  private static let longestBlock = 0xFFFF

  /// The checksum of what it got: text of its own, and the log up to `counted`.
  private var checksum = Checksum()
  /// The checksum of the log up to there.
  private var counted = Checksum()
  private(set) var isFinished = false

  /// Text of its own, as blocks that are not compressed (RFC 1951 §3.2.4).
  /// - Parameter mark: the end of the part of the log that it has got; nil if it has none yet.
  func stored(_ text: [UInt8], after mark: GzipLog.Mark? = nil) -> [UInt8] {
    if let mark { count(upTo: mark) }
    checksum.add(text)
    var blocks: [UInt8] = []
    var rest = text[...]
    while !rest.isEmpty {
      let block = rest.prefix(Self.longestBlock)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      blocks += [0] + Self.littleEndian(length) + Self.littleEndian(~length) + block
    }
    return blocks
  }

  /// Text that comes compressed.
  func add(_ text: Checksum) { checksum.add(text) }

  /// Its part of the log begins here.
  func begin(at mark: GzipLog.Mark) { counted = mark.checksum }

  /// It has got the log up to here.
  private func count(upTo mark: GzipLog.Mark) {
    checksum.add(mark.checksum.removing(counted))
    counted = mark.checksum
  }

  /// The end of the member.
  /// - Parameter end: the end of the log.
  func finish(at end: GzipLog.Mark) -> [UInt8] {
    isFinished = true
    count(upTo: end)
    return [0x03, 0x00] + Self.littleEndian(checksum.crc)
      + Self.littleEndian(UInt32(truncatingIfNeeded: checksum.count))
  }

  private static func littleEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
