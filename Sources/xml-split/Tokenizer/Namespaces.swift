import FeedCore

/// The namespace declarations in scope (Namespaces in XML 1.0).
struct Namespaces {
  /// `xmlns` or `xmlns:x` of an open element.
  struct Declaration {
    /// Empty for the default namespace.
    let prefix: [UInt8]
    /// The attribute: `xmlns:x="…"`.
    let text: [UInt8]
    /// Decoded.
    let uri: [UInt8]
    let depth: Int
    /// The index of the declaration that it replaces.
    fileprivate var replaced: Int?
  }

  private(set) var declarations: [Declaration] = []
  /// The index of the declaration in scope for each prefix, if there are so many that a search would take long.
  private var indices: [[UInt8]: Int] = [:]
  private static let maxSearched = 16

  /// Adds the declarations of a start tag.
  /// - Parameter entities: those of the document. Elsewhere, nobody knows them, so their texts are written.
  mutating func enter(
    _ bytes: borrowing Span<UInt8>, _ tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute],
    _ entities: EntityTexts?
  ) {
    for attribute in attributes {
      guard let prefix = Self.declaredPrefix(bytes, attribute.name) else { continue }
      var text = array(bytes, attribute.name.lowerBound..<(attribute.value.upperBound + 1))
      let known = try? attribute.value(bytes, entities)
      if attribute.hasReferences, entities != nil, let known {
        text = array(bytes, attribute.name) + Self.quoted(known)
      }
      let uri = known ?? XMLText.value(array(bytes, attribute.value))
      add(Declaration(prefix: prefix, text: text, uri: uri, depth: tag.depth))
    }
  }

  /// `="…"`, with the value of an attribute.
  private static func quoted(_ value: [UInt8]) -> [UInt8] {
    var text = Array("=\"".utf8)
    for byte in value { text += byte < 0x20 || "<&\"".utf8.contains(byte) ? Array("&#\(byte);".utf8) : [byte] }
    return text + "\"".utf8
  }

  /// Adds the declarations of an element in a tree.
  /// - Parameter depth: the number of elements around it, including itself.
  mutating func enter(_ tree: ElementTree, _ node: Int, depth: Int) {
    let bytes = tree.bytes.span
    for index in tree.nodes[node].attributes {
      guard let prefix = Self.declaredPrefix(bytes, tree.attributes[index].name) else { continue }
      add(Declaration(prefix: prefix, text: [], uri: tree.value(of: index), depth: depth))
    }
  }

  private mutating func add(_ declaration: Declaration) {
    declarations.append(declaration)
    let last = declarations.count - 1
    if last == Self.maxSearched {
      for index in declarations.indices { setIndex(index) }
    } else if last > Self.maxSearched {
      setIndex(last)
    }
  }

  private mutating func setIndex(_ index: Int) {
    declarations[index].replaced = indices.updateValue(index, forKey: declarations[index].prefix)
  }

  /// Leaves elements until `depth` of them are open.
  @inline(__always)
  mutating func leave(to depth: Int) {
    while !declarations.isEmpty, declarations[declarations.count - 1].depth > depth {
      let last = declarations.removeLast()
      if declarations.count > Self.maxSearched {
        indices[last.prefix] = last.replaced
      } else if !indices.isEmpty {
        indices = [:]
      }
    }
  }

  /// The namespace of a prefix; nil if it is not declared.
  func uri(_ prefix: ArraySlice<UInt8>) -> [UInt8]? {
    if indices.isEmpty {
      for declaration in declarations.reversed() where declaration.prefix[...] == prefix { return declaration.uri }
    } else if let index = indices[Array(prefix)] {
      return declarations[index].uri
    }
    return prefix.isEmpty ? [] : prefix.elementsEqual(Array("xml".utf8)) ? Self.xml : nil
  }

  private static let xml = Array("http://www.w3.org/XML/1998/namespace".utf8)

  /// The declarations that an element would lose outside its surroundings: those of elements around it that are in
  /// scope and are not replaced by its own start tag.
  /// - Parameters:
  ///   - first: the depth of the outermost element that is not written with it.
  ///   - limit: their largest size in bytes.
  func inherited(
    by tag: XMLTokenizer.Token, _ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>, from first: Int,
    limit: Int
  ) throws(XMLError) -> [[UInt8]] {
    if declarations.isEmpty { return [] }
    var known: Set<[UInt8]> = []
    for attribute in attributes {
      if let prefix = Self.declaredPrefix(bytes, attribute.name) { known.insert(prefix) }
    }
    var texts: [[UInt8]] = []
    var size = 0
    for declaration in declarations.reversed() where declaration.depth < tag.depth && declaration.depth >= first {
      guard known.insert(declaration.prefix).inserted else { continue }
      // An empty default namespace needs no declaration, unless one is set further out.
      if declaration.uri.isEmpty, first == 1 { continue }
      // Including the blank before it.
      size += 1 + declaration.text.count
      if size > limit {
        throw XMLError(
          "an element that inherits more than \(limit) bytes of declarations",
          at: tag.range.lowerBound)
      }
      texts.append(declaration.text)
    }
    return texts.reversed()
  }

  /// - Parameter attribute: its name.
  static func isDeclaration(_ bytes: borrowing Span<UInt8>, _ attribute: Range<Int>) -> Bool {
    declaredPrefix(bytes, attribute) != nil
  }

  /// - Parameter attribute: its name.
  /// - Returns: nil if it is not a namespace declaration.
  static func declaredPrefix(_ bytes: borrowing Span<UInt8>, _ attribute: Range<Int>) -> [UInt8]? {
    guard bytes[attribute.lowerBound] == UInt8(ascii: "x"),
      startsWith(bytes, "xmlns", at: attribute.lowerBound) == .yes
    else { return nil }
    if attribute.count == 5 { return [] }
    guard bytes[attribute.lowerBound + 5] == UInt8(ascii: ":") else { return nil }
    return array(bytes, (attribute.lowerBound + 6)..<attribute.upperBound)
  }
}
