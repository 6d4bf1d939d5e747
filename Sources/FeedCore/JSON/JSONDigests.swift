// A number for every value of a document, such that equal values (JSONTree.equal) have equal digests. To see whether two
// values differ then usually takes one comparison of words, and the items of an array can be looked up.
//
// Each process has its own seed for digests, so that no input can be made to collide. Two different values can still
// have the same digest: code that must be right compares the values too.

/// Digests of a value and of all values in it, and of single values.
package enum JSONDigests {
  /// The digests of a value and of all values in it, by tape position. One pass over the tape from its end makes them:
  /// it meets the children of a container before the container. A child is read once more for its parent.
  /// - Parameters:
  ///   - value: a value in a document.
  ///   - sets: the tape positions of arrays whose order does not count.
  ///   - voids: the tape positions of ignored values. As members they count as absent; as elements they still count.
  ///   - mask: the bits to keep of each digest. A test narrows it to see that collisions do no harm.
  /// - Returns: one for each tape position from the value's on; 0 if no value begins there.
  package static func of(
    _ value: JSONValue, sets: Set<Int> = [], voids: Set<Int> = [], mask: UInt64 = .max
  ) -> [UInt64] {
    let document = value.document
    let first = value.position
    let end = document.next(first)
    var digests = [UInt64](repeating: 0, count: end - first)
    let seed = Self.seed
    let bytes = document.bytes
    let text = bytes.span
    let words = document.tape
    let tape = words.span
    for position in stride(from: end - 1, through: first, by: -1) {
      guard let kind = TapeWord.valueKind(tape[position]) else { continue }
      let digest: UInt64
      switch kind {
      case _ where !voids.isEmpty && voids.contains(position): digest = mix(seed, 0x70)
      case .array where sets.contains(position): digest = ofSet(digests.span, first, tape, position, seed)
      case .array: digest = ofArray(digests.span, first, tape, position, seed)
      case .object: digest = ofObject(digests.span, first, position, document, tape, seed, voids)
      default: digest = ofScalar(kind, text, document, position, seed)
      }
      digests[position - first] = digest & mask
    }
    return digests
  }

  /// The digest of a scalar alone.
  package static func ofScalar(_ scalar: JSONValue) -> UInt64 {
    let bytes = scalar.document.bytes
    return ofScalar(scalar.kind, bytes.span, scalar.document, scalar.position, seed)
  }

  /// A digest of the text of a value: values with the same text have the same digest.
  package static func ofText(_ value: JSONValue) -> UInt64 {
    let bytes = value.document.bytes
    return ofLong(bytes.span.extracting(value.range), seed)
  }

  /// A digest of the ends of a value's text and of its length.
  package static func ofTextEnds(_ value: JSONValue) -> UInt64 {
    let range = value.range
    let bytes = value.document.bytes
    let text = bytes.span.extracting(range)
    guard text.count > 2 * endSize else { return ofLong(text, seed) }
    let start = ofLong(text.extracting(first: endSize), seed)
    return mix(ofLong(text.extracting(last: endSize), start), UInt64(text.count))
  }

  private static let endSize = 32

  /// The order counts: each step mixes what came before with the next element.
  @inline(__always)
  private static func ofArray(
    _ digests: borrowing Span<UInt64>, _ first: Int, _ tape: borrowing Span<UInt64>, _ array: Int, _ seed: UInt64
  ) -> UInt64 {
    var digest = seed ^ 0xA
    var position = array + 2
    let end = TapeWord.offset(tape[array + 1]) - 1
    while position < end {
      digest = mix(digest, digests[position - first])
      position = TapeWord.next(tape, position)
    }
    return mix(digest, 0xA)
  }

  /// A sum is the same in any order. The elements are mixed first, so that equal sums of other elements are unlikely.
  @inline(__always)
  private static func ofSet(
    _ digests: borrowing Span<UInt64>, _ first: Int, _ tape: borrowing Span<UInt64>, _ array: Int, _ seed: UInt64
  ) -> UInt64 {
    var sum: UInt64 = 0
    var position = array + 2
    let end = TapeWord.offset(tape[array + 1]) - 1
    while position < end {
      sum &+= mix(seed ^ 0x5, digests[position - first])
      position = TapeWord.next(tape, position)
    }
    return mix(sum ^ seed, 0x5)
  }

  /// Members count in any order, except in an object that has two members of one name: there the order counts.
  @inline(__always)
  private static func ofObject(
    _ digests: borrowing Span<UInt64>, _ first: Int, _ object: Int, _ document: JSONDocument,
    _ tape: borrowing Span<UInt64>, _ seed: UInt64, _ voids: Set<Int>
  ) -> UInt64 {
    var sum: UInt64 = 0
    // A bit for each name, which usually proves that no two names are equal.
    var seen: [32 of UInt64] = .init(repeating: 0)
    var mayHaveDuplicates = false
    var position = object + 2
    let end = TapeWord.offset(tape[object + 1]) - 1
    while position < end {
      defer { position = TapeWord.next(tape, position + 1) }
      if !voids.isEmpty, voids.contains(position + 1) { continue }
      let name = digests[position - first]
      let (word, bit) = (Int(truncatingIfNeeded: name >> 6 & 31), UInt64(1) << (name & 63))
      if seen[word] & bit != 0 { mayHaveDuplicates = true }
      seen[word] |= bit
      sum &+= mix(name ^ seed, digests[position + 1 - first])
    }
    if mayHaveDuplicates, let digest = ofDuplicates(digests, first, object, document, seed, voids) { return digest }
    return mix(sum ^ seed, 0x0)
  }

  /// - Returns: nil if no two members have the same name.
  @inline(never)
  private static func ofDuplicates(
    _ digests: borrowing Span<UInt64>, _ first: Int, _ object: Int, _ document: JSONDocument, _ seed: UInt64,
    _ voids: Set<Int>
  ) -> UInt64? {
    var names: [(digest: UInt64, position: Int)] = []
    var digest = seed ^ 0x77
    var position = document.first(object)
    while position < document.last(object) {
      if voids.isEmpty || !voids.contains(position + 1) {
        names.append((digests[position - first], position))
        digest = mix(mix(digest, digests[position - first]), digests[position + 1 - first])
      }
      position = document.next(position + 1)
    }
    names.sort { $0.digest < $1.digest }
    var start = 0
    for index in names.indices {
      if names[index].digest != names[start].digest { start = index }
      for other in names[start..<index]
      where JSONString.equal(
        JSONValue(document: document, position: names[index].position),
        JSONValue(document: document, position: other.position))
      {
        return digest
      }
    }
    return nil
  }

  // MARK: Single values

  static let seed = UInt64.random(in: .min ... .max)

  static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 { of(bytes.span, seed) }

  /// Combines two words by a product of 128 bits, both halves of which count.
  @inline(__always)
  static func mix(_ digest: UInt64, _ word: UInt64) -> UInt64 {
    // An odd constant without a pattern, so that the product depends on every bit of both.
    let product = (digest ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return (product.high ^ product.low) &+ word.byteSwapped
  }

  /// - Parameter kind: not that of a container.
  @inline(__always)
  static func ofScalar(
    _ kind: JSONKind, _ text: borrowing Span<UInt8>, _ document: JSONDocument, _ position: Int, _ seed: UInt64
  ) -> UInt64 {
    switch kind {
    case .string: ofText(text, from: document.start(position) + 1, seed)
    case .number: ofNumber(text, document.start(position), document, position, seed)
    case .escapedString: of(JSONString.decoded(JSONValue(document: document, position: position)).span, seed)
    case .null, .true, .false, .array, .object: mix(seed, UInt64(kind.rawValue) + 1)
    }
  }

  // MARK: Strings

  /// A digest of a string's bytes: eight at a step, then the rest, then the length.
  static func of(_ bytes: borrowing Span<UInt8>, _ seed: UInt64) -> UInt64 {
    var digest = seed
    var index = 0
    while index + 8 <= bytes.count {
      digest = mix(digest, loadWord(bytes, at: index))
      index += 8
    }
    var rest: UInt64 = 0
    for place in index..<bytes.count { rest |= UInt64(bytes[place]) << UInt64((place - index) * 8) }
    return mix(mix(digest, rest), UInt64(bytes.count))
  }

  /// A digest of a longer text, which differs from `of`. No step waits for the one before it: four digests are made side
  /// by side, each of every fourth word, and then combined.
  static func ofLong(_ bytes: borrowing Span<UInt8>, _ seed: UInt64) -> UInt64 {
    var lanes = (seed, seed &+ 1, seed &+ 2, seed &+ 3)
    var index = 0
    while index + 32 <= bytes.count {
      lanes.0 = mix(lanes.0, loadWord(bytes, at: index))
      lanes.1 = mix(lanes.1, loadWord(bytes, at: index + 8))
      lanes.2 = mix(lanes.2, loadWord(bytes, at: index + 16))
      lanes.3 = mix(lanes.3, loadWord(bytes, at: index + 24))
      index += 32
    }
    let whole = mix(mix(lanes.0, lanes.1), mix(lanes.2, lanes.3))
    return mix(of(bytes.extracting(index..<bytes.count), whole), UInt64(bytes.count))
  }

  /// The same as `of` for a string without escapes, read from a text from its first byte to its closing quote.
  @inline(__always)
  static func ofText(_ text: borrowing Span<UInt8>, from start: Int, _ seed: UInt64) -> UInt64 {
    var digest = seed
    var index = start
    while index + 8 <= text.count {
      let word = loadWord(text, at: index)
      let count = word.places(of: UInt8(ascii: "\"")).lowestPlace
      guard count == 8 else {
        let rest = word & ~(UInt64.max << UInt64(count * 8))
        return mix(mix(digest, rest), UInt64(index + count - start))
      }
      digest = mix(digest, word)
      index += 8
    }
    var rest: UInt64 = 0
    var count = 0
    while text[index + count] != UInt8(ascii: "\"") {
      rest |= UInt64(text[index + count]) << UInt64(count * 8)
      count += 1
    }
    return mix(mix(digest, rest), UInt64(index + count - start))
  }

  // MARK: Numbers

  /// A digest of a number's value: `1`, `1.0` and `10e-1` have the same. Usually read as an integer and a power of ten.
  @inline(__always)
  static func ofNumber(
    _ text: borrowing Span<UInt8>, _ start: Int, _ document: JSONDocument, _ position: Int, _ seed: UInt64
  ) -> UInt64 {
    var index = start
    let isNegative = text[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var value: UInt64 = 0
    var scale = 0
    var isFraction = false
    // 19 digits fit a word.
    let end = min(text.count, index + 19)
    while index < end {
      let digit = text[index] &- UInt8(ascii: "0")
      if digit < 10 {
        value = value &* 10 &+ UInt64(digit)
        if isFraction { scale -= 1 }
      } else if text[index] == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else {
        break
      }
      index += 1
    }
    guard index == text.count || !isInNumber(text[index]) else {
      return ofLongNumber(JSONValue(document: document, position: position), seed)
    }
    while value != 0 && value % 10 == 0 {
      value /= 10
      scale += 1
    }
    return value == 0 ? ofZero(seed) : ofDecimal(isNegative, value, scale, seed)
  }

  @inline(__always)
  private static func isInNumber(_ byte: UInt8) -> Bool {
    byte.isDigit || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
  }

  /// Zero has no sign and no power of ten: 0, -0 and 0e5 are equal.
  private static func ofZero(_ seed: UInt64) -> UInt64 { mix(seed ^ 0x20, 0) }

  @inline(__always)
  private static func ofDecimal(_ isNegative: Bool, _ value: UInt64, _ scale: Int, _ seed: UInt64) -> UInt64 {
    mix(mix(seed ^ (isNegative ? 0x2D : 0x2B), value), UInt64(bitPattern: Int64(scale)))
  }

  /// A number with an exponent or with more digits than a word holds. If it is a small one all the same, it gets the
  /// digest of that.
  @inline(never)
  private static func ofLongNumber(_ value: JSONValue, _ seed: UInt64) -> UInt64 {
    guard let number = JSONNumber(value), number.sign != 0 else { return ofZero(seed) }
    let parts = number.decimal
    if let small = parts.small { return ofDecimal(number.sign < 0, small.value, small.scale, seed) }
    return mix(mix(of(parts.digits.span, seed), of(parts.exponent.span, seed)), number.sign < 0 ? 1 : 2)
  }
}

/// A digest of bytes that is the same in every process with the same seed; not for secrets.
package func contentDigest(_ bytes: borrowing Span<UInt8>, seed: UInt64) -> UInt64 { JSONDigests.of(bytes, seed) }
