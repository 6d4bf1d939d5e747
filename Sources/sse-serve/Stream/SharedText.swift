// Text that several connections send, such as a document. Each change makes a new one, and slow clients keep the old
// ones in memory.

import FeedCore
import FeedZlib

/// It is freed when the last connection has sent it.
final class SharedText {
  /// As they are sent, perhaps as a chunk.
  let bytes: [UInt8]
  /// Which of the bytes are data: all, or those in the chunk.
  let data: Range<Int>
  /// The checksum of the plain text, if this is part of a stream.
  let checksum: Checksum

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    data = 0..<bytes.count
    checksum = Checksum()
  }

  /// - Parameter checksum: of the plain text.
  init(_ chunk: Chunk, of checksum: Checksum) {
    bytes = chunk.bytes
    data = chunk.data
    self.checksum = checksum
  }

  /// A strong entity tag with its quotes: a 128-bit digest of the content, the same in every run. So a client that asks
  /// again after a restart of the server learns that nothing has changed.
  private(set) lazy var tag: String = {
    let content = bytes
    var tag = "\""
    // Two digests with different seeds, from the digits of pi.
    for seed: UInt64 in [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344] {
      tag += String(decoding: contentDigest(content.span, seed: seed).hexDigits, as: UTF8.self)
    }
    return tag + "\""
  }()
}

/// The texts of one kind that are in memory, from the oldest to the newest.
struct HeldTexts {
  /// Each is nil once it is freed.
  private var texts: [() -> SharedText?] = []

  /// How many bytes of old texts are allowed, besides a few times the newest.
  private static let spare = 64 << 20

  /// Adds a text, unless it is there.
  mutating func add(_ text: SharedText) {
    if !texts.contains(where: { $0() === text }) { texts.append { [weak text] in text } }
  }

  /// The oldest, if there are too many bytes.
  mutating func excess() -> SharedText? {
    texts.removeAll { $0() == nil }
    guard texts.count > 2 else { return nil }
    let held = texts.compactMap { $0() }
    let total = held.reduce(0) { $0 + $1.bytes.count }
    return total > Self.spare + 4 * (held.last?.bytes.count ?? 0) ? held[0] : nil
  }
}
