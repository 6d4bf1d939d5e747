/// The fast part of the scan: a run of whole tokens inside the outermost container. It takes what most texts consist
/// of, and stops before anything else: an error, the last bytes of the input, a number with an exponent. The scanner
/// then takes one token in its careful way, and the next run begins. So errors and cut tokens are decided in one place.
///
/// A loop that goes from value to value needs no word for what may come next. It reads the input by `wordOrZero`, which
/// answers 0 near the end, and no token begins with a NUL.
struct JSONRun {
  var index: Int
  var expected: JSONScanner.Expected
  /// The tape position of the innermost container.
  var container: Int
  var isObject: Bool
  var depth: Int
  var deepest: Int
  let maxDepth: Int
  /// See `JSONScanner.watchedDepth`.
  let watchedDepth: Int
  var isCompact: Bool

  /// Whether it stopped after a comma at the watched depth.
  private(set) var isAtChild = false

  /// The most words that one turn of the loop adds, before it looks for room again.
  private static let mostWords = 3

  /// Scans tokens, from any state inside a container.
  /// - Parameters:
  ///   - tape: the room for new words.
  ///   - first: the position of the first of them.
  /// - Returns: nil if it stopped between two tokens; else how the last token ended, a string without its end.
  @inline(__always)
  mutating func scan(
    _ bytes: borrowing Span<UInt8>, _ tape: inout OutputSpan<UInt64>, from first: Int
  ) -> TokenEnd? {
    var index = self.index
    var container = self.container
    var isObject = self.isObject
    var isCompact = self.isCompact
    /// Whether nothing of the container has been read.
    var isFirst = expected == .keyOrEnd || expected == .elementOrEnd
    var needsName = expected == .keyOrEnd || expected == .key
    defer {
      self.index = index
      self.container = container
      self.isObject = isObject
      self.isCompact = isCompact
    }

    turns: while tape.freeCapacity >= Self.mostWords {
      var word = wordOrZero(bytes, at: index)
      if needsName {
        if word.byte(at: 0) != UInt8(ascii: "\"") {
          if word.byte(at: 0).isWhiteSpace { Self.skipSpace(bytes, &index, &word, &isCompact) }
          guard word.byte(at: 0) == UInt8(ascii: "\"") else {
            expected = isFirst ? .keyOrEnd : .key
            return nil
          }
        }
        let start = index
        index &+= 1
        if skipPlain(bytes, &index) {
          tape.append(TapeWord.make(.string, at: start))
        } else if let end = Self.string(bytes, &index, &tape, at: start) {
          expected = .key
          return end
        }
        word = wordOrZero(bytes, at: index)
        guard word.byte(at: 0) == UInt8(ascii: ":") else {
          expected = .colon
          return nil
        }
        index &+= 1
        word &>>= 8
        isFirst = false
      }
      if word.byte(at: 0) != UInt8(ascii: "\""), word.byte(at: 0).isWhiteSpace {
        Self.skipSpace(bytes, &index, &word, &isCompact)
      }
      value: do {
        switch word.byte(at: 0) {
        case UInt8(ascii: "\""):
          let start = index
          index &+= 1
          if skipPlain(bytes, &index) {
            tape.append(TapeWord.make(.string, at: start))
          } else if let end = Self.string(bytes, &index, &tape, at: start) {
            expected = .value
            return end
          }
          break value
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          guard let end = endOfNumber(bytes, index) else { break }
          tape.append(TapeWord.make(.number, at: index))
          index = end
          break value
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          guard depth < maxDepth else { break }
          let wasObject = isObject
          isObject = word.byte(at: 0) == UInt8(ascii: "{")
          let position = first &+ tape.count
          tape.append(TapeWord.make(isObject ? .object : .array, at: index))
          tape.append(TapeWord.inside(container, isObject: wasObject))
          container = position
          depth &+= 1
          deepest = max(deepest, depth)
          index &+= 1
          isFirst = true
          needsName = isObject
          if wordOrZero(bytes, at: index).byte(at: 0) != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { continue }
          break value
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
          let literal = Literal(beginningWith: word.byte(at: 0))
          guard literal.begins(wordOrZero(bytes, at: index)) else { break }
          tape.append(TapeWord.make(literal.kind, at: index))
          index &+= literal.count
          break value
        default: break
        }
        expected = isFirst && !isObject ? .elementOrEnd : .value
        return nil
      }
      // After a value: a comma, or the ends of containers and then a comma.
      word = wordOrZero(bytes, at: index)
      while word.byte(at: 0) != UInt8(ascii: ",") {
        if word.byte(at: 0).isWhiteSpace {
          Self.skipSpace(bytes, &index, &word, &isCompact)
          continue
        }
        // The scanner closes the containers that an earlier run opened, and the outermost.
        let place = container &- first
        guard word.byte(at: 0) == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")), place >= 0, depth > 1,
          tape.freeCapacity > 0
        else {
          expected = isObject ? .memberEnd : .elementEnd
          return nil
        }
        tape.append(TapeWord.closing(at: index))
        (container, isObject) = TapeWord.outer(tape[place &+ 1])
        tape[place &+ 1] = TapeWord.skip(to: first &+ tape.count)
        depth &-= 1
        index &+= 1
        word = wordOrZero(bytes, at: index)
      }
      index &+= 1
      isFirst = false
      needsName = isObject
      if depth <= watchedDepth {
        isAtChild = true
        break
      }
    }
    expected = needsName ? (isFirst ? .keyOrEnd : .key) : isFirst ? .elementOrEnd : .value
    return nil
  }

  /// Scans the rest of a string that is not plain.
  /// - Returns: nil if it is complete.
  @inline(never)
  private static func string(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ tape: inout OutputSpan<UInt64>, at start: Int
  ) -> TokenEnd? {
    var escaped = false
    let end = scanString(bytes, &index, escaped: &escaped)
    tape.append(TapeWord.make(escaped ? .escapedString : .string, at: start))
    return end == .complete ? nil : end
  }

  @inline(__always)
  private static func skipSpace(
    _ bytes: borrowing Span<UInt8>, _ index: inout Int, _ word: inout UInt64, _ isCompact: inout Bool
  ) {
    isCompact = false
    repeat {
      // Indentation is mostly spaces.
      let other = word ^ .repeating(UInt8(ascii: " "))
      index &+= other == 0 ? 8 : max(other.trailingZeroBitCount >> 3, 1)
      word = wordOrZero(bytes, at: index)
    } while word.byte(at: 0).isWhiteSpace
  }
}
