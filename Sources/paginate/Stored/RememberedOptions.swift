// What a feed in a store remembers of the command line, so that a later run needs only the store and the URL.

import FeedCore

struct RememberedOptions {
  private var members: [(name: String, value: [UInt8])] = []

  /// - Parameters:
  ///   - walk: what was given.
  ///   - shape: what was found out about the rest; nil before the first page.
  ///   - secrets: the names of parameters that no later run must store either.
  init(_ walk: WalkOptions, _ shape: Shape?, _ feed: FeedOptions, _ secrets: [[UInt8]]) {
    add("next", (walk.next ?? shape?.next)?.text)
    add("items", (walk.items ?? shape?.items)?.text)
    add("id", (walk.id ?? shape?.id)?.text)
    add("hasMore", (walk.hasMore ?? shape?.hasMore)?.text)
    add("total", (walk.total ?? shape?.total)?.text)
    add("orderKey", walk.orderKey?.text)
    add("emptyCursor", walk.followsEmptyCursor == true ? Array("follow".utf8) : nil)
    if feed.overlap != 1 { add("overlap", Array(String(feed.overlap).utf8)) }
    if feed.forgetsBelowGaps { add("onGap", Array("drop".utf8)) }
    let names = Set(secrets).map(QueryString.encodedName).sorted { $0.lexicographicallyPrecedes($1) }
    if !names.isEmpty { add("secretParam", Array(names.joined(separator: [UInt8(ascii: "&")]))) }
  }

  /// The names of parameters that a feed's runs must not store.
  /// - Parameter json: its options.
  static func secretParameters(in json: [UInt8]) -> [[UInt8]] {
    let names = (try? JSONDocument(parsing: json))?.root.member("secretParam")?.string ?? []
    return names.split(separator: UInt8(ascii: "&")).map { QueryString.decoded($0) }
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

  /// Puts what a feed remembers in the place of what was not given.
  /// - Returns: what is wrong; nil if nothing is.
  static func fill(_ walk: inout WalkOptions, _ given: inout Settings.Store, from json: [UInt8]) -> String? {
    guard let root = try? JSONDocument(parsing: json).root, root.kind == .object else {
      return "the options of the feed cannot be read"
    }
    if let id = walk.id, let known = root.member("id")?.string, known != id.text {
      return "the feed has its ids at \(shortened(known)), not at \(shortened(id.text))"
    }
    for (key, value) in root.children.map({ ($0.key?.string ?? [], $0.value.string ?? []) }) {
      switch String(decoding: key, as: UTF8.self) {
      case "next": walk.next = walk.next ?? (try? NextRule(value))
      case "items": walk.items = walk.items ?? (try? JSONPointer(value))
      case "id": walk.id = walk.id ?? (try? JSONPointer(value))
      case "hasMore": walk.hasMore = walk.hasMore ?? (try? HasMore(value))
      case "total": walk.total = walk.total ?? (try? JSONPointer(value))
      case "orderKey": walk.orderKey = walk.orderKey ?? (try? JSONPointer(value))
      case "emptyCursor": walk.followsEmptyCursor = walk.followsEmptyCursor ?? true
      case "overlap": given.overlap = given.overlap ?? Int(String(decoding: value, as: UTF8.self))
      case "onGap": given.forgetsBelowGaps = given.forgetsBelowGaps ?? true
      default: break
      }
    }
    return nil
  }
}
