// What is in a value, by name and by pointer. It is asked of every item and record, so the search goes along the tape: a
// value for each name that is passed would cost more than the look at the name.

extension JSONValue {
  /// The value of the last member called `name`; nil when there is none or this is no object.
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

  /// The element that a token of a pointer names; nil when there is none or this is no array.
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

  /// The value that `pointer` names in this one; nil where there is none. Of members with one name the last counts.
  package func value(at pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      guard let inner = value.kind == .array ? value.element(token) : value.member(token) else { return nil }
      value = inner
    }
    return value
  }
}
