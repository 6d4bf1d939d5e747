// Scans a text that mostly repeats an earlier document, such as the new side of a diff: the second version of a feed.
//
// Where two texts are the same, their tapes differ only by a constant. So equal bytes are compared, which is much
// faster than scanning, and the words of their tokens are copied. Where the texts differ, the scanner works as ever,
// until a member or an element begins that has an equal in the old document. That is looked for only in the *twin* of
// the innermost container that has one: the old container that began in the same run of equal bytes.
//
//     old  {"n":7,"a":[{"id":1,"t":"x"},{"id":2}]}
//     new  {"n":7,"a":[{"id":1,"t":"yz"},{"id":2}]}
//          ~~~~~~~~~~~~~~~~~~~~~~~~~     ~~~~~~~~~     copied; only "yz" is scanned
//
// The tape and the error are those of a scan from nothing. For a token is copied only if all bytes are equal up to and
// with the first one of the next token, and only in a container of the same kind. (Without that one, `3` would be
// copied from `[3]` to `[30]`.)

extension JSONScanner {
  /// Scans a text that is one document.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - old: a document that may have much in common with it.
  /// - Returns: false if all of the text was white space.
  package mutating func scan(_ bytes: borrowing Span<UInt8>, like old: JSONDocument) throws(JSONError) -> Bool {
    guard offset == 0, old.kind(0).isContainer, old.start(0) == 0, old.depth <= maxDepth else {
      return try scan(bytes, isLast: true)
    }
    tape.reserveCapacity(max(old.tape.count + 64, bytes.count / 8))
    let words = old.tape
    let text = old.bytes
    var twins: [Twin] = []
    // What may be spent on comparisons that lead to nothing, in bytes.
    var budget = bytes.count / 2 + 1024
    follow(0, upTo: commonLength(text.span, 0, bytes, 0), words.span, &twins)
    if started {
      // Not looked up for each part that is copied.
      depth = old.depth
      isCompact = old.isCompact
    }
    while true {
      watchedDepth = budget > 0 ? twins.count : 0
      if try scan(bytes, isLast: true) { return true }
      var index = offset
      guard openCount > 0, skipWhiteSpace(bytes, &index) else { return try scan(bytes, isLast: true) }
      offset = index
      twins.removeLast(twins.count - openCount)
      let twin = twins[openCount - 1]
      if let (child, end) = twin.equal(to: bytes, offset, old, &budget) {
        follow(child, upTo: end, words.span, &twins)
      } else {
        twins[openCount - 1].pass(old)
      }
    }
  }

  /// Copies the words of the tokens from `position` on that are complete before `end`. The token at `position` begins
  /// at `offset`, where the scanner expects one of its kind.
  /// - Parameters:
  ///   - end: the offset of the first byte that differs.
  ///   - words: the old tape.
  private mutating func follow(
    _ position: Int, upTo end: Int, _ words: borrowing Span<UInt64>, _ twins: inout [Twin]
  ) {
    var position = position
    /// The old position of the member or element that is being read.
    var child = position
    let shift = offset - TapeWord.offset(words[position])
    while position < words.count {
      let start = TapeWord.offset(words[position]) + shift
      guard let kind = TapeWord.valueKind(words[position]) else {
        guard start < end else { break }
        twins.removeLast()
        closeContainer(at: start)
        offset = start + 1
        position += 1
        child = position
        continue
      }
      let next = endOfRun(words, from: position, shift, upTo: end, &child)
      if next > position {
        copy(words, position..<next, by: shift)
        position = next
        offset = TapeWord.offset(words[next]) + shift
      } else if kind.isContainer, start < end {
        if !twins.isEmpty { twins[twins.count - 1].next = child }
        twins.append(Twin(container: position, next: position + 2))
        beginContainer(kind, at: start)
        offset = start + 1
        position += 2
        child = position
      } else {
        break
      }
      started = true
    }
    if !twins.isEmpty { twins[twins.count - 1].next = child }
  }

  /// Finds the tokens of the innermost container that are equal, together with the first byte of the token after them.
  /// Says in `expected` what that token is.
  /// - Returns: the position of that token.
  private mutating func endOfRun(
    _ words: borrowing Span<UInt64>, from position: Int, _ shift: Int, upTo end: Int, _ child: inout Int
  ) -> Int {
    let isObject = afterValue == .memberEnd
    var isName = isObject && expected != .value
    var position = position
    while openCount > 0, TapeWord.valueKind(words[position]) != nil {
      if isName || !isObject { child = position }
      let next = TapeWord.next(words, position)
      guard TapeWord.offset(words[next]) + shift < end else { return position }
      position = next
      isName = isObject && !isName
      expected = isName ? .key : .value
    }
    if TapeWord.valueKind(words[position]) == nil {
      expected = afterValue
      child = position
    }
    return position
  }

  /// Copies words of the old tape.
  /// - Parameter shift: how much further their bytes are in this text.
  private mutating func copy(_ words: borrowing Span<UInt64>, _ range: Range<Int>, by shift: Int) {
    let bytes = UInt64(bitPattern: Int64(shift &<< 4))
    let positions = UInt64(bitPattern: Int64((tape.count - range.lowerBound) &<< 4))
    makeRoom(for: range.count)
    tape.append(addingCapacity: range.count) { room in
      for position in range {
        let word = words[position]
        room.append(word &+ (TapeWord.isSkip(word) ? positions : bytes))
      }
    }
  }
}

/// An old container that corresponds to an open one.
private struct Twin {
  /// Its tape position.
  let container: Int
  /// The position of its first member or element that has no equal yet.
  var next: Int
  /// How many members or elements had no equal since the last that had one.
  var misses = 0

  /// How many of the next members or elements are looked at.
  private static let window = 16
  /// The least number of equal bytes at the start of a member or element that make it worth to go into it.
  private static let least = 32

  /// The member or element that is equal to the one at `offset`; or the next one if it has an equal beginning.
  /// - Returns: its position, and the offset of the first byte that differs.
  func equal(
    to bytes: borrowing Span<UInt8>, _ offset: Int, _ old: JSONDocument, _ budget: inout Int
  ) -> (child: Int, end: Int)? {
    var partial: (Int, Int)?
    var child = next
    let text = old.bytes
    let last = old.last(container)
    for _ in 0..<Self.window where child < last {
      let following = sibling(child, old)
      let start = old.start(child)
      let length = commonLength(text.span, start, bytes, offset)
      if length > old.start(following) - start { return (child, offset + length) }
      if child == next, length >= Self.least { partial = (child, offset + length) }
      budget -= length + 64
      child = following
    }
    return partial
  }

  /// Notes that a member or element had no equal. If there were many, the equal of the next one is further on.
  mutating func pass(_ old: JSONDocument) {
    misses += 1
    if misses > Self.window / 2, next < old.last(container) { next = sibling(next, old) }
  }

  private func sibling(_ child: Int, _ old: JSONDocument) -> Int {
    old.next(old.kind(container) == .object ? child + 1 : child)
  }
}
