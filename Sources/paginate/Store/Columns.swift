// The valid contents of a store's rows. A store is a file that may be damaged or written by somebody else. So every
// value is checked here when it is read, whatever the schema promises, and an impossible value is an error, not a
// crash.

import FeedCore
import FeedHTTP

/// The ranges of stored numbers, far inside those of `Int`, so that no sum of them overflows.
enum StoreLimit {
  /// The positions of items and pages.
  static let positions = -(1 << 62)...(1 << 62)
  /// The numbers of feeds, runs and items.
  static let numbers = 1...(1 << 62)
  static let counts = 0...Int.max
  static let releaseCounts = 1...(1 << 61)
  static let pageSizes = 0...(1 << 32)
  /// Seconds since 1970.
  static let times = 0...(1 << 53)
}

extension Statement {
  /// A whole number.
  /// - Parameter name: the name of the value, for the message.
  func integer(_ column: Int32, _ name: String, in range: ClosedRange<Int>) throws(StoreError) -> Int {
    guard isInteger(column) else { throw .damaged("\(name) is not a whole number") }
    let number = integer(column)
    guard range.contains(number) else { throw .damaged("\(name) cannot be \(number)") }
    return number
  }

  /// A whole number or NULL.
  func integerIfAny(_ column: Int32, _ name: String, in range: ClosedRange<Int>) throws(StoreError) -> Int? {
    isNull(column) ? nil : try integer(column, name, in: range)
  }

  func flag(_ column: Int32, _ name: String) throws(StoreError) -> Bool { try integer(column, name, in: 0...1) == 1 }

  func text(_ column: Int32, _ name: String) throws(StoreError) -> [UInt8] {
    guard isText(column) else { throw .damaged("\(name) is not text") }
    return text(column)
  }

  /// Text or NULL.
  func textIfAny(_ column: Int32, _ name: String) throws(StoreError) -> [UInt8]? {
    isNull(column) ? nil : try text(column, name)
  }

  /// The position in the first column.
  static func position(_ row: Statement) throws(StoreError) -> Int {
    try row.integer(0, "the position of an item", in: StoreLimit.positions)
  }

  /// NULL in both columns, or two positions with the first not above the second.
  func range(_ column: Int32, _ name: String) throws(StoreError) -> ClosedRange<Int>? {
    let first = try integerIfAny(column, name, in: StoreLimit.positions)
    let last = try integerIfAny(column + 1, name, in: StoreLimit.positions)
    guard let first, let last else {
      guard first == nil, last == nil else { throw .damaged("\(name) has only one end") }
      return nil
    }
    guard first <= last else { throw .damaged("\(name) cannot be from \(first) to \(last)") }
    return first...last
  }
}

extension FeedRun {
  /// - Parameter row: number, top, bottom, lower_end.
  init(_ row: Statement) throws(StoreError) {
    let number = try row.integer(0, "the number of a run", in: StoreLimit.numbers)
    guard let range = try row.range(1, "run \(number)") else { throw .damaged("run \(number) has no place") }
    let end = try row.text(3, "the end of run \(number)")
    guard let lowerEnd = LowerEnd(rawValue: String(decoding: end, as: UTF8.self)) else {
      throw .damaged("run \(number) cannot end in '\(shortened(end))'")
    }
    self.init(number: number, top: range.lowerBound, bottom: range.upperBound, lowerEnd: lowerEnd)
  }
}

extension KnownItem {
  /// - Parameter row: number, position, order_key, version, gone_at.
  init(_ row: Statement) throws(StoreError) {
    self.init(
      handle: try row.integer(0, "the number of an item", in: StoreLimit.numbers),
      position: try row.integer(1, "the position of an item", in: StoreLimit.positions),
      orderKey: try row.textIfAny(2, "the order key of an item"), version: try row.text(3, "the version of an item"),
      isGone: !row.isNull(4))
  }
}

extension KnownPage {
  /// - Parameter row: top, next.
  init(_ row: Statement) throws(StoreError) {
    self.init(
      top: try row.integer(0, "the place of a page", in: StoreLimit.positions),
      next: try row.textIfAny(1, "the request of a page"))
  }
}

extension Stretch {
  /// Items that are not printed.
  /// - Parameter row: item, position, count, is_uncertain.
  init(_ row: Statement) throws(StoreError) {
    self.init(
      item: try row.integer(0, "the number of an item", in: StoreLimit.numbers),
      place: try row.integer(1, "the position of an item", in: StoreLimit.positions),
      count: try row.integer(2, "the count of items that wait", in: StoreLimit.releaseCounts),
      isUncertain: try row.flag(3, "is_uncertain of an item"))
  }
}

extension FeedChange.FirstPage {
  /// - Parameter row: etag, page_size, total.
  /// - Returns: nil if page 1 was never read.
  static func read(_ row: Statement) throws(StoreError) -> Self? {
    guard let size = try row.integerIfAny(1, "the size of page 1", in: StoreLimit.pageSizes) else { return nil }
    let etag = try row.textIfAny(0, "the ETag")
    guard etag.map(isSendable) ?? true else { throw .damaged("the ETag holds a control character") }
    return Self(etag: etag, size: size, total: try row.integerIfAny(2, "the total", in: StoreLimit.counts))
  }
}

extension FeedRecord {
  /// - Parameter row: number, name, url, options.
  init(_ row: Statement) throws(StoreError) {
    self.init(
      number: try row.integer(0, "the number of a feed", in: StoreLimit.numbers),
      name: try row.text(1, "the name of a feed"), url: try row.text(2, "the URL of a feed"),
      options: try row.text(3, "the options of a feed"))
  }
}

extension WaitingItem {
  /// - Parameter row: position, id, data, version, is_again. The version is a digest of the text, which proves that the
  ///   text is unchanged.
  init(_ row: Statement) throws(StoreError) {
    self.init(
      position: try Statement.position(row), id: try row.text(1, "the id of an item"),
      data: try row.text(2, "the text of an item"), isAgain: try row.flag(4, "is_again of a release"))
    guard try row.text(3, "the version of an item") == ItemVersion.of(data.span) else {
      throw .damaged("item '\(shortened(id))' is not what was stored")
    }
  }
}
