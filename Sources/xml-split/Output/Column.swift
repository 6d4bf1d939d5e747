// A column of a table, or a member of an object (--fields): the values that a path has in an element, or their number.

import FeedCore

struct Column {
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

  /// What to do with several values.
  enum Several: Equatable {
    case first
    /// The first; the others are reported.
    case firstWithReport
    /// All, with this between them (--join).
    case joined([UInt8])
    /// All, each as a value of its own.
    case all
  }

  enum Value {
    case missing
    case text([UInt8])
    case several([[UInt8]])
    /// The first of several that was asked for with a report.
    case firstOfSeveral([UInt8])
    case count(Int)
  }

  /// The first match, if one is all that is asked for.
  func first(in tree: ElementTree) -> Field.Match? { field.firstMatch(in: tree) }

  func value(in tree: ElementTree, _ several: Several) -> Value {
    if isCount {
      var count = 0
      field.forEachMatch(in: tree) { _ in
        count += 1
        return true
      }
      return .count(count)
    }
    var first: [UInt8]?
    var rest: [[UInt8]] = []
    var hasMore = false
    field.forEachMatch(in: tree) { match in
      guard first != nil else {
        first = Field.value(of: match, tree)
        return several != .first
      }
      hasMore = true
      if several == .firstWithReport { return false }
      rest.append(Field.value(of: match, tree))
      return true
    }
    guard let first else { return .missing }
    guard hasMore else { return .text(first) }
    switch several {
    case .joined(let separator): return .text(Array(([first] + rest).joined(separator: separator)))
    case .all: return .several([first] + rest)
    case .first, .firstWithReport: return .firstOfSeveral(first)
    }
  }
}
