// Other encodings become UTF-8, by iconv(3) of the C library.

/// Converts text in one encoding to UTF-8. No text depends on the one converted before it.
@safe
package final class CharacterConverter {
  /// Why a conversion ended.
  package enum End: Sendable {
    /// All bytes are converted.
    case done
    /// The bytes end inside a character.
    case cut
    /// The next bytes are no character.
    case illegal
  }

  private let handle: iconv_t
  private static let failed = -1
  /// How many bytes of UTF-8 a byte becomes, at most.
  package static let maxGrowth = 3

  /// - Parameter name: a name from a table of our own. iconv(3) gives some names a meaning beyond the encoding, such as
  ///   `UTF-8//IGNORE`, so it never gets a name from input.
  /// - Returns: nil if the C library does not know the encoding.
  package init?(from name: StaticString) {
    // An error is a pointer of all ones.
    guard let handle = unsafe iconv_open("UTF-8", "\(name)"), Int(bitPattern: handle) != Self.failed else { return nil }
    unsafe self.handle = handle
  }

  deinit { _ = unsafe iconv_close(handle) }

  /// Converts a range of bytes, as far as they are characters.
  /// - Returns: the index of the first byte that is not converted, and why it is not.
  package func convert(
    _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, into output: inout [UInt8]
  ) -> (index: Int, end: End) {
    var left = range.count
    // Some characters become two, and the last one may have come before its other half.
    let room = Self.maxGrowth * range.count + 8
    var end = End.done
    unsafe bytes.extracting(range).withUnsafeBytes { source in
      output.append(addingCapacity: room) { free in
        unsafe free.withUnsafeMutableBufferPointer { target, filled in
          // iconv(3) never writes to its input, although its type says so.
          let first = unsafe source.baseAddress.map { unsafe UnsafeMutableRawPointer(mutating: $0) }
          var input = unsafe first?.assumingMemoryBound(to: CChar.self)
          let start = UnsafeMutableRawPointer(target.baseAddress)
          var place = unsafe start.map { unsafe ($0 + filled).assumingMemoryBound(to: CChar.self) }
          var leftRoom = room
          if unsafe iconv(handle, &input, &left, &place, &leftRoom) == Self.failed {
            end = errno == EINVAL ? .cut : .illegal
          }
          // The second of two characters may still be in the converter.
          _ = unsafe iconv(handle, nil, nil, &place, &leftRoom)
          filled += room - leftRoom
        }
      }
    }
    return (range.upperBound - left, end)
  }
}
