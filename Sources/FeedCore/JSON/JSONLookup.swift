// Values by name and by pointer. This runs for every item and record, so the search reads the tape directly: making a
// value for each name on the way would cost more than the comparison.

extension JSONValue {
  /// The value of the last member called `name`; nil if there is none or this is not an object.
  package func member(_ name: MemberName) -> JSONValue? {
    let (bytes, words) = (document.bytes, document.tape)
    return document.member(name, of: position, bytes.span, words.span).map {
      JSONValue(document: document, position: $0)
    }
  }

  package func member(_ name: [UInt8]) -> JSONValue? { member(MemberName(name[...])) }
  package func member(_ name: String) -> JSONValue? { member(MemberName(name)) }

  /// The value that `pointer` names in this one; nil if there is none. Of several members with one name, the last
  /// counts.
  package func value(at pointer: JSONPointer) -> JSONValue? {
    let (bytes, words) = (document.bytes, document.tape)
    return document.position(of: pointer, in: position, bytes.span, words.span).map {
      JSONValue(document: document, position: $0)
    }
  }

  /// The tape position of the first name that an earlier member has too; nil if all names differ.
  package var repeatedName: Int? {
    let keys = children.compactMap(\.key)
    guard keys.count > 1 else { return nil }
    var digests = keys.map(JSONDigests.ofScalar)
    digests.sort()
    guard zip(digests, digests.dropFirst()).contains(where: ==) else { return nil }
    var names: Set<[UInt8]> = []
    return keys.first { !names.insert(JSONString.decoded($0)).inserted }?.position
  }

  /// Whether this object, and all objects that are members in it at any depth, satisfy a condition: those that a merge
  /// patch visits. True for anything but an object.
  func everyObject(_ isRight: (JSONValue) -> Bool) -> Bool {
    var pending = kind == .object ? [self] : []
    while let object = pending.popLast() {
      guard isRight(object) else { return false }
      for child in object.children where child.value.kind == .object { pending.append(child.value) }
    }
    return true
  }
}

extension JSONDocument {
  /// The tape position of the value that `pointer` names, and whether that is a string without escapes that is `word`;
  /// nil if there is none. This makes no array.
  package func position(of pointer: JSONPointer, comparedTo word: [UInt8]) -> (position: Int, isSame: Bool)? {
    let (bytes, words) = (self.bytes, self.tape)
    let (text, tape) = (bytes.span, words.span)
    guard let position = position(of: pointer, in: 0, text, tape) else { return nil }
    let isPlain = TapeWord.kind(tape[position]) == .string
    return (position, isPlain && MemberName(word[...]).isString(at: position, of: self, text, tape))
  }

  @inline(__always)
  fileprivate func position(
    of pointer: JSONPointer, in start: Int, _ text: borrowing Span<UInt8>, _ tape: borrowing Span<UInt64>
  ) -> Int? {
    var position = start
    for token in pointer.tokens {
      let inner =
        TapeWord.kind(tape[position]) == .array
        ? element(token, of: position, tape) : member(MemberName(token), of: position, text, tape)
      guard let inner else { return nil }
      position = inner
    }
    return position
  }

  /// The tape position of the last member called `name`; nil if there is none or this is not an object.
  @inline(__always)
  fileprivate func member(
    _ name: MemberName, of position: Int, _ text: borrowing Span<UInt8>, _ tape: borrowing Span<UInt64>
  ) -> Int? {
    guard TapeWord.kind(tape[position]) == .object else { return nil }
    var found: Int?
    var key = position + 2
    let end = TapeWord.offset(tape[position + 1]) - 1
    while key < end {
      if name.isString(at: key, of: self, text, tape) { found = key + 1 }
      key = TapeWord.next(tape, key + 1)
    }
    return found
  }

  /// The tape position of the element that a pointer token names; nil if there is none.
  private func element(_ token: ArraySlice<UInt8>, of position: Int, _ tape: borrowing Span<UInt64>) -> Int? {
    guard var left = JSONPointer.index(token) else { return nil }
    var element = position + 2
    let end = TapeWord.offset(tape[position + 1]) - 1
    while left > 0, element < end {
      element = TapeWord.next(tape, element)
      left -= 1
    }
    return element < end ? element : nil
  }
}
