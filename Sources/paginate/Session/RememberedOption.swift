// The options that a store remembers for a feed, so that a later run needs only the store and the URL.

import FeedCore
import FeedHTTP

/// An option that a store remembers.
struct RememberedOption: Sendable {
  /// Its name in the store.
  private let name: String
  let setting: @Sendable () -> PartialKeyPath<Options>
  /// Its value as it would be typed; nil if it is not remembered.
  /// - Parameters:
  ///   - walk: the options given.
  ///   - shape: the options detected; nil before the first page.
  private let value: @Sendable (_ walk: WalkOptions, _ shape: Shape?, _ feed: FeedOptions) -> [UInt8]?

  private init(
    _ name: String, _ setting: @autoclosure @escaping @Sendable () -> PartialKeyPath<Options>,
    _ value: @escaping @Sendable (WalkOptions, Shape?, FeedOptions) -> [UInt8]?
  ) {
    (self.name, self.setting, self.value) = (name, setting, value)
  }

  static let all = [
    RememberedOption("next", \.walk.rules) { walk, shape, _ in
      let rules = shape?.isGuess == true ? nil : shape?.next ?? walk.next
      return rules.map { Array($0.texts.joined(separator: [UInt8(ascii: "\n")])) }
    },
    RememberedOption("items", \.walk.items) { walk, shape, _ in (walk.items ?? shape?.place)?.text },
    RememberedOption("endStatus", \.walk.endStatuses) { walk, _, _ in
      walk.endStatuses == .none ? nil : walk.endStatuses.text
    },
    RememberedOption("id", \.walk.id) { walk, shape, _ in (walk.id ?? shape?.id)?.text },
    RememberedOption("hasMore", \.walk.hasMore) { walk, shape, _ in (walk.hasMore ?? shape?.hasMore)?.text },
    RememberedOption("total", \.walk.total) { walk, shape, _ in (walk.total ?? shape?.total)?.text },
    RememberedOption("failMatch", \.walk.failMatches) { walk, _, _ in
      let texts = walk.failMatches.map { $0?.text ?? Array("none".utf8) }
      return texts.isEmpty ? nil : Array(texts.joined(separator: [UInt8(ascii: "\n")]))
    },
    RememberedOption("orderKey", \.walk.orderKey) { walk, _, _ in walk.orderKey?.text },
    RememberedOption("since", \.walk.since) { walk, _, _ in walk.since?.text },
    RememberedOption("gone", \.walk.goneStatuses) { walk, _, _ in
      walk.goneStatuses == WalkOptions.usualGone ? nil : walk.goneStatuses.text
    },
    RememberedOption("order", \.order) { _, _, feed in feed.order.map { Array($0.rawValue.utf8) } },
  ]

  // MARK: Writing

  /// What a store keeps of the options of a feed: `{"next":"page=+1","id":"/id"}`.
  /// - Parameter secrets: the names of parameters that no later run may store either.
  static func json(_ walk: WalkOptions, _ shape: Shape?, _ feed: FeedOptions, _ secrets: [[UInt8]]) -> [UInt8] {
    var members = all.compactMap { option in option.value(walk, shape, feed).map { (option.name, $0) } }
    let names = Set(secrets).map(QueryString.encodedName).sorted { $0.lexicographicallyPrecedes($1) }
    if !names.isEmpty { members.append(("secretParam", Array(names.joined(separator: [UInt8(ascii: "&")])))) }
    var output = ByteWriter()
    output.append("{")
    for (index, (name, value)) in members.enumerated() {
      if index > 0 { output.append(",") }
      JSONString.write(Array(name.utf8), to: &output)
      output.append(":")
      JSONString.write(value, to: &output)
    }
    output.append("}")
    return output.take()
  }

  // MARK: Reading

  /// The names of parameters that the feed's runs must not store.
  /// - Parameter json: the feed's options.
  static func secretParameters(in json: [UInt8]) -> [[UInt8]] {
    let names = (try? JSONDocument(parsing: json))?.root.member("secretParam")?.string ?? []
    return names.split(separator: UInt8(ascii: "&")).map(\.percentDecoded)
  }

  /// Fills in the remembered values of options that were not given.
  /// - Throws: if given options contradict those of the feed, or the stored ones cannot be read.
  static func fill(_ options: inout Options, from json: [UInt8]) throws(StoreError) {
    guard let root = try? JSONDocument(parsing: json).root, root.kind == .object else {
      throw .damaged("the options of the feed cannot be read")
    }
    if let id = options.walk.id, let known = root.member("id")?.string, known != id.text {
      throw StoreError("the feed has its ids at \(shortened(known)), not at \(shortened(id.text))")
    }
    if let order = options.order, let known = root.member("order")?.string, known != Array(order.rawValue.utf8) {
      throw StoreError(
        "the feed is read with --order \(shortened(known)); for another order, use another '--feed' or store")
    }
    let rows = Options.rows
    for (key, value) in root.children.map({ ($0.key?.string ?? [], $0.value.string) }) {
      let damaged = StoreError.damaged("the option '\(shortened(key))' of the feed cannot be read")
      guard let value else { throw damaged }
      guard let setting = all.first(where: { Array($0.name.utf8) == key })?.setting() else { continue }
      guard let index = rows.specs.firstIndex(where: { $0.setting?() == setting }) else { throw damaged }
      var filled = options
      // Several values of one option are lines.
      let isList = setting == \Options.walk.rules || setting == \Options.walk.failMatches
      let lines = isList ? value.split(separator: UInt8(ascii: "\n")).map(Array.init) : [value]
      if setting == \Options.walk.rules { filled.walk.rules = [] }
      if setting == \Options.walk.failMatches { filled.walk.failMatches = [] }
      do { for line in lines { try rows.set(index, &filled, typed: line) } } catch { throw damaged }
      if !options.isGiven(setting) { options = filled }
      if setting == \Options.walk.items {
        options.walk.hasKnownItems = options.walk.items?.text == value
      }
    }
  }
}
