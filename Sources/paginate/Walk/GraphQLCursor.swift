import FeedCore
import FeedHTTP

/// GraphQL's connections (https://relay.dev/graphql/connections.htm): the cursor is in the response's `pageInfo`, and goes
/// into a variable of the request.
///
/// The request shows which variable. The query names it: `issues(first: 100, after: $cursor)`. Without a query text, as
/// with a stored query, it is the only variable that is null in the first request.
struct GraphQLCursor {
  let rules: NextRules
  let hasMore: HasMore?

  /// - Parameter items: the place of the items, if it is known.
  /// - Returns: nil if the response has no connection.
  /// - Throws: a usage error if there are several, or if the request has no variable for the cursor.
  init?(_ root: JSONValue, items: JSONPointer?, _ request: PageRequest) throws(NextError) {
    guard let info = try Self.pageInfo(root, items) else { return nil }
    let variable = JSONPointer(tokens: [Array("variables".utf8), try Self.variable(of: request)])
    rules = NextRules([
      NextRule(.body(variable), .place(.body(info.appending(Array("endCursor".utf8))), shift: nil))
    ])
    let more = info.appending(Array("hasNextPage".utf8))
    hasMore = root.value(at: more) == nil ? nil : try? HasMore(more.text)
  }

  // MARK: The response

  /// Whether a response has a connection.
  static func hasPageInfo(_ root: JSONValue) -> Bool { !outermost(in: root).isEmpty }

  /// The place of the `pageInfo` beside the items, else of the only one at the least depth.
  private static func pageInfo(_ root: JSONValue, _ items: JSONPointer?) throws(NextError) -> JSONPointer? {
    if let items, let beside = beside(items, in: root) { return beside }
    let found = outermost(in: root)
    if found.count > 1 {
      throw .usage("the response has \(found.count) pageInfo objects: say which list to read (--items)")
    }
    return found.first
  }

  private static let name = Array("pageInfo".utf8)

  /// The `pageInfo` in the innermost object on the way to the items that has one.
  private static func beside(_ items: JSONPointer, in root: JSONValue) -> JSONPointer? {
    (0...items.tokens.count).reversed().lazy.map { items.prefix($0).appending(name) }
      .first { root.value(at: $0)?.kind == .object }
  }

  /// All `pageInfo` at the least depth that has one. Arrays are not searched: they are lists inside items.
  private static func outermost(in root: JSONValue) -> [JSONPointer] {
    var level = [(value: root, place: JSONPointer())]
    while !level.isEmpty {
      let found = level.filter { $0.value.member(name)?.kind == .object }
      if !found.isEmpty { return found.map { $0.place.appending(name) } }
      level = level.flatMap { object, place in
        object.children.compactMap { child in
          guard child.value.kind == .object, let key = child.key?.string else { return nil }
          return (child.value, place.appending(key))
        }
      }
    }
    return []
  }

  // MARK: The request

  /// The variable that takes the cursor.
  static func variable(of request: PageRequest) throws(NextError) -> [UInt8] {
    guard let body = request.body.flatMap({ try? JSONDocument(parsing: $0) })?.root else {
      throw .usage("the body (--data) must be JSON")
    }
    let named = body.member("query")?.string.map(afterVariables) ?? []
    if named.count == 1 { return named[0] }
    let variables = body.member("variables")
    let empty = variables?.children.filter { $0.value.isNull }.compactMap { $0.key?.string } ?? []
    let candidates = named.isEmpty ? empty : named.filter { empty.contains($0) || variables?.member($0) == nil }
    if candidates.count == 1 { return candidates[0] }
    if named.isEmpty && empty.isEmpty {
      throw .usage(
        "no variable for the cursor: the query needs 'after: $NAME', or one of its variables must be null")
    }
    let names = (named.isEmpty ? empty : named).map { "$" + quoted($0) }.joined(separator: ", ")
    throw .usage("cannot tell which variable takes the cursor: \(names)")
  }

  /// The variables in `after: $name`, each once. Strings and comments are skipped.
  static func afterVariables(_ query: [UInt8]) -> [[UInt8]] {
    var words: [ArraySlice<UInt8>] = []
    var found: [[UInt8]] = []
    var index = 0
    while index < query.count {
      let start = index
      switch query[index] {
      case UInt8(ascii: "#"):
        while index < query.count, !query[index].isLineEnd { index += 1 }
        continue
      case UInt8(ascii: "\""):
        skipString(query, &index)
        words = []
        continue
      case let byte where isNameByte(byte):
        while index < query.count, isNameByte(query[index]) { index += 1 }
      case let byte where byte.isSpaceOrControl || byte == UInt8(ascii: ","):  // a comma is white space in GraphQL
        index += 1
        continue
      default: index += 1
      }
      words.append(query[start..<index])
      if words.count > 4 { words.removeFirst() }
      if words.count == 4, words[0].elementsEqual("after".utf8), words[1].elementsEqual(":".utf8),
        words[2].elementsEqual("$".utf8), words[3].first.map(isNameByte) == true, !found.contains(Array(words[3]))
      {
        found.append(Array(words[3]))
      }
    }
    return found
  }

  private static func skipString(_ query: [UInt8], _ index: inout Int) {
    let quote = UInt8(ascii: "\"")
    let isBlock = query[index...].starts(with: [quote, quote, quote])
    index += isBlock ? 3 : 1
    while index < query.count {
      if query[index] == UInt8(ascii: "\\") {
        index += 2
      } else if isBlock ? query[index...].starts(with: [quote, quote, quote]) : query[index] == quote {
        index += isBlock ? 3 : 1
        return
      } else {
        index += 1
      }
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_")
  }
}
