// What a feed in a store remembers of the command line, so that a later run needs only the store and the URL.

import FeedCore

struct RememberedOptions {
  private var members: [(name: String, value: [UInt8])] = []

  /// - Parameters:
  ///   - walk: what was given.
  ///   - shape: what was found out about the rest; nil before the first page.
  ///   - secrets: the names of parameters that no later run must store either.
  init(_ walk: WalkOptions, _ shape: Shape?, _ feed: FeedOptions, _ secrets: [[UInt8]]) {
    add("next", (shape?.next ?? walk.next)?.text)
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
  /// - Throws: where they are not those of the feed, or cannot be read.
  static func fill(
    _ walk: inout WalkOptions, _ given: inout Options.Store, from json: [UInt8]
  ) throws(StoreError) {
    guard let root = try? JSONDocument(parsing: json).root, root.kind == .object else {
      throw .damaged("the options of the feed cannot be read")
    }
    if let id = walk.id, let known = root.member("id")?.string, known != id.text {
      throw StoreError(.other, "the feed has its ids at \(shortened(known)), not at \(shortened(id.text))")
    }
    for (key, value) in root.children.map({ ($0.key?.string ?? [], $0.value.string) }) {
      let name = String(decoding: key, as: UTF8.self)
      /// What the text is read as; all that this tool writes can be.
      func read<Value>(_ parsed: Value?) throws(StoreError) -> Value {
        guard let parsed else { throw .damaged("the option '\(shortened(key))' of the feed cannot be read") }
        return parsed
      }
      let text = try read(value)
      let pointer = try? JSONPointer(text)
      switch name {
      case "next":
        let rule = try read(try? NextRule(text))
        walk.next = walk.next ?? rule
      case "items":
        let items = try read(pointer)
        walk.items = walk.items ?? items
        walk.hasKnownItems = walk.items == items
      case "id":
        let id = try read(pointer)
        walk.id = walk.id ?? id
      case "hasMore":
        let hasMore = try read(try? HasMore(text))
        walk.hasMore = walk.hasMore ?? hasMore
      case "total":
        let total = try read(pointer)
        walk.total = walk.total ?? total
      case "orderKey":
        let orderKey = try read(pointer)
        walk.orderKey = walk.orderKey ?? orderKey
      case "emptyCursor": walk.followsEmptyCursor = walk.followsEmptyCursor ?? (text == Array("follow".utf8))
      case "overlap":
        let overlap = try read(
          Int(String(decoding: text, as: UTF8.self)).flatMap { (1...1000).contains($0) ? $0 : nil })
        given.overlap = given.overlap ?? overlap
      case "onGap": given.forgetsBelowGaps = given.forgetsBelowGaps ?? (text == Array("drop".utf8))
      default: break
      }
    }
  }
}
