// The parts of a page that a walk needs: the items with their ids, and what the page says about more.
//
// Items stay positions in the page's bytes. The id is used as written, because a number that went through a Double
// would be another id.

import FeedCore
import FeedHTTP

/// An item of a page. A page may have a million of them, so the id and the order key are only their places.
struct PageItem: Sendable {
  let value: JSONValue
  /// Places on the tape, counted from the name that comes before the item; 0 for none, to take only 4 bytes. No item
  /// takes 32 GiB of tape.
  private let idPlace, keyPlace: UInt32

  init(_ value: JSONValue, id: JSONValue?, orderKey: JSONValue?) {
    self.value = value
    idPlace = id.map { UInt32($0.position - value.position + 2) } ?? 0
    keyPlace = orderKey.map { UInt32($0.position - value.position + 2) } ?? 0
  }

  /// The text of a string, or the token of a number; nil without `--id-from`.
  var id: [UInt8]? { part(at: idPlace).flatMap(JSONText.scalar) }

  /// The value at `--order-key`, in the same form; nil if the item has none.
  var orderKey: [UInt8]? { part(at: keyPlace).map { JSONText.scalar($0) ?? $0.text } }

  /// The places of the two in the bytes of the page.
  var idRange: Range<Int>? { part(at: idPlace)?.range }
  var keyRange: Range<Int>? { part(at: keyPlace)?.range }

  private func part(at place: UInt32) -> JSONValue? {
    place == 0 ? nil : JSONValue(document: value.document, position: value.position + Int(place) - 2)
  }

  /// The item on one line as received, without the white space between tokens.
  var text: [UInt8] { JSONTree(value).bytes }
}

/// A page that was read.
struct Page: Sendable {
  let document: JSONDocument
  /// The place of the items; nil if it is not known.
  var place: JSONPointer?
  var items: [PageItem] = []
  /// Whether there is more, if the page says so; else nil.
  var hasMore: Bool?
  /// What the page says about the size of the feed.
  var counts = PageCounts()
  /// The objects of the page that are about the feed.
  var about: PageCounts.About = []

  var root: JSONValue { document.root }
}

extension Shape {
  /// Reads a page.
  /// - Parameters:
  ///   - head: the head of the response; nil if pages come from a file.
  ///   - mayLackItems: whether a page without anything at the place of its items counts as empty (`AbsentItems`).
  func read(_ document: JSONDocument, _ head: HTTPHead? = nil, mayLackItems: Bool = false) throws(NextError) -> Page {
    var list: [PageItem] = []
    if let place, !mayLackItems, let array = try array(at: place, of: document) {
      list.reserveCapacity(array.children.reduce(0) { count, _ in count + 1 })
      for child in array.children {
        let id = try id(of: child, list.count + 1)
        list.append(PageItem(child.value, id: id, orderKey: orderKey.flatMap { child.value.value(at: $0) }))
      }
    }
    let about = PageCounts.aboutFeed(document.root, items: items)
    let counts = PageCounts(document.root, head, total: total, items: items, about: about, count: list.count)
    return Page(
      document: document, place: items, items: list, hasMore: hasMore?.read(document.root, head), counts: counts,
      about: about)
  }

  /// - Returns: nil for `null`, which means an empty page.
  private func array(at place: ItemPlace, of document: JSONDocument) throws(NextError) -> JSONValue? {
    let pointer = place.pointer
    guard let value = document.root.value(at: pointer) else {
      var tree = JSONTree(document.root)
      var message = "no items at \(pointer.shown)"
      do { _ = try tree.value(at: pointer) } catch { message = error.message }
      if let other = try? ItemArray.find(in: document.root), AbsentItems.hasObjects(document.root) {
        message = "no items at \(pointer.shown), but an array of objects at \(other.shown)"
      }
      throw .response("\(message) (--items)" + AbsentItems.complaint(of: document.root), at: 0)
    }
    if value.isNull { return nil }
    // PHP writes an empty object as an empty array.
    let isEmptyArray = value.kind == .array && !value.hasChildren
    guard value.kind == (place.isMembers ? .object : .array) || isEmptyArray else {
      let shown = pointer.tokens.isEmpty ? "as the page" : "at \(pointer.shown)"
      let kind = place.isMembers ? "object" : "array"
      throw .response(
        "expected an \(kind) \(shown), found \(value.kind.name) (--items)" + AbsentItems.complaint(of: document.root),
        at: value.range.lowerBound)
    }
    return value
  }

  /// The value that is the id, as written: a string or a number.
  /// - Parameter number: the item's, from 1, for messages.
  /// - Returns: nil if items have no ids.
  /// - Throws: if items have ids and this one has none, or an empty one.
  private func id(of child: JSONChildren.Child, _ number: Int) throws(NextError) -> JSONValue? {
    let item = child.value
    guard let pointer = id else {
      guard place?.isMembers == true else { return nil }
      // The name of a member is the id of an item.
      if let name = child.key, name.string?.isEmpty == false { return name }
      throw .response("item \(number): the name of the member is empty (--items)", at: item.range.lowerBound)
    }
    // A text of XML that had attributes (xml-split --as-json).
    guard let value = item.value(at: pointer)?.elementText else {
      throw .response("item \(number): no id at \(pointer.shown) (--id-from)", at: item.range.lowerBound)
    }
    guard value.kind.isString || value.kind == .number else {
      throw .response(
        "item \(number): expected a string or a number at \(pointer.shown), found \(value.kind.name) (--id-from)",
        at: value.range.lowerBound)
    }
    if value.kind == .string, value.range.count == 2 {
      throw .response("item \(number): the id at \(pointer.shown) is empty (--id-from)", at: value.range.lowerBound)
    }
    return value
  }
}

/// A page whose lines are its items (NDJSON): it becomes an array, so that everything else works as for other pages.
enum LinePage {
  /// How much later everything is in the array than in the page.
  static let shift = 1

  /// The array of the lines. Lines of only white space are skipped.
  /// - Throws: an error with its offset in `body`.
  static func document(_ body: [UInt8], maxDepth: Int) throws(JSONError) -> JSONDocument {
    var text: [UInt8] = [UInt8(ascii: "[")]
    text.reserveCapacity(body.count + 2)
    var hasItem = false
    var start = 0
    while start < body.count {
      let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
      var line = body[start..<end]
      // RS before a document (RFC 7464) becomes a space, so that all offsets stay.
      if line.first?.isRecordSeparator == true { line[start] = UInt8(ascii: " ") }
      if line.contains(where: { !$0.isWhiteSpace }) {
        do { _ = try JSONDocument(parsing: Array(line), maxDepth: maxDepth) } catch {
          throw JSONError(error.kind, at: error.offset + start)
        }
        // The separator takes the place of the line end before it.
        if hasItem { text[text.count - 1] = UInt8(ascii: ",") }
        hasItem = true
      }
      text += line
      if end < body.count { text.append(UInt8(ascii: "\n")) }
      start = end + 1
    }
    text.append(UInt8(ascii: "]"))
    return JSONDocument(known: text)
  }
}
