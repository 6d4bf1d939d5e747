// Compresses by zlib, without a header: bytes in, bytes out. After each piece, the output holds all of it.

import CZlib
import FeedCore

/// One compressed stream that is written in pieces.
@safe
package final class DeflaterStream {
  // zlib compares its address with one that it stored, so it must not move.
  private let state: UnsafeMutablePointer<z_stream>

  /// - Parameter windowBits: the binary logarithm of how far back the output refers, 9 to 15.
  package init(windowBits: Int) throws(ZlibError) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: z_stream())
    let code = unsafe feed_deflate_init(state, Int32(-windowBits))
    guard code == Z_OK else {
      unsafe state.deallocate()
      throw code == Z_MEM_ERROR ? .outOfMemory : .cannotStart
    }
  }

  deinit {
    unsafe deflateEnd(state)
    unsafe state.deallocate()
  }

  /// Forgets what came before: the next output refers to nothing in it.
  package func restart() { unsafe deflateReset(state) }

  /// Appends a compressed piece. It ends with an empty stored block, the bytes 00 00 FF FF, unless the piece and
  /// everything before it is empty.
  /// - Parameter forgets: whether the next piece refers to nothing in this one or before it (`Z_FULL_FLUSH`).
  package func run(_ input: borrowing Span<UInt8>, forgets: Bool = false, to output: inout [UInt8]) {
    var index = 0
    var isFull = true
    while isFull {
      let given = min(input.count - index, 1 << 30)
      // Incompressible data grows by 5 bytes in 16 KiB; the rest is for the flush.
      let room = min(given + given >> 10 + 64, 64 * 1024)
      output.append(addingCapacity: room) { free in
        unsafe free.withUnsafeMutableBufferPointer { target, filled in
          unsafe input.withUnsafeBufferPointer { source in
            // zlib does not write to its input, but older versions of its header lack the `const`.
            unsafe state.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress.map { unsafe $0 + index })
            unsafe state.pointee.avail_in = UInt32(given)
            unsafe state.pointee.next_out = target.baseAddress.map { unsafe $0 + filled }
            unsafe state.pointee.avail_out = UInt32(room)
            unsafe deflate(state, forgets ? Z_FULL_FLUSH : Z_SYNC_FLUSH)
            filled += unsafe room - Int(state.pointee.avail_out)
          }
        }
      }
      index += unsafe given - Int(state.pointee.avail_in)
      // While the output is full there may be more, even if all input was used.
      isFull = unsafe state.pointee.avail_out == 0 || index < input.count
    }
  }
}
