// Element declarations ([45] to [51]) and attribute-list declarations ([52] to [60]): only the grammar, because documents
// are not validated, and the entities in default values.

import FeedCore

enum ContentModel {
  /// - Parameter cursor: after `<!ELEMENT`; at the end, after the `>`.
  static func parse(_ cursor: inout XMLCursor) throws(XMLError) {
    try cursor.space("white space after '<!ELEMENT'")
    _ = try cursor.name("the name of an element")
    try cursor.space("white space after the name of an element")
    if !cursor.take("EMPTY"), !cursor.take("ANY") {
      guard cursor.take("(") else { throw cursor.error("expected 'EMPTY', 'ANY' or '('") }
      _ = cursor.skipSpace()
      if cursor.take("#PCDATA") { try mixed(&cursor) } else { try children(&cursor) }
    }
    _ = cursor.skipSpace()
    guard cursor.take(">") else { throw cursor.error("expected '>' after a content model") }
  }

  /// [51] Mixed, after `#PCDATA`.
  private static func mixed(_ cursor: inout XMLCursor) throws(XMLError) {
    var hasNames = false
    while true {
      _ = cursor.skipSpace()
      if cursor.take(")") { break }
      guard cursor.take("|") else { throw cursor.error("expected '|' or ')'") }
      _ = cursor.skipSpace()
      _ = try cursor.name("the name of an element")
      hasNames = true
    }
    if hasNames, !cursor.take("*") { throw cursor.error("expected '*' after ')'") }
    if !hasNames { _ = cursor.take("*") }
  }

  /// [47] children, after the first `(`. The stack holds the separators of the open groups: nil until the first
  /// separator.
  private static func children(_ cursor: inout XMLCursor) throws(XMLError) {
    var separators: [UInt8?] = [nil]
    while !separators.isEmpty {
      // A particle…
      _ = cursor.skipSpace()
      if cursor.take("(") {
        separators.append(nil)
        continue
      }
      _ = try cursor.name("the name of an element or '('")
      occurrence(&cursor)
      // … and then what follows it.
      while let separator = separators.last {
        _ = cursor.skipSpace()
        if cursor.take(")") {
          separators.removeLast()
          occurrence(&cursor)
          continue
        }
        guard let byte = cursor.byte, byte == UInt8(ascii: "|") || byte == UInt8(ascii: ","),
          separator == nil || separator == byte
        else { throw cursor.error("expected '\(separator == UInt8(ascii: "|") ? "|" : ",")' or ')'") }
        separators[separators.count - 1] = byte
        cursor.index += 1
        break
      }
    }
  }

  private static func occurrence(_ cursor: inout XMLCursor) {
    if let byte = cursor.byte, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "+") {
      cursor.index += 1
    }
  }
}

enum AttributeList {
  /// - Parameters:
  ///   - cursor: after `<!ATTLIST`; at the end, after the `>`.
  ///   - entities: those that default values may refer to.
  static func parse(_ cursor: inout XMLCursor, _ entities: inout XMLEntities) throws(XMLError) {
    try cursor.space("white space after '<!ATTLIST'")
    _ = try cursor.name("the name of an element")
    while true {
      let hasSpace = cursor.skipSpace()
      if cursor.take(">") { return }
      guard hasSpace else { throw cursor.error("expected white space or '>'") }
      _ = try cursor.name("the name of an attribute")
      try cursor.space("white space after the name of an attribute")
      try attributeType(&cursor)
      try cursor.space("white space after the type of an attribute")
      try defaultValue(&cursor, &entities)
    }
  }

  /// [54] AttType.
  private static func attributeType(_ cursor: inout XMLCursor) throws(XMLError) {
    if cursor.byte == UInt8(ascii: "(") { return try enumeration(&cursor, isToken: true) }
    let start = cursor.index
    let type = String(decoding: try cursor.name("the type of an attribute"), as: UTF8.self)
    switch type {
    case "CDATA", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "NMTOKEN", "NMTOKENS": return
    case "NOTATION":
      try cursor.space("white space after 'NOTATION'")
      try enumeration(&cursor, isToken: false)
    default:
      cursor.index = start
      throw cursor.error("expected the type of an attribute")
    }
  }

  private static func enumeration(_ cursor: inout XMLCursor, isToken: Bool) throws(XMLError) {
    guard cursor.take("(") else { throw cursor.error("expected '('") }
    while true {
      _ = cursor.skipSpace()
      _ = try cursor.name(isToken ? "a value" : "the name of a notation", isToken: isToken)
      _ = cursor.skipSpace()
      if cursor.take(")") { return }
      guard cursor.take("|") else { throw cursor.error("expected '|' or ')'") }
    }
  }

  /// [60] DefaultDecl.
  private static func defaultValue(_ cursor: inout XMLCursor, _ entities: inout XMLEntities) throws(XMLError) {
    if cursor.take("#REQUIRED") || cursor.take("#IMPLIED") { return }
    if cursor.take("#FIXED") { try cursor.space("white space after '#FIXED'") }
    guard let quote = cursor.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw cursor.error("expected a default value in quotes")
    }
    cursor.index += 1
    while let byte = cursor.byte {
      switch byte {
      case quote:
        cursor.index += 1
        return
      case UInt8(ascii: "<"): throw cursor.error("'<' in an attribute value")
      case UInt8(ascii: "&"):
        let offset = cursor.offset
        if case .entity(let name) = try cursor.reference() {
          try entities.check(name, in: .attribute, at: offset)
        }
      default: try cursor.character()
      }
    }
    throw cursor.error("a quote that is not closed")
  }
}
