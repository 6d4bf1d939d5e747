// The checksum of gzip (RFC 1952 §8), for data that comes in parts.

import CZlib

/// CRC-32 and length of some bytes. Two of them make that of all bytes together, without reading them again.
package struct Checksum: Equatable, Sendable {
  /// The CRC-32 of RFC 1952 §8.
  package private(set) var crc: UInt32 = 0
  /// In bytes.
  package private(set) var count = 0

  package init() {}

  /// Adds the bytes that follow.
  package mutating func add(_ bytes: [UInt8]) {
    crc = unsafe UInt32(crc32_z(UInt(crc), bytes, bytes.count))
    count += bytes.count
  }

  /// Adds the bytes after these.
  package mutating func add(_ other: Checksum) {
    crc = UInt32(crc32_combine(UInt(crc), UInt(other.crc), numericCast(other.count)))
    count += other.count
  }

  /// The checksum of the bytes after `start`, if these are the bytes of `start` and more.
  package func removing(_ start: Checksum) -> Checksum {
    var rest = Checksum()
    rest.count = count - start.count
    // Of two parts, the checksum is that of the first one, moved by the length of the second one, and that of the second.
    rest.crc = crc ^ UInt32(crc32_combine(UInt(start.crc), 0, numericCast(rest.count)))
    return rest
  }
}
