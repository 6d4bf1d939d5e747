import FeedCore

/// A start tag or an empty-element tag ([40], [44]): its name and attributes, as ranges of the text.
struct StartTag {
  /// An attribute ([41]), as ranges of the text.
  struct Attribute {
    let name: Range<Int>
    /// The range between the quotes.
    let value: Range<Int>
    /// `XMLName.key` of its name.
    let key: UInt64
    /// Whether it has references that may need a declaration.
    let hasReferences: Bool
  }

  /// The offset after a tag.
  typealias TagEnd = (end: Int, isEmpty: Bool)

  private(set) var name = 0..<0
  private(set) var attributes: [Attribute] = []
  private(set) var hasReferences = false

  /// At most this many attributes are compared one with another.
  private static let compareThreshold = 40

  /// The end of the tag at `start` after its name, if it is right and needs no declaration.
  /// - Parameter nameEnd: the end of its name, which is right.
  @inline(__always)
  mutating func plainEnd(
    _ bytes: borrowing Span<UInt8>, at start: Int, _ nameEnd: Int, _ limits: XMLTokenizer.Limits
  ) -> TagEnd? {
    begin((start + 1)..<nameEnd)
    if nameEnd + 1 < bytes.count, bytes[nameEnd] == UInt8(ascii: "/"), bytes[nameEnd + 1] == UInt8(ascii: ">") {
      return nameEnd + 2 - start <= limits.maxToken ? (nameEnd + 2, true) : nil
    }
    // An error is found again where it can be reported.
    guard let (end, isEmpty) = try? parse(bytes, after: nameEnd, limits.maxAttributes), !hasReferences,
      end - start <= limits.maxToken
    else { return nil }
    return (end, isEmpty)
  }

  /// Begins a tag without attributes so far.
  @inline(__always)
  mutating func begin(_ name: Range<Int>) {
    if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
    hasReferences = false
    self.name = name
  }

  /// Checks the tag at `start`.
  /// - Returns: nil if the bytes end within it.
  mutating func parse(_ bytes: borrowing Span<UInt8>, at start: Int, maxAttributes: Int) throws(XMLError) -> TagEnd? {
    guard let nameEnd = XMLName.end(bytes, start + 1) else { return nil }
    if nameEnd == start + 1 { throw XMLError("expected a name after '<'", at: nameEnd) }
    begin((start + 1)..<nameEnd)
    return try parse(bytes, after: nameEnd, maxAttributes)
  }

  /// Checks the attributes and the end.
  private mutating func parse(
    _ bytes: borrowing Span<UInt8>, after nameEnd: Int, _ maxAttributes: Int
  ) throws(XMLError) -> TagEnd? {
    var index = nameEnd
    while true {
      let before = index
      while index < bytes.count, bytes[index].isWhiteSpace { index += 1 }
      guard index < bytes.count else { return nil }
      if bytes[index] == UInt8(ascii: ">") {
        try checkNames(bytes)
        return (index + 1, isEmpty: false)
      }
      if bytes[index] == UInt8(ascii: "/") {
        guard index + 1 < bytes.count else { return nil }
        guard bytes[index + 1] == UInt8(ascii: ">") else { throw XMLError("expected '>' after '/'", at: index + 1) }
        try checkNames(bytes)
        return (index + 2, isEmpty: true)
      }
      guard index > before else {
        if case .cut = XMLCharacters.at(bytes, index) { return nil }
        throw XMLError("expected white space, '>' or '/>' in a tag", at: index)
      }
      guard attributes.count < maxAttributes else {
        throw XMLError("more than \(maxAttributes) attributes", at: index)
      }
      guard let end = try attribute(bytes, index) else { return nil }
      index = end
    }
  }

  /// - Returns: the offset after the attribute; nil if the bytes end before it.
  private mutating func attribute(_ bytes: borrowing Span<UInt8>, _ start: Int) throws(XMLError) -> Int? {
    guard let nameEnd = XMLName.end(bytes, start) else { return nil }
    if nameEnd == start { throw XMLError("expected an attribute name, '>' or '/>'", at: start) }
    var index = nameEnd
    if bytes[index] != UInt8(ascii: "=") {
      while index < bytes.count, bytes[index].isWhiteSpace { index += 1 }
      guard index < bytes.count else { return nil }
    }
    guard bytes[index] == UInt8(ascii: "=") else { throw XMLError("expected '=' after an attribute name", at: index) }
    index += 1
    while index < bytes.count, bytes[index].isWhiteSpace { index += 1 }
    guard index < bytes.count else { return nil }
    let quote = bytes[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw XMLError("expected a quote around an attribute value", at: index)
    }
    index += 1
    var hasReferences = false
    guard let end = try Self.valueEnd(bytes, index, quote, &hasReferences) else { return nil }
    let name = start..<nameEnd
    attributes.append(
      Attribute(name: name, value: index..<end, key: XMLName.key(bytes, name), hasReferences: hasReferences))
    if hasReferences { self.hasReferences = true }
    return end + 1
  }

  /// Checks a literal without `<` ([10] AttValue) up to its quote.
  static func valueEnd(
    _ bytes: borrowing Span<UInt8>, _ start: Int, _ quote: UInt8, _ hasReferences: inout Bool
  ) throws(XMLError) -> Int? {
    var index = start
    while true {
      index = XMLText.valueEnd(bytes, index, quote)
      guard index < bytes.count else { return nil }
      switch bytes[index] {
      case quote: return index
      case UInt8(ascii: "<"): throw XMLError("'<' in an attribute value", at: index)
      case UInt8(ascii: "&"):
        if let reference = XMLReference.simple(bytes, at: index) {
          index = reference.end
          continue
        }
        guard let end = try XMLReference.end(bytes, from: index + 1) else { return nil }
        _ = try XMLReference(bytes, index..<end)
        hasReferences = true
        index = end
      default:
        switch XMLCharacters.at(bytes, index) {
        case .character(_, let count): index += count
        case .cut: return nil
        case .illegal: throw XMLText.illegal(bytes, index)
        }
      }
    }
  }

  /// WFC: Unique Att Spec.
  private func checkNames(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
    guard attributes.count > 1 else { return }
    guard attributes.count <= Self.compareThreshold else {
      var names = Set<[UInt8]>(minimumCapacity: attributes.count)
      for attribute in attributes where !names.insert(array(bytes, attribute.name)).inserted {
        throw duplicate(bytes, attribute)
      }
      return
    }
    // One bit for each key so far. A name whose bit is not set is new.
    var known: UInt64 = 0
    for index in attributes.indices {
      let bit = XMLName.bit(of: attributes[index].key)
      if known & bit != 0, isKnown(index, bytes) { throw duplicate(bytes, attributes[index]) }
      known |= bit
    }
  }

  /// Whether an attribute has the name of an earlier one.
  private func isKnown(_ index: Int, _ bytes: borrowing Span<UInt8>) -> Bool {
    let attribute = attributes[index]
    for earlier in 0..<index where attributes[earlier].key == attribute.key {
      if XMLName.isSame(bytes, attributes[earlier].name, attribute.name) { return true }
    }
    return false
  }

  private func duplicate(_ bytes: borrowing Span<UInt8>, _ attribute: Attribute) -> XMLError {
    XMLError("attribute '\(shortened(array(bytes, attribute.name)))' occurs twice", at: attribute.name.lowerBound)
  }
}

extension StartTag.Attribute {
  /// Its value.
  /// - Parameter entities: those of the document; nil if references to them stay as they are.
  func value(_ bytes: borrowing Span<UInt8>, _ entities: EntityTexts?) throws(XMLError) -> [UInt8] {
    let literal = array(bytes, value)
    guard hasReferences, let entities else { return XMLText.value(literal) }
    do { return XMLText.value(try entities.expanded(literal) ?? literal) } catch {
      throw error.moved(by: value.lowerBound)
    }
  }
}
