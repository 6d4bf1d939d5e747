// A column of a table, or a member of an object (--fields): the values that a path has in an element, or their number.

import FeedCore

/// One object, because it is used for each element.
final class Column: Sendable {
  private let field: Field
  /// Whether it is the number of values: `count(PATH)`.
  let isCount: Bool

  /// As typed.
  let text: [UInt8]

  init(_ text: [UInt8]) throws(OptionRefusal) {
    self.text = text
    isCount = text.starts(with: Array("count(".utf8)) && text.last == UInt8(ascii: ")")
    field = try Field(isCount ? Array(text.dropFirst(6).dropLast()) : text)
  }

  private init(_ column: Column, _ field: Field) {
    text = column.text
    isCount = column.isCount
    self.field = field
  }

  /// The same column, with the namespaces that some prefixes stand for.
  func resolved(_ namespaces: [[UInt8]: [UInt8]]) -> Column { Column(self, field.resolved(namespaces)) }

  /// Appends the number of values, or the first value.
  /// - Parameter joining: how to append all values; nil for only the first.
  /// - Returns: whether there is a value.
  func append(to text: inout [UInt8], from tree: ElementTree, joining: Joining?) throws(XMLError) -> Bool {
    if isCount {
      text += String(count(in: tree)).utf8
      return true
    }
    guard let joining else {
      guard let match = field.firstMatch(in: tree) else { return false }
      Field.append(match, tree, to: &text)
      return true
    }
    let values = try values(in: tree, limit: joining.limit)
    text += values.joined(separator: joining.separator)
    return !values.isEmpty
  }

  /// What goes between several values (--join).
  struct Joining {
    let separator: [UInt8]
    /// The most bytes of values.
    let limit: Int
  }

  func count(in tree: ElementTree) -> Int {
    var count = 0
    field.forEachMatch(in: tree) { _ in
      count += 1
      return true
    }
    return count
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
  /// - Parameter limit: the most bytes of values.
  /// - Throws: an error with offset 0 if there are more.
  func values(in tree: ElementTree, limit: Int) throws(XMLError) -> [[UInt8]] {
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
