import FeedCore

/// What a document declares about itself: its encoding and its entities.
struct DocumentContext {
  private(set) var encoding = XMLEncoding.utf8
  /// As in the XML declaration.
  private(set) var encodingName: [UInt8] = []
  private(set) var hasDocumentType = false
  private(set) var entities = XMLEntities(checkingContentBy: XMLTokenizer.references)
  /// How many references to entities that need a declaration have come.
  private(set) var referenceCount = 0
  /// In the text of an entity: the entities that it refers to. The caller checks them.
  private(set) var references: XMLReferences?

  var isEntity: Bool { references != nil }

  init() {}

  /// - Parameter encoding: nil if the document could not be read that far.
  init(encoding: XMLEncoding?, name: [UInt8] = [], isStandalone: Bool = false) {
    self.encoding = encoding ?? .opaque
    encodingName = name
    entities.isStandalone = isStandalone
    entities.encoding = encoding?.converted ?? .utf8
  }

  /// For the text of an entity.
  init(ofEntityIn encoding: XMLEncoding) {
    self.encoding = encoding
    references = XMLReferences()
  }

  /// Reads the document type declaration, and keeps only the entities.
  mutating func readDocumentType(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(XMLError) {
    var parser = DocumentTypeParser(entities: entities)
    try parser.parse(SingleByte.utf8(array(bytes, range), encoding), at: range.lowerBound)
    entities = parser.entities
    hasDocumentType = true
  }

  /// Records that there is a declaration that cannot be read.
  mutating func loseDocumentType() {
    hasDocumentType = true
    entities.mayLackDeclarations = true
  }

  /// Checks a reference to an entity.
  mutating func check(_ name: [UInt8], in context: XMLEntities.Context, at offset: Int) throws(XMLError) {
    let name = SingleByte.utf8(name, encoding)
    if XMLReference.predefined(name) == nil { referenceCount += 1 }
    if references == nil { return try entities.check(name, in: context, at: offset) }
    switch context {
    case .content: references?.inContent.append(name)
    case .attribute: references?.inAttributes.append(name)
    }
  }

  /// Whether a reference is right in an attribute.
  mutating func accepts(_ reference: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Bool {
    switch try? XMLReference(bytes, reference, encoding) {
    case .entity(let name): (try? check(name, in: .attribute, at: reference.lowerBound)) != nil
    case .character: true
    case nil: false
    }
  }

  /// Checks the references in attributes.
  mutating func check(_ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    for attribute in attributes where attribute.hasReferences {
      for (name, offset) in try XMLReference.entities(in: bytes, attribute.value, encoding) {
        try check(name, in: .attribute, at: offset)
      }
    }
  }
}
