import FeedCore

/// The document type declaration ([28]) with its internal subset: the grammar is checked, and the entities are read.
/// Nothing external is read. After the first reference to something external, unknown names are no error (§4.1).
struct DocumentTypeParser {
  private(set) var entities: XMLEntities
  /// Parameter entities: the text of internal ones, nil for external ones.
  private var parameters: [[UInt8]: [UInt8]?] = [:]
  private var opened: Set<[UInt8]> = []
  private var done: Set<[UInt8]> = []
  /// The texts being read, innermost last, each with its parameter entity.
  private var sources: [(cursor: XMLCursor, entity: [UInt8]?)] = []
  /// Whether a reference was skipped. If so, later declarations may not be the first ones (§5.1).
  private var hasSkipped = false

  init(entities: XMLEntities) { self.entities = entities }

  /// - Parameter text: from `<!DOCTYPE` to `>`, in UTF-8.
  mutating func parse(_ text: [UInt8], at offset: Int) throws(XMLError) {
    var cursor = XMLCursor(text, at: offset)
    cursor.index = 9
    try cursor.space("white space after '<!DOCTYPE'")
    _ = try cursor.name("the name of the root element")
    var hasSpace = cursor.skipSpace()
    if hasSpace, cursor.byte != UInt8(ascii: "["), cursor.byte != UInt8(ascii: ">") {
      try externalID(&cursor)
      entities.mayLackDeclarations = true
      hasSpace = cursor.skipSpace()
    }
    if cursor.take("[") {
      sources = [(cursor, nil)]
      cursor = try subset()
      _ = cursor.skipSpace()
    }
    guard cursor.take(">"), cursor.isAtEnd else { throw cursor.error("expected '>' after a document type declaration") }
    entities.endDeclarations()
  }

  /// [28b] intSubset, and the texts of its parameter entities.
  /// - Returns: the cursor of the outermost text, after the `]`.
  private mutating func subset() throws(XMLError) -> XMLCursor {
    while let source = sources.popLast() {
      var cursor = source.cursor
      let entity = source.entity
      _ = cursor.skipSpace()
      if let entity, cursor.isAtEnd {
        opened.remove(entity)
        done.insert(entity)
        continue
      }
      if entity == nil, cursor.take("]") { return cursor }
      if cursor.take("%") {
        let name = try cursor.name("the name of a parameter entity after '%'")
        guard cursor.take(";") else { throw cursor.error("expected ';' after the name of a parameter entity") }
        sources.append((cursor, entity))
        try openParameter(name, cursor)
      } else {
        try declaration(&cursor)
        sources.append((cursor, entity))
      }
    }
    throw XMLError("expected ']'", at: 0)
  }

  private mutating func openParameter(_ name: [UInt8], _ cursor: XMLCursor) throws(XMLError) {
    guard let text = parameters[name] ?? nil else {
      // Undeclared or external: its declarations are unknown.
      if parameters[name] == nil, entities.isStandalone, !entities.mayLackDeclarations {
        throw cursor.error("parameter entity '\(shortened(name))' is not declared")
      }
      entities.mayLackDeclarations = true
      hasSkipped = true
      return
    }
    if opened.contains(name) { throw cursor.error("parameter entity '\(shortened(name))' refers to itself") }
    // Once is enough: a second reading would declare nothing new.
    if done.contains(name) { return }
    opened.insert(name)
    entities.mayLackDeclarations = true
    sources.append((XMLCursor(text, at: cursor.offset, isReplacement: true), name))
  }

  private mutating func declaration(_ cursor: inout XMLCursor) throws(XMLError) {
    if cursor.take("<!--") { return try cursor.finish(.comment) }
    if cursor.take("<?") { return try instruction(&cursor) }
    if cursor.take("<!ELEMENT") { return try cursor.elementDeclaration() }
    if cursor.take("<!ATTLIST") { return try cursor.attributeList(&entities) }
    if cursor.take("<!ENTITY") { return try entity(&cursor) }
    if cursor.take("<!NOTATION") { return try notation(&cursor) }
    throw cursor.error("expected a declaration, or ']'")
  }

  private func end(_ cursor: inout XMLCursor) throws(XMLError) {
    _ = cursor.skipSpace()
    guard cursor.take(">") else { throw cursor.error("expected '>' after a declaration") }
  }

  private func instruction(_ cursor: inout XMLCursor) throws(XMLError) {
    let start = cursor.index
    let target = try cursor.name("a name after '<?'")
    if target.lowercased == Array("xml".utf8) {
      cursor.index = start
      throw XMLError.lateDeclaration(at: cursor.offset)
    }
    if !cursor.starts(with: "?>") {
      try cursor.space("white space or '?>' after the target of a processing instruction")
    }
    try cursor.finish(.processingInstruction)
  }

  // MARK: Entities and notations

  /// [75] ExternalID; with `isNotation` also [83] PublicID.
  private func externalID(_ cursor: inout XMLCursor, isNotation: Bool = false) throws(XMLError) {
    if cursor.take("SYSTEM") {
      try cursor.space("white space after 'SYSTEM'")
      try cursor.literal("a system identifier")
      return
    }
    guard cursor.take("PUBLIC") else { throw cursor.error("expected 'SYSTEM' or 'PUBLIC'") }
    try cursor.space("white space after 'PUBLIC'")
    let start = cursor.index
    let id = try cursor.quoted("a public identifier")
    guard id.allSatisfy(XMLCharacters.isPublicIDCharacter) else {
      cursor.index = start
      throw cursor.error("a character that a public identifier must not hold")
    }
    let hasSpace = cursor.skipSpace()
    if isNotation, cursor.byte == UInt8(ascii: ">") { return }
    guard hasSpace else { throw cursor.error("expected white space and a system identifier") }
    try cursor.literal("a system identifier")
  }

  private mutating func entity(_ cursor: inout XMLCursor) throws(XMLError) {
    try cursor.space("white space after '<!ENTITY'")
    var isParameter = false
    if cursor.take("%") {
      isParameter = true
      try cursor.space("white space after '%'")
    }
    let name = try cursor.name("the name of an entity")
    try cursor.space("white space after the name of an entity")
    if cursor.byte == UInt8(ascii: "\"") || cursor.byte == UInt8(ascii: "'") {
      let text = try replacementText(&cursor)
      try end(&cursor)
      if isParameter { declare(parameter: name, text) } else { declare(name, .text(text)) }
      return
    }
    try externalID(&cursor)
    let hasSpace = cursor.skipSpace()
    var kind = XMLEntities.Kind.external
    if !isParameter, hasSpace, cursor.take("NDATA") {
      try cursor.space("white space after 'NDATA'")
      _ = try cursor.name("the name of a notation")
      kind = .unparsed
    }
    try end(&cursor)
    if isParameter { declare(parameter: name, nil) } else { declare(name, kind) }
  }

  private mutating func declare(parameter name: [UInt8], _ text: [UInt8]?) {
    if hasSkipped && !entities.isStandalone { return }
    if parameters[name] == nil { parameters[name] = .some(text) }
  }

  private mutating func declare(_ name: [UInt8], _ kind: XMLEntities.Kind) {
    if hasSkipped && !entities.isStandalone { return }
    entities.declare(name, kind)
  }

  /// [9] EntityValue, with references to characters replaced (§4.5). References to parameter entities are not allowed
  /// here (WFC: PEs in Internal Subset).
  private func replacementText(_ cursor: inout XMLCursor) throws(XMLError) -> [UInt8] {
    guard let quote = cursor.byte else { throw cursor.error("expected a value in quotes") }
    cursor.index += 1
    var text: [UInt8] = []
    while let byte = cursor.byte {
      switch byte {
      case quote:
        cursor.index += 1
        return text
      case UInt8(ascii: "%"): throw cursor.error("a reference to a parameter entity inside a declaration")
      case UInt8(ascii: "&"):
        let start = cursor.index
        switch try cursor.reference() {
        case .character(let code): UTF8Sequence.append(code, to: &text)
        case .entity: text += cursor.bytes[start..<cursor.index]
        }
      case 0xD where !cursor.isReplacement:
        // A line end (§2.11).
        cursor.index += 1
        if cursor.byte != 0xA { text.append(0xA) }
      default:
        let start = cursor.index
        try cursor.character()
        text += cursor.bytes[start..<cursor.index]
      }
    }
    throw cursor.error("a quote that is not closed")
  }

  private func notation(_ cursor: inout XMLCursor) throws(XMLError) {
    try cursor.space("white space after '<!NOTATION'")
    _ = try cursor.name("the name of a notation")
    try cursor.space("white space after the name of a notation")
    try externalID(&cursor, isNotation: true)
    try end(&cursor)
  }
}

// Element declarations ([45] to [51]) and attribute-list declarations ([52] to [60]): only the grammar, because documents
// are not validated, and the entities in default values.

extension XMLCursor {
  /// Reads an element declaration, after `<!ELEMENT`.
  mutating func elementDeclaration() throws(XMLError) {
    try space("white space after '<!ELEMENT'")
    _ = try name("the name of an element")
    try space("white space after the name of an element")
    if !take("EMPTY"), !take("ANY") {
      guard take("(") else { throw error("expected 'EMPTY', 'ANY' or '('") }
      _ = skipSpace()
      if take("#PCDATA") { try mixed() } else { try children() }
    }
    _ = skipSpace()
    guard take(">") else { throw error("expected '>' after a content model") }
  }

  /// [51] Mixed, after `#PCDATA`.
  private mutating func mixed() throws(XMLError) {
    var hasNames = false
    while true {
      _ = skipSpace()
      if take(")") { break }
      guard take("|") else { throw error("expected '|' or ')'") }
      _ = skipSpace()
      _ = try name("the name of an element")
      hasNames = true
    }
    if hasNames, !take("*") { throw error("expected '*' after ')'") }
    if !hasNames { _ = take("*") }
  }

  /// [47] children, after the first `(`. The stack holds the separators of the open groups: nil until the first
  /// separator.
  private mutating func children() throws(XMLError) {
    var separators: [UInt8?] = [nil]
    while !separators.isEmpty {
      // A particle…
      _ = skipSpace()
      if take("(") {
        separators.append(nil)
        continue
      }
      _ = try name("the name of an element or '('")
      occurrence()
      // … and then what follows it.
      while let separator = separators.last {
        _ = skipSpace()
        if take(")") {
          separators.removeLast()
          occurrence()
          continue
        }
        guard let byte, byte == UInt8(ascii: "|") || byte == UInt8(ascii: ","),
          separator == nil || separator == byte
        else { throw error("expected '\(separator == UInt8(ascii: "|") ? "|" : ",")' or ')'") }
        separators[separators.count - 1] = byte
        index += 1
        break
      }
    }
  }

  private mutating func occurrence() {
    if let byte, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "+") {
      index += 1
    }
  }

  /// Reads an attribute-list declaration, after `<!ATTLIST`.
  /// - Parameter entities: those that default values may refer to.
  mutating func attributeList(_ entities: inout XMLEntities) throws(XMLError) {
    try space("white space after '<!ATTLIST'")
    _ = try name("the name of an element")
    while true {
      let hasSpace = skipSpace()
      if take(">") { return }
      guard hasSpace else { throw error("expected white space or '>'") }
      _ = try name("the name of an attribute")
      try space("white space after the name of an attribute")
      try attributeType()
      try space("white space after the type of an attribute")
      try defaultValue(&entities)
    }
  }

  /// [54] AttType.
  private mutating func attributeType() throws(XMLError) {
    if byte == UInt8(ascii: "(") { return try enumeration(isToken: true) }
    let start = index
    let type = String(decoding: try name("the type of an attribute"), as: UTF8.self)
    switch type {
    case "CDATA", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "NMTOKEN", "NMTOKENS": return
    case "NOTATION":
      try space("white space after 'NOTATION'")
      try enumeration(isToken: false)
    default:
      index = start
      throw error("expected the type of an attribute")
    }
  }

  private mutating func enumeration(isToken: Bool) throws(XMLError) {
    guard take("(") else { throw error("expected '('") }
    while true {
      _ = skipSpace()
      _ = try name(isToken ? "a value" : "the name of a notation", isToken: isToken)
      _ = skipSpace()
      if take(")") { return }
      guard take("|") else { throw error("expected '|' or ')'") }
    }
  }

  /// [60] DefaultDecl.
  private mutating func defaultValue(_ entities: inout XMLEntities) throws(XMLError) {
    if take("#REQUIRED") || take("#IMPLIED") { return }
    if take("#FIXED") { try space("white space after '#FIXED'") }
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw error("expected a default value in quotes")
    }
    index += 1
    while let byte {
      switch byte {
      case quote:
        index += 1
        return
      case UInt8(ascii: "<"): throw error("'<' in an attribute value")
      case UInt8(ascii: "&"):
        let offset = offset
        if case .entity(let name) = try reference() {
          try entities.check(name, in: .attribute, at: offset)
        }
      default: try character()
      }
    }
    throw error("a quote that is not closed")
  }
}
