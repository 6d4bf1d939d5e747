import FeedCore
import FeedHTTP

/// GraphQL's connections (https://relay.dev/graphql/connections.htm): the cursor is in the response's `pageInfo`, and goes
/// into a variable of the request.
///
/// The request shows which variable. The query names it: `issues(first: 100, after: $cursor)`. Without a query text, as
/// with a stored query, it is the only variable that is null in the first request.
enum GraphQLCursor {
  /// How to ask for the next page, and where a page says whether there is more.
  /// - Parameter items: the place of the items, if it is known.
  /// - Returns: nil if the response has no connection.
  /// - Throws: a usage error if there are several, or if the request has no variable for the cursor.
  static func find(
    in root: JSONValue, items: JSONPointer?, _ request: PageRequest
  ) throws(NextError) -> (rules: NextRules, hasMore: HasMore?)? {
    guard let info = try pageInfo(root, items) else { return nil }
    let variable = JSONPointer(tokens: [Array("variables".utf8), try variable(of: request)])
    let (cursor, more) = (info.appending(Array("endCursor".utf8)), info.appending(Array("hasNextPage".utf8)))
    return (
      NextRules([NextRule(.body(variable), .place(.body(cursor), shift: nil))]),
      root.value(at: more) == nil ? nil : try? HasMore(more.text)
    )
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
      throw .usage("no variable for the cursor: the query needs 'after: $NAME', or one of its variables must be null")
    }
    let names = (named.isEmpty ? empty : named).map { "$" + quoted($0) }.joined(separator: ", ")
    throw .usage("cannot tell which variable takes the cursor: \(names)")
  }

  /// The variables in `after: $name`, each once. Strings and comments are skipped.
  static func afterVariables(_ query: [UInt8]) -> [[UInt8]] {
    var words: [ArraySlice<UInt8>] = []
    var found: [[UInt8]] = []
    var rest = query[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "#") {
        rest = rest.drop { !$0.isLineEnd }
      } else if byte == UInt8(ascii: "\"") {
        rest = afterString(rest)
        words = []
      } else if byte.isSpaceOrControl || byte == UInt8(ascii: ",") {  // a comma is white space in GraphQL
        rest.removeFirst()
      } else {
        let word = isNameByte(byte) ? rest.prefix(while: isNameByte) : rest.prefix(1)
        rest = rest.dropFirst(word.count)
        words = words.suffix(3) + [word]
        let isAfter = words.dropLast().elementsEqual(["after", ":", "$"]) { $0.elementsEqual($1.utf8) }
        if isAfter, isNameByte(byte), !found.contains(Array(word)) { found.append(Array(word)) }
      }
    }
    return found
  }

  /// What is after a string or a block string.
  private static func afterString(_ query: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let block = Array("\"\"\"".utf8)
    let end = query.starts(with: block) ? block : Array("\"".utf8)
    var rest = query.dropFirst(end.count)
    while !rest.isEmpty, !rest.starts(with: end) { rest = rest.dropFirst(rest.first == UInt8(ascii: "\\") ? 2 : 1) }
    return rest.dropFirst(end.count)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") }
}
