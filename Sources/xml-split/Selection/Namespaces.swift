// The namespace declarations that are in scope (Namespaces in XML 1.0).

import FeedCore

struct Namespaces {
  struct Declaration {
    /// Empty for the default namespace.
    let prefix: [UInt8]
    /// The attribute as written: `xmlns:x="…"`.
    let text: [UInt8]
    /// Decoded.
    let uri: [UInt8]
    let depth: Int
  }

  private(set) var declarations: [Declaration] = []

  /// Takes in the declarations of a start tag.
  mutating func enter(
    _ bytes: borrowing Span<UInt8>, _ tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute],
    _ encoding: XMLEncoding
  ) {
    for attribute in attributes {
      guard let prefix = Self.declaredPrefix(bytes, attribute) else { continue }
      declarations.append(
        Declaration(
          prefix: prefix, text: array(bytes, attribute.name.lowerBound..<(attribute.value.upperBound + 1)),
          uri: XMLText.decoded(array(bytes, attribute.value), encoding), depth: tag.depth))
    }
  }

  /// Leaves elements until this many are open.
  mutating func leave(to depth: Int) {
    while let last = declarations.last, last.depth > depth { declarations.removeLast() }
  }

  /// The namespace of a prefix; nil where it is not declared.
  func uri(_ prefix: ArraySlice<UInt8>) -> [UInt8]? {
    for declaration in declarations.reversed() where declaration.prefix[...] == prefix { return declaration.uri }
    return prefix.isEmpty ? [] : prefix.elementsEqual(Array("xml".utf8)) ? Self.xml : nil
  }

  private static let xml = Array("http://www.w3.org/XML/1998/namespace".utf8)

  /// The declarations that an element would lose if it were taken out: those of the elements around it that are in scope and
  /// that its own start tag does not make.
  /// - Parameters:
  ///   - first: the depth of the outermost element that does not go with it.
  ///   - limit: how many bytes they may have.
  /// - Returns: nil when they have more.
  func inherited(
    by tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>, from first: Int,
    limit: Int
  ) -> [[UInt8]]? {
    if declarations.isEmpty { return [] }
    var known: Set<[UInt8]> = []
    for attribute in attributes {
      if let prefix = Self.declaredPrefix(bytes, attribute) { known.insert(prefix) }
    }
    var texts: [[UInt8]] = []
    var size = 0
    for declaration in declarations.reversed() where declaration.depth < tag.depth && declaration.depth >= first {
      guard known.insert(declaration.prefix).inserted else { continue }
      // Nothing is as good as no namespace, unless there is one further out.
      if declaration.uri.isEmpty, first == 1 { continue }
      // With the blank before it.
      size += 1 + declaration.text.count
      if size > limit { return nil }
      texts.append(declaration.text)
    }
    return texts.reversed()
  }

  /// - Returns: nil for an attribute that declares no namespace.
  private static func declaredPrefix(_ bytes: borrowing Span<UInt8>, _ attribute: StartTag.Attribute) -> [UInt8]? {
    guard bytes[attribute.name.lowerBound] == UInt8(ascii: "x"),
      startsWith(bytes, "xmlns", at: attribute.name.lowerBound) == .yes
    else { return nil }
    if attribute.name.count == 5 { return [] }
    guard bytes[attribute.name.lowerBound + 5] == UInt8(ascii: ":") else { return nil }
    return array(bytes, (attribute.name.lowerBound + 6)..<attribute.name.upperBound)
  }
}
