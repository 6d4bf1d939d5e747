extension [UInt8] {
  /// Appends a span by one memcpy(3).
  @inlinable @inline(__always)
  package mutating func append(span: borrowing Span<UInt8>) {
    let count = span.count
    append(addingCapacity: count) { free in
      unsafe free.withUnsafeMutableBufferPointer { target, filled in
        unsafe span.withUnsafeBufferPointer { source in
          guard let source = source.baseAddress, let start = target.baseAddress else { return }
          unsafe (start + filled).initialize(from: source, count: count)
          filled += count
        }
      }
    }
  }

  /// Appends a span with a few bytes before and after it.
  @inlinable @inline(__always)
  package mutating func append(span: borrowing Span<UInt8>, after start: StaticString, before end: StaticString) {
    let count = span.count
    let (first, last) = (start.utf8CodeUnitCount, end.utf8CodeUnitCount)
    append(addingCapacity: first + count + last) { free in
      for index in 0..<first { unsafe free.append(start.utf8Start[index]) }
      unsafe free.withUnsafeMutableBufferPointer { target, filled in
        unsafe span.withUnsafeBufferPointer { source in
          guard let source = source.baseAddress, let room = target.baseAddress else { return }
          unsafe (room + filled).initialize(from: source, count: count)
          filled += count
        }
      }
      for index in 0..<last { unsafe free.append(end.utf8Start[index]) }
    }
  }

  /// Appends a span, combining every four bytes with the bytes of `mask`, its low byte first, by exclusive or.
  package mutating func append(span: borrowing Span<UInt8>, xor mask: UInt32) {
    let wide = UInt64(mask) << 32 | UInt64(mask)
    let count = span.count
    append(addingCapacity: count) { free in
      unsafe free.withUnsafeMutableBufferPointer { target, filled in
        let room = UnsafeMutableRawBufferPointer(target)
        var index = 0
        while index &+ 8 <= count {
          let word = loadWord(span, at: index) ^ wide
          unsafe room.storeBytes(of: word.littleEndian, toByteOffset: filled + index, as: UInt64.self)
          index &+= 8
        }
        while index < count {
          unsafe target[filled + index] = span[index] ^ UInt8(truncatingIfNeeded: wide >> (8 * UInt64(index & 7)))
          index &+= 1
        }
        filled += count
      }
    }
  }
}

/// A part of a span as an array.
@inlinable
package func array(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
  var result: [UInt8] = []
  result.append(span: bytes.extracting(range))
  return result
}
