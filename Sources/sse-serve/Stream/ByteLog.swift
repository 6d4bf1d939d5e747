import FeedCore

/// The stream that all clients get: one sequence of bytes, written once. A place in it is an offset from the first byte
/// ever written. A client's place says that everything before it was sent. So an event costs the same memory for one
/// client as for ten thousand. A slow client costs the bytes between its place and the end.
///
/// The bytes are in pieces of up to 64 KiB, a good size for a write. Pieces are dropped from the front.
struct ByteLog {
  private struct LogPiece {
    var start: Int
    var bytes: [UInt8]
  }

  private static let pieceSize = 64 * 1024

  private var pieces = NumberedQueue(blank: LogPiece(start: 0, bytes: []))
  /// The place after the last byte.
  private(set) var end = 0

  /// The place of the first byte that is still stored.
  var start: Int { pieces.isEmpty ? end : pieces[pieces.first].start }

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if pieces.isEmpty || pieces[pieces.end - 1].bytes.count + bytes.count > Self.pieceSize {
      pieces.append(LogPiece(start: end, bytes: bytes))
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
