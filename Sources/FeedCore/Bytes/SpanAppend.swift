extension [UInt8] {
  /// Appends a span by one memcpy(3).
  @inlinable @inline(__always)
  package mutating func append(span: borrowing Span<UInt8>) {
    append(addingCapacity: span.count) { free in free.append(span: span) }
  }

  /// Appends a prefix and a span in quotes, with a byte before the first quote and after the last one.
  package mutating func append(
    quoted span: borrowing Span<UInt8>, prefix: borrowing Span<UInt8>, after first: UInt8?, before last: UInt8?
  ) {
    append(addingCapacity: prefix.count + span.count + 4) { free in
      if let first { free.append(first) }
      free.append(UInt8(ascii: "\""))
      if !prefix.isEmpty { free.append(span: prefix) }
      free.append(span: span)
      free.append(UInt8(ascii: "\""))
      if let last { free.append(last) }
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

extension OutputSpan<UInt8> {
  /// Appends a span in quotes.
  @inlinable @inline(__always)
  package mutating func append(quoted span: borrowing Span<UInt8>) {
    append(UInt8(ascii: "\""))
    append(span: span)
    append(UInt8(ascii: "\""))
  }

  /// Appends a span, for which there is room, by one memcpy(3).
  @inlinable @inline(__always)
  package mutating func append(span: borrowing Span<UInt8>) {
    let count = span.count
    precondition(count <= freeCapacity)
    unsafe withUnsafeMutableBufferPointer { target, filled in
      unsafe span.withUnsafeBufferPointer { source in
        guard let source = source.baseAddress, let start = target.baseAddress else { return }
        unsafe (start + filled).initialize(from: source, count: count)
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
