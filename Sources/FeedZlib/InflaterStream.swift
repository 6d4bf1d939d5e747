// One compressed stream of zlib's: bytes in, bytes out, and its end. FeedHTTP's Inflater handles what may come before and
// after it. WebSocket messages are parts of one stream.

import CZlib
import FeedCore

/// Why zlib cannot work.
package enum ZlibError: Error, Equatable {
  case outOfMemory
  case cannotStart

  /// For messages: lower case, no full stop.
  package var message: String { self == .outOfMemory ? "out of memory" : "zlib cannot start" }
}

/// One compressed stream that is read in pieces.
@safe
package final class InflaterStream {
  /// The format around the compressed data; the value is zlib's number for it (`windowBits`).
  package enum Wrapping: Int32 {
    /// A header and a trailer with CRC and length (RFC 1952).
    case gzip = 31
    /// A header of two bytes and an Adler-32 checksum (RFC 1950).
    case zlib = 15
    /// Nothing (RFC 1951).
    case none = -15
  }

  /// Where a stream is after a piece of input.
  package enum InflatedPart: Equatable {
    /// All input was used, or the room was full.
    case more
    /// The stream has ended, and its checksum was right.
    case end
    /// Why the data is invalid, in zlib's words.
    case damaged(String)
  }

  // zlib compares its address with one that it stored, so it must not move.
  private let state: UnsafeMutablePointer<z_stream>
  /// Room for the window, once it is needed.
  private var window: [UInt8] = []

  /// - Throws: if zlib has no memory for its window.
  package init(_ wrapping: Wrapping) throws(ZlibError) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: z_stream())
    let code = unsafe feed_inflate_init(state, wrapping.rawValue)
    guard code == Z_OK else {
      unsafe state.deallocate()
      throw code == Z_MEM_ERROR ? .outOfMemory : .cannotStart
    }
  }

  deinit {
    unsafe inflateEnd(state)
    unsafe state.deallocate()
  }

  /// Starts again, with a stream of the same kind.
  /// - Parameter keepsWindow: whether the next stream may refer to the last 32 KiB of output (RFC 1951 §2), as if this
  ///   one had not ended.
  package func restart(keepsWindow: Bool = false) {
    guard keepsWindow else {
      unsafe inflateReset(state)
      return
    }
    if window.isEmpty { window = [UInt8](repeating: 0, count: 1 << 15) }
    var count = UInt32(0)
    unsafe inflateGetDictionary(state, &window, &count)
    unsafe inflateReset(state)
    unsafe inflateSetDictionary(state, window, count)
  }

  /// Whether the data read so far ends with a whole block and a whole byte.
  package var isBetweenBlocks: Bool {
    // zlib adds 128 after the end of a block; the bits below 64 are those left of the last byte.
    unsafe state.pointee.data_type & 0b1011_1111 == 128
  }

  /// Continues.
  /// - Parameters:
  ///   - input: read from `index` on. It may be used up: zlib itself may hold output for which there was no room.
  ///   - room: the most bytes to append to `output`.
  package func run(
    _ input: borrowing Span<UInt8>, from index: inout Int, room: Int, to output: inout [UInt8]
  ) throws(ZlibError) -> InflatedPart {
    var code = Z_OK
    let given = min(input.count - index, Int(UInt32.max))
    let start = index
    output.append(addingCapacity: room) { free in
      unsafe free.withUnsafeMutableBufferPointer { target, filled in
        unsafe input.withUnsafeBufferPointer { source in
          // zlib does not write to its input, but older versions of its header lack the `const`.
          unsafe state.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress.map { unsafe $0 + start })
          unsafe state.pointee.avail_in = UInt32(given)
          unsafe state.pointee.next_out = target.baseAddress
          unsafe state.pointee.avail_out = UInt32(room)
          code = unsafe inflate(state, Z_SYNC_FLUSH)
          filled += unsafe room - Int(state.pointee.avail_out)
        }
      }
    }
    index += unsafe given - Int(state.pointee.avail_in)
    switch code {
    // Z_BUF_ERROR: there was nothing to do.
    case Z_OK, Z_BUF_ERROR: return .more
    case Z_STREAM_END: return .end
    case Z_MEM_ERROR: throw .outOfMemory
    case Z_NEED_DICT: return .damaged("it needs a dictionary")
    default: return .damaged(unsafe state.pointee.msg.map { unsafe String(cString: $0) } ?? "error \(code)")
    }
  }
}
