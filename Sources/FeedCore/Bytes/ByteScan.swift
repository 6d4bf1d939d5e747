// Many bytes at a time: how the scanners read them, inside the span, and how spans are appended.

/// The eight bytes from `index`, the first one in the low byte. Traps if there are fewer.
@inlinable @inline(__always)
package func loadWord(_ bytes: borrowing Span<UInt8>, at index: Int) -> UInt64 {
  // The raw span checks the bounds; we only vouch for the alignment and the type.
  unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
}

/// The eight bytes from `index`; 0 if there are fewer. For scanners to which a NUL means that they must look closer.
@inlinable @inline(__always)
package func wordOrZero(_ bytes: borrowing Span<UInt8>, at index: Int) -> UInt64 {
  // The check of the bounds: one comparison, with a number that a loop computes once.
  guard UInt(bitPattern: index) < UInt(bitPattern: max(bytes.count, 7) &- 7) else { return 0 }
  return unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
}

/// The eight bytes from `index`, with zeros for those after the end.
@inline(__always)
func paddedWord(_ bytes: borrowing Span<UInt8>, at index: Int) -> UInt64 {
  guard UInt(bitPattern: index) < UInt(bitPattern: max(bytes.count, 7) &- 7) else {
    return lastBytes(bytes, bytes.count &- index)
  }
  return unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
}

/// The last `count` bytes, fewer than eight, with zeros after them; 0 if there are none.
@inline(never)
private func lastBytes(_ bytes: borrowing Span<UInt8>, _ count: Int) -> UInt64 {
  guard count > 0 else { return 0 }
  if bytes.count >= 8 { return loadWord(bytes, at: bytes.count &- 8) &>> UInt64((8 &- count) &* 8) }
  var word: UInt64 = 0
  for index in (bytes.count - count)..<bytes.count { word = word &>> 8 | UInt64(bytes[index]) &<< 56 }
  return word &>> UInt64((8 &- count) &* 8)
}

/// The index of the first `byte` in `range`, by memchr(3).
@inlinable @inline(__always)
package func firstIndex(of byte: UInt8, in bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
  unsafe bytes.extracting(range).withUnsafeBytes { buffer in
    guard let base = buffer.baseAddress, let found = unsafe memchr(base, Int32(byte), buffer.count) else {
      return nil
    }
    return unsafe range.lowerBound + (UnsafeRawPointer(found) - base)
  }
}

/// The number of times that `byte` occurs in `range`.
func count(of byte: UInt8, in bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
  var count = 0
  var index = range.lowerBound
  // Four words a step; each of their eight places then counts up to four.
  while index &+ 32 <= range.upperBound {
    var places: UInt64 = 0
    for word in 0..<4 {
      // Exact for all eight places: no sum exceeds 0xFF, so none carries into the next.
      let other = loadWord(bytes, at: index &+ word &* 8) ^ .repeating(byte)
      places &+= ~((other & .repeating(0x7F) &+ .repeating(0x7F)) | other) &>> 7 & .repeating(1)
    }
    count &+= Int((places &* .repeating(1)) &>> 56)
    index &+= 32
  }
  while index < range.upperBound {
    if bytes[index] == byte { count += 1 }
    index += 1
  }
  return count
}

/// Whether two spans hold the same bytes, by memcmp(3) unless they are one in memory.
@inlinable @inline(__always)
package func sameBytes(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  return unsafe left.withUnsafeBytes { a in
    unsafe right.withUnsafeBytes { b in
      guard let a = a.baseAddress, let b = b.baseAddress else { return true }
      return unsafe a == b || memcmp(a, b, left.count) == 0
    }
  }
}

/// How many bytes are equal, from `start` in one span and from `other` in another.
package func commonLength(
  _ left: borrowing Span<UInt8>, _ start: Int, _ right: borrowing Span<UInt8>, _ other: Int
) -> Int {
  let limit = min(left.count - start, right.count - other)
  let block = 4096
  var count = 0
  while count + 8 <= limit {
    let difference = loadWord(left, at: start + count) ^ loadWord(right, at: other + count)
    if difference != 0 { return count + difference.trailingZeroBitCount >> 3 }
    count += 8
    while count + block <= limit,
      sameBytes(
        left.extracting((start + count)..<(start + count + block)),
        right.extracting((other + count)..<(other + count + block)))
    {
      count += block
    }
  }
  while count < limit, left[start + count] == right[other + count] { count += 1 }
  return count
}

/// Whether a text starts at a place; `cut` if the bytes end before that is known.
package enum StartsWith: Sendable { case yes, no, cut }

/// Whether `text` starts at `offset`.
package func startsWith(_ bytes: borrowing Span<UInt8>, _ text: StaticString, at offset: Int) -> StartsWith {
  text.withUTF8Buffer { expected in
    for place in expected.indices {
      if offset + place >= bytes.count { return .cut }
      if unsafe bytes[offset + place] != expected[place] { return .no }
    }
    return .yes
  }
}

extension UInt64 {
  /// A word with `byte` in each of its eight places.
  @inlinable @inline(__always)
  package static func repeating(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// The high bit of each place whose byte is zero. Exact up to the lowest such place, and only that one is used.
  @inlinable @inline(__always)
  package var zeroBytes: UInt64 { (self &- .repeating(0x01)) & ~self & .repeating(0x80) }

  /// The same for places that hold `byte`.
  @inlinable @inline(__always)
  package func places(of byte: UInt8) -> UInt64 { (self ^ .repeating(byte)).zeroBytes }

  /// The same for places that hold less than `bound` (at most 0x80).
  @inlinable @inline(__always)
  package func places(below bound: UInt8) -> UInt64 { (self &- .repeating(bound)) & ~self & .repeating(0x80) }

  /// The same for places that are no ASCII digit.
  @inlinable @inline(__always)
  package var placesOfNonDigits: UInt64 {
    let values = self ^ .repeating(UInt8(ascii: "0"))
    return (values &+ .repeating(0x80 - 10) | values) & .repeating(0x80)
  }

  /// The index of the lowest marked place of a word, 0 to 7; 8 if none is marked.
  @inlinable @inline(__always)
  package var lowestPlace: Int { trailingZeroBitCount >> 3 }

  /// The byte in one of its eight places.
  @inlinable @inline(__always)
  package func byte(at place: Int) -> UInt8 { UInt8(truncatingIfNeeded: self &>> UInt64(place &* 8)) }
}

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
