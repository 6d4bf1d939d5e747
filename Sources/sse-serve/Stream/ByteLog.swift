// The stream as all clients get it: one sequence of bytes, written once. A place in it is an offset from the first byte
// ever written, and a client is a place: it has been sent all before it. So an event costs the same memory for one client
// and for ten thousand, and a slow client costs the bytes between its place and the end.
//
// The bytes lie in pieces of up to 64 KiB, a good size for a write, which are dropped from the front.

import FeedCore

struct ByteLog {
  private struct Piece {
    var start: Int
    var bytes: [UInt8]
  }

  private static let pieceSize = 64 * 1024

  private var pieces = NumberedQueue(blank: Piece(start: 0, bytes: []))
  /// The place after the last byte.
  private(set) var end = 0

  /// The place of the first byte that is still here.
  var start: Int { pieces.isEmpty ? end : pieces[pieces.first].start }

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if pieces.isEmpty || pieces[pieces.end - 1].bytes.count + bytes.count > Self.pieceSize {
      pieces.append(Piece(start: end, bytes: bytes))
    } else {
      pieces[pieces.end - 1].bytes += bytes
    }
    end += bytes.count
  }

  /// The piece that holds the byte at `place`, which is not the end, and where in it that is.
  func piece(at place: Int) -> (bytes: [UInt8], offset: Int) {
    // Nearly always the last one.
    var number = pieces.end - 1
    if pieces[number].start > place { number = pieces.firstNumber { $0.start > place } - 1 }
    let piece = pieces[number]
    return (piece.bytes, place - piece.start)
  }

  /// Drops what is before `place`, as far as whole pieces go.
  mutating func drop(before place: Int) {
    while !pieces.isEmpty, pieces[pieces.first].start + pieces[pieces.first].bytes.count <= place {
      pieces.removeFirst()
    }
  }
}
