// The options that a store remembers for a feed, so that a later run needs only the store and the URL.

import FeedCore
import FeedHTTP

struct RememberedOptions {
  private var members: [(name: String, value: [UInt8])] = []

  /// - Parameters:
  ///   - walk: the options given.
  ///   - shape: the options detected; nil before the first page.
  ///   - secrets: the names of parameters that no later run may store either.
  init(_ walk: WalkOptions, _ shape: Shape?, _ feed: FeedOptions, _ secrets: [[UInt8]]) {
    add("next", (shape?.next ?? walk.next)?.text)
    add(walk.itemsAreMembers ? "itemsObject" : "items", walk.itemsAreLines ? nil : (walk.items ?? shape?.items)?.text)
    add("itemsLines", walk.itemsAreLines ? [] : nil)
    add("endStatus", walk.endStatuses == .none ? nil : walk.endStatuses.text)
    add("id", (walk.id ?? shape?.id)?.text)
    add("hasMore", (walk.hasMore ?? shape?.hasMore)?.text)
    add("total", (walk.total ?? shape?.total)?.text)
    add("orderKey", walk.orderKey?.text)
    add("since", walk.since?.text)
    if !walk.sinceOverlap.isZero { add("sinceOverlap", walk.sinceOverlap.text) }
    add("emptyCursor", walk.followsEmptyCursor ? Array("follow".utf8) : nil)
    add("order", feed.order.map { Array($0.rawValue.utf8) })
    if feed.overlap != 1 { add("overlap", Array(String(feed.overlap).utf8)) }
    if feed.forgetsBelowGaps { add("onGap", Array("drop".utf8)) }
    let names = Set(secrets).map(QueryString.encodedName).sorted { $0.lexicographicallyPrecedes($1) }
    if !names.isEmpty { add("secretParam", Array(names.joined(separator: [UInt8(ascii: "&")]))) }
  }

  /// The names of parameters that the feed's runs must not store.
  /// - Parameter json: the feed's options.
  static func secretParameters(in json: [UInt8]) -> [[UInt8]] {
    let names = (try? JSONDocument(parsing: json))?.root.member("secretParam")?.string ?? []
    return names.split(separator: UInt8(ascii: "&")).map(\.percentDecoded)
  }

  private mutating func add(_ name: String, _ value: [UInt8]?) {
    if let value { members.append((name, value)) }
  }

  /// `{"next":"page:page","id":"/id"}`.
  var json: [UInt8] {
    var output = ByteWriter()
    output.append("{")
    for (index, member) in members.enumerated() {
      if index > 0 { output.append(",") }
      JSONString.write(Array(member.name.utf8), to: &output)
      output.append(":")
      JSONString.write(member.value, to: &output)
    }
    output.append("}")
    return output.take()
  }

  /// The remembered options by their names in a store.
  private static let flags: [String: Flag] = [
    "itemsObject": .itemsObject, "itemsLines": .itemsLines, "endStatus": .endStatus,
    "next": .next, "items": .items, "id": .id, "hasMore": .hasMore, "total": .total, "orderKey": .orderKey,
    "emptyCursor": .emptyCursor, "overlap": .overlap, "onGap": .onGap, "since": .since, "sinceOverlap": .sinceOverlap,
    "order": .order,
  ]

  /// Fills in the remembered values of options that were not given.
  /// - Throws: if given options contradict those of the feed, or the stored ones cannot be read.
  static func fill(_ options: inout Options, from json: [UInt8]) throws(StoreError) {
    guard let root = try? JSONDocument(parsing: json).root, root.kind == .object else {
      throw .damaged("the options of the feed cannot be read")
    }
    if let id = options.walk.id, let known = root.member("id")?.string, known != id.text {
      throw StoreError(.other, "the feed has its ids at \(shortened(known)), not at \(shortened(id.text))")
    }
    if let order = options.order, let known = root.member("order")?.string, known != Array(order.rawValue.utf8) {
      throw StoreError(
        .other, "the feed is \(shortened(known)): to read it \(order.rawValue), use another '--feed' or store")
    }
    for (key, value) in root.children.map({ ($0.key?.string ?? [], $0.value.string) }) {
      do throws(ToolFailure) {
        guard let value else { throw .usage("not a text") }
        guard let flag = flags[String(decoding: key, as: UTF8.self)] else { continue }
        let remembered = try OptionValue(value, of: flag.spec)
        if !options.given.contains(flag) { try options.set(flag, remembered) }
        if flag == .items || flag == .itemsObject { options.walk.hasKnownItems = options.walk.items?.text == value }
      } catch {
        throw .damaged("the option '\(shortened(key))' of the feed cannot be read")
      }
    }
  }
}
