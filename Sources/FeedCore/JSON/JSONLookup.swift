// Values by name and by pointer. This runs for every item and record, so the search reads the tape directly: making a
// value for each name on the way would cost more than the comparison.

extension JSONValue {
  /// The value of the last member called `name`; nil if there is none or this is not an object.
  package func member(_ name: [UInt8]) -> JSONValue? {
    guard kind == .object else { return nil }
    let (bytes, words) = (document.bytes, document.tape)
    let (text, tape) = (bytes.span, words.span)
    var found: Int?
    var key = document.first(position)
    let end = document.last(position)
    while key < end {
      let isSame =
        TapeWord.kind(tape[key]) == .string
        ? JSONString.isSame(text, TapeWord.offset(tape[key]) + 1, name)
        : JSONString.decoded(JSONValue(document: document, position: key)) == name
      if isSame { found = key + 1 }
      key = TapeWord.next(tape, key + 1)
    }
    return found.map { JSONValue(document: document, position: $0) }
  }

  package func member(_ name: String) -> JSONValue? { member(Array(name.utf8)) }

  /// The element that a pointer token names; nil if there is none or this is not an array.
  private func element(_ token: [UInt8]) -> JSONValue? {
    guard kind == .array, var left = JSONPointer.index(token) else { return nil }
    var position = document.first(self.position)
    let end = document.last(self.position)
    while left > 0, position < end {
      position = document.next(position)
      left -= 1
    }
    return position < end ? JSONValue(document: document, position: position) : nil
  }

  /// The value that `pointer` names in this one; nil if there is none. Of several members with one name, the last
  /// counts.
  package func value(at pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      guard let inner = value.kind == .array ? value.element(token) : value.member(token) else { return nil }
      value = inner
    }
    return value
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
}
