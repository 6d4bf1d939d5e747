// A column of a table, or a member of an object (--fields): the values that a path has in an element, or their number.

import FeedCore

/// One object, because it is used for each element.
final class Column: Sendable {
  private let field: Field
  /// Whether it is the number of values: `count(PATH)`.
  let isCount: Bool

  /// As typed.
  let text: [UInt8]
  /// What goes between several values (--join); nil if only the first one is a value of a table.
  let separator: [UInt8]?
  /// The most bytes of values in an element.
  private let limit: Int

  init(_ text: [UInt8]) throws(OptionRefusal) {
    self.text = text
    isCount = text.starts(with: Array("count(".utf8)) && text.last == UInt8(ascii: ")")
    field = try Field(isCount ? Array(text.dropFirst(6).dropLast()) : text)
    (separator, limit) = (nil, .max)
  }

  /// The same column, with what other options say.
  /// - Parameter namespaces: those that some prefixes stand for.
  init(_ column: Column, _ namespaces: [[UInt8]: [UInt8]], separator: [UInt8]?, limit: Int) {
    text = column.text
    isCount = column.isCount
    field = column.field.resolved(namespaces)
    (self.separator, self.limit) = (separator, limit)
  }

  /// Appends the number of values, the first value, or all values with the separator between them.
  /// - Returns: whether there is a value.
  func append(to text: inout [UInt8], from tree: ElementTree) throws(XMLError) -> Bool {
    if isCount {
      var count = 0
      field.forEachMatch(in: tree) { _ in
        count += 1
        return true
      }
      text += String(count).utf8
      return true
    }
    guard let separator else {
      guard let match = field.firstMatch(in: tree) else { return false }
      Field.append(match, tree, to: &text)
      return true
    }
    let values = try values(in: tree)
    text += values.joined(separator: separator)
    return !values.isEmpty
  }

  func hasSeveral(in tree: ElementTree) -> Bool {
    var count = 0
    field.forEachMatch(in: tree) { _ in
      count += 1
      return count < 2
    }
    return count == 2
  }

  /// All values. Elements inside each other have much text together, because each has the text of those inside it.
  /// - Throws: an error with offset 0 if there are too many.
  func values(in tree: ElementTree) throws(XMLError) -> [[UInt8]] {
    var values: [[UInt8]] = []
    var size = 0
    field.forEachMatch(in: tree) { match in
      let value = Field.value(of: match, tree)
      size += value.count
      values.append(value)
      return size <= limit
    }
    if size <= limit { return values }
    throw XMLError("the values of '\(shortened(text))' have more than \(limit) bytes (--max-size)", at: 0)
  }
}
