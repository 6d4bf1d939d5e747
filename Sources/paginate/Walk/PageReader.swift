// The parts of a page that a walk needs: the items with their ids, and what the page says about more.
//
// Items stay positions in the page's bytes. The id is used as written, because a number that went through a Double
// would be another id.

import FeedCore
import FeedHTTP

/// An item of a page. A page may have a million of them, so the id and the order key are only their places.
struct PageItem: Sendable {
  let value: JSONValue
  private let idPart: TapePart
  private let keyPart: TapePart

  /// A place on the tape, counted from the name that comes before the item. No item takes 32 GiB of tape.
  private struct TapePart {
    /// Nil is 0, to take only 4 bytes.
    let place: UInt32

    init(_ part: JSONValue?, of item: JSONValue) { place = part.map { UInt32($0.position - item.position + 2) } ?? 0 }
  }

  init(_ value: JSONValue, id: JSONValue?, orderKey: JSONValue?) {
    self.value = value
    idPart = TapePart(id, of: value)
    keyPart = TapePart(orderKey, of: value)
  }

  /// The text of a string, or the token of a number; nil without `--id`.
  var id: [UInt8]? { part(idPart).flatMap(JSONText.scalar) }

  /// The value at `--order-key`, in the same form; nil if the item has none.
  var orderKey: [UInt8]? { part(keyPart).map { JSONText.scalar($0) ?? $0.text } }

  /// The places of the two in the bytes of the page.
  var idRange: Range<Int>? { part(idPart)?.range }
  var keyRange: Range<Int>? { part(keyPart)?.range }

  private func part(_ part: TapePart) -> JSONValue? {
    part.place == 0 ? nil : JSONValue(document: value.document, position: value.position + Int(part.place) - 2)
  }

  /// Writes the item on one line as received, without the white space between tokens.
  func write(to output: inout ByteWriter) { JSONWriter.writeCompact(JSONTree(value), to: &output) }

  /// The text that `write` writes.
  var text: [UInt8] {
    var output = ByteWriter()
    write(to: &output)
    return output.take()
  }
}

/// A page that was read.
struct Page: Sendable {
  let document: JSONDocument
  let items: [PageItem]
  /// Whether there is more, if the page says so; else nil.
  let hasMore: Bool?
  /// What the page says about the size of the feed.
  let counts: PageCounts

  var root: JSONValue { document.root }
}

/// Reads pages by the pointers of the command line.
struct PageReader: Equatable, Sendable {
  /// Nil until a page has shown where the items are.
  var items: ItemPlace?
  /// Without it, the names of members are the ids.
  var id: JSONPointer?
  var hasMore: HasMore?
  var total: TotalPlace?
  var orderKey: JSONPointer?

  /// - Parameters:
  ///   - head: the head of the response; nil if pages come from a file.
  ///   - mayLackItems: whether a page without anything at the place of its items counts as empty (`AbsentItems`).
  func read(
    _ document: JSONDocument, _ head: HTTPHead? = nil, mayLackItems: Bool = false
  ) throws(WalkError) -> Page {
    var items: [PageItem] = []
    if let place = self.items, !mayLackItems, let array = try array(at: place, of: document) {
      items.reserveCapacity(array.children.reduce(0) { count, _ in count + 1 })
      for child in array.children {
        items.append(
          PageItem(
            child.value, id: try id(of: child, items.count + 1),
            orderKey: orderKey.flatMap { child.value.value(at: $0) }))
      }
    }
    let counts = PageCounts(document.root, head, total: total, items: self.items?.pointer, count: items.count)
    return Page(document: document, items: items, hasMore: hasMore?.read(document.root, head), counts: counts)
  }

  /// - Returns: nil for `null`, which means an empty page.
  private func array(at place: ItemPlace, of document: JSONDocument) throws(WalkError) -> JSONValue? {
    let pointer = place.pointer
    guard let value = document.root.value(at: pointer) else {
      var tree = JSONTree(document.root)
      var message = "no items at \(pointer.shown)"
      do { _ = try tree.value(at: pointer) } catch { message = error.message }
      if let other = try? ItemArray.find(in: document.root), AbsentItems.hasObjects(document.root) {
        message = "no items at \(pointer.shown), but an array of objects at \(other.shown)"
      }
      throw WalkError(.page, "\(message) (--items)" + Self.complaint(of: document.root), at: 0)
    }
    if value.isNull { return nil }
    // PHP writes an empty object as an empty array.
    let isEmptyArray = value.kind == .array && !value.children.contains { _ in true }
    guard value.kind == (place.isMembers ? .object : .array) || isEmptyArray else {
      let shown = pointer.tokens.isEmpty ? "as the page" : "at \(pointer.shown)"
      let kind = place.isMembers ? "object" : "array"
      throw WalkError(
        .page, "expected an \(kind) \(shown), found \(value.kind.name) (--items)" + Self.complaint(of: document.root),
        at: value.range.lowerBound)
    }
    return value
  }

  private func id(of child: JSONChildren.Child, _ number: Int) throws(WalkError) -> JSONValue? {
    let item = child.value
    guard let pointer = id else { return items?.isMembers == true ? try name(of: child, number) : nil }
    let place = item.range.lowerBound
    // A text of XML that had attributes (xml-split --as-json).
    guard let value = item.value(at: pointer).map({ $0.member("#text") ?? $0 }) else {
      throw WalkError(.page, "item \(number): no id at \(pointer.shown) (--id)", at: place)
    }
    guard value.kind.isString || value.kind == .number else {
      throw WalkError(
        .page, "item \(number): expected a string or a number at \(pointer.shown), found \(value.kind.name) (--id)",
        at: value.range.lowerBound)
    }
    if value.kind == .string, value.range.count == 2 {
      throw WalkError(.page, "item \(number): the id at \(pointer.shown) is empty (--id)", at: value.range.lowerBound)
    }
    return value
  }

  /// The name of a member, which is the id of an item.
  private func name(of child: JSONChildren.Child, _ number: Int) throws(WalkError) -> JSONValue {
    guard let name = child.key, name.string?.isEmpty == false else {
      throw WalkError(
        .page, "item \(number): the name of the member is empty (--items)", at: child.value.range.lowerBound)
    }
    return name
  }

  // MARK: Error responses

  private static let complaints = [
    ["errors", "0", "message"], ["errors", "0", "detail"], ["errors", "0", "title"], ["error", "message"],
    ["error", "info"], ["error_message"], ["error_description"], ["error", "type"], ["error"], ["message"], ["detail"],
  ].map { JSONPointer(tokens: $0.map { Array($0.utf8) }) }

  /// The error in a response with status 200: `; the response says 'invalid_auth'`.
  static func complaint(of root: JSONValue) -> String {
    for pointer in complaints {
      if let text = root.value(at: pointer)?.string, !text.isEmpty { return "; the response says '\(shortened(text))'" }
    }
    return ""
  }
}
