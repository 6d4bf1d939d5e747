import FeedCore

/// The names of members in JSON. By default they are the names in the tags, with `@` before those of attributes, and
/// `#text`. The user may change them, and then two members of an object can have the same name.
struct JSONNames {
  enum NameStyle {
    /// As in the tags.
    case written
    /// Without prefixes (--strip-prefixes).
    case local
    /// `{uri}name` for names in a namespace (--namespaces).
    case expanded
  }

  let style: NameStyle
  let attributePrefix: [UInt8]
  let textKey: [UInt8]
  /// The largest size in bytes of an element and of the namespaces in its names.
  let maxExpanded: Int
  /// The beginning of the name of each attribute, after the quote, and the name of the text, as JSON.
  let attributeStart: [UInt8]
  let textStart: [UInt8]
  /// Whether attributes, elements and text can share a name.
  let canMix: Bool

  init(
    _ style: NameStyle = .written, attributePrefix prefix: [UInt8] = Array("@".utf8),
    textKey: [UInt8] = Array("#text".utf8), maxExpanded: Int = .max
  ) {
    (self.style, self.textKey, self.maxExpanded) = (style, textKey, maxExpanded)
    attributePrefix = prefix
    attributeStart = Array(Self.json(prefix).dropFirst().dropLast())
    textStart = Self.json(textKey) + [UInt8(ascii: ":")]
    canMix =
      XMLName.isName(prefix + [UInt8(ascii: "a")]) || XMLName.isName(textKey)
      || (textKey.starts(with: prefix) && XMLName.isName(Array(textKey.dropFirst(prefix.count))))
  }

  private static func json(_ text: [UInt8]) -> [UInt8] {
    var output = ByteWriter()
    JSONString.write(text, to: &output)
    return output.take()
  }

  /// The part of a written name that is kept.
  func kept(_ name: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Range<Int> {
    guard style != .written, let prefix = XMLName.prefix(bytes, name) else { return name }
    return (prefix.upperBound + 1)..<name.upperBound
  }
}

/// The namespace of each name in a tree (--namespaces).
struct ExpandedNames {
  /// By node and by attribute; nil for names in no namespace.
  private(set) var elements: [[UInt8]?] = []
  private(set) var attributes: [[UInt8]?] = []

  /// - Parameter limit: the largest size in bytes of the tree and of all these namespaces. Each name repeats one, so that
  ///   a small element could become very large.
  /// - Throws: the offset in the bytes of the tree.
  init(_ tree: ElementTree, limit: Int) throws(XMLError) {
    var size = tree.bytes.count
    elements.reserveCapacity(tree.nodes.count)
    attributes.reserveCapacity(tree.attributes.count)
    var scope = tree.namespaces
    // Depths continue those of the declarations around the element.
    let base = scope.declarations.last?.depth ?? 0
    // The ends of the elements that have declarations.
    var ends: [Int] = []
    for node in tree.nodes.indices {
      while let end = ends.last, end <= node {
        ends.removeLast()
        scope.leave(to: base + ends.count)
      }
      guard let name = tree.nodes[node].name else {
        elements.append(nil)
        continue
      }
      // The declarations of the root are in scope already.
      if node > 0, !tree.nodes[node].attributes.isEmpty {
        let count = scope.declarations.count
        scope.enter(tree, node, depth: base + ends.count + 1)
        if scope.declarations.count > count { ends.append(tree.nodes[node].end) }
      }
      elements.append(try Self.namespace(of: name, in: scope, tree, isAttribute: false))
      size += elements[node]?.count ?? 0
      for index in tree.nodes[node].attributes {
        let name = tree.attributes[index].name
        let isDeclaration = Namespaces.isDeclaration(tree.bytes.span, name)
        attributes.append(isDeclaration ? nil : try Self.namespace(of: name, in: scope, tree, isAttribute: true))
        size += attributes[index]?.count ?? 0
      }
      if size > limit {
        throw XMLError("an element of more than \(limit) bytes with its namespaces (--max-size)", at: 0)
      }
    }
  }

  private static func namespace(
    of name: Range<Int>, in scope: Namespaces, _ tree: ElementTree, isAttribute: Bool
  ) throws(XMLError) -> [UInt8]? {
    let prefix = XMLName.prefix(tree.bytes.span, name)
    // An attribute without a prefix is in no namespace.
    if prefix == nil, isAttribute { return nil }
    let written = prefix.map { tree.bytes[$0] } ?? []
    guard let uri = scope.uri(written) else { throw .undeclared(prefix: Array(written), at: name.lowerBound) }
    return uri.isEmpty ? nil : uri
  }
}
