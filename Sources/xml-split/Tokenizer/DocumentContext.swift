import FeedCore

/// What a document declares about itself: its entities.
struct DocumentContext {
  private(set) var hasDocumentType = false
  private(set) var entities = XMLEntities(checkingContentBy: XMLTokenizer.references)
  /// How many references to entities that need a declaration have come.
  private(set) var referenceCount = 0
  /// In the text of an entity: the entities that it refers to. The caller checks them.
  private(set) var references: XMLReferences?

  var isEntity: Bool { references != nil }

  init(isStandalone: Bool = false, refusesUnknown: Bool = false) {
    (entities.isStandalone, entities.refusesUnknown) = (isStandalone, refusesUnknown)
  }

  /// For the text of an entity.
  init(collecting references: XMLReferences) {
    self.references = references
  }

  /// Reads the document type declaration, and keeps only the entities.
  mutating func readDocumentType(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(XMLError) {
    var parser = DocumentTypeParser(entities: entities)
    try parser.parse(array(bytes, range), at: range.lowerBound)
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
    if XMLReference.predefined(name) == nil { referenceCount += 1 }
    if references == nil { return try entities.check(name, in: context, at: offset) }
    switch context {
    case .content: references?.inContent.append(name)
    case .attribute: references?.inAttributes.append(name)
    }
  }

  /// Whether a reference is right in an attribute.
  mutating func accepts(_ reference: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Bool {
    switch try? XMLReference(bytes, reference) {
    case .entity(let name): (try? check(name, in: .attribute, at: reference.lowerBound)) != nil
    case .character: true
    case nil: false
    }
  }

  /// Checks the references in attributes.
  mutating func check(_ attributes: [StartTag.Attribute], _ bytes: borrowing Span<UInt8>) throws(XMLError) {
    for attribute in attributes where attribute.hasReferences {
      for (name, offset) in try XMLReference.entities(in: bytes, attribute.value) {
        try check(name, in: .attribute, at: offset)
      }
    }
  }
}
