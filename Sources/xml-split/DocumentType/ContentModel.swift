// Element declarations ([45] to [51]): only the grammar, because documents are not validated.

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
