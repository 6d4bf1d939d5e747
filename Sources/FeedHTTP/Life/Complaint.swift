import FeedCore

/// What a response with a good status says of itself all the same: that it failed, or that it is only a part.
///
/// A name is no proof, its value is: `errors` may be empty, and `error` may be `none`. A member of the items is data, so the
/// caller names the objects that are about the response. In documents that a tool does not know (http-cat), nothing is
/// guessed: there `--fail-match` says it.
package struct Complaint: Equatable, Sendable {
  /// Whether it says that it failed; else it is a part of what there is.
  package let isFailure: Bool
  /// `the response says 'Throttled' (/errors)`, without secrets only if the response has none.
  package let text: String

  /// The first sign in some objects.
  /// - Parameters:
  ///   - objects: those that are about the response, each with its place, the surest first.
  ///   - items: the place of the items, which is no sign whatever its name.
  ///   - isEmpty: whether the response has no items. Then it may say so by a word, such as `"status":"failed"`; beside
  ///     items, that may be what they are about.
  /// - Returns: nil if there is none.
  package init?(
    in objects: [(object: JSONValue, pointer: JSONPointer)], besides items: JSONPointer?, isEmpty: Bool
  ) {
    var partial: Complaint?
    for (object, pointer) in objects {
      for child in object.children {
        guard let key = child.key, Self.mayBeName(key), !child.value.isNull, let key = key.string else { continue }
        let name = Self.plain(key)
        guard Self.names.contains(name) else { continue }
        let place = pointer.appending(key)
        if let items, items.prefix(min(place.tokens.count, items.tokens.count)) == place { continue }
        if Self.isFailure(name, child.value, isEmpty: isEmpty) {
          let words = Self.words(of: object) ?? child.value.string.flatMap { $0.isEmpty ? nil : $0 }
          let said = words.map { "says '\(shortened($0))'" } ?? "says that it failed"
          (isFailure, text) = (true, "the response \(said) (\(place.shown))")
          return
        }
        if partial == nil, Self.isPart(name, child.value) {
          partial = Complaint(isFailure: false, text: "the response is only a part (\(place.shown))")
        }
      }
    }
    guard let partial else { return nil }
    self = partial
  }

  private init(isFailure: Bool, text: String) { (self.isFailure, self.text) = (isFailure, text) }

  // MARK: Signs

  /// Whether a member of this name says that the response failed.
  private static func isFailure(_ name: String, _ value: JSONValue, isEmpty: Bool) -> Bool {
    if errors.contains(name) { return isError(value, isList: name == "errors") }
    if goods.contains(name) { return value.kind == .false || word(value) == "false" }
    guard isEmpty else { return false }
    if codes.contains(name) { return isError(value, isList: false) }
    guard states.contains(name) else { return false }
    if value.kind == .number { return value.text.count == 3 && "45".utf8.contains(value.text[0]) }
    return word(value).map(badWords.contains) ?? false
  }

  /// Whether the value of a member `error` is one.
  /// - Parameter isList: whether its name says that it has several; then a number or a yes counts something.
  private static func isError(_ value: JSONValue, isList: Bool) -> Bool {
    switch value.kind {
    case .null, .false: false
    case .true: !isList
    case .number: !isList && !value.isZero
    case .string, .escapedString: !noneWords.contains(word(value) ?? "")
    case .array: value.children.contains { _ in true }
    case .object:
      // {"code":0,"message":"OK"}
      value.children.contains { !$0.value.isNothing && !$0.value.isZero }
        && !(value.member("code").flatMap(word).map { $0 == "200" || noneWords.contains($0) } ?? false)
    }
  }

  /// Whether a text says that something failed. As a parameter of the request, it is a filter, which a response may repeat.
  package static func isFailure(_ text: [UInt8]) -> Bool {
    badWords.contains(String(decoding: text, as: UTF8.self).lowercased())
  }

  private static func isPart(_ name: String, _ value: JSONValue) -> Bool {
    if name == "shards" {
      return value.member("failed").map { $0.kind == .number && !$0.isZero } ?? false
    }
    return parts.contains(name) && value.kind == .true
  }

  private static let errors: Set<String> = ["error", "errors"]
  private static let goods: Set<String> = ["ok", "success", "succeeded", "issuccess", "successful"]
  /// Only of a response without items.
  private static let states: Set<String> = ["status", "stat", "result"]
  private static let codes: Set<String> = ["errorcode", "errormessage", "fault"]
  private static let parts: Set<String> = ["timedout", "incompleteresults", "partial", "ispartial", "partialresults"]
  private static let names = errors.union(goods).union(states).union(codes).union(parts).union(["shards"])
  /// The first two letters of the names.
  private static let beginnings = names.map { beginning(Array($0.utf8), 0) }

  private static func beginning(_ bytes: [UInt8], _ index: Int) -> UInt16 {
    UInt16(bytes[index].lowercased) << 8 | UInt16(bytes[index + 1].lowercased)
  }
  private static let badWords: Set<String> = ["error", "fail", "failed", "failure", "ko"]
  /// What stands for no error.
  private static let noneWords: Set<String> = [
    "", "0", "none", "null", "nil", "false", "no", "ok", "success", "no error",
  ]

  /// Whether a key begins as a name of a sign, so that it is worth to be read.
  private static func mayBeName(_ key: JSONValue) -> Bool {
    let (bytes, range) = (key.document.bytes, key.range)
    guard range.count > 3 else { return false }
    // A letter has more than this.
    let lowest = UInt8(ascii: "a")
    let found = beginning(bytes, range.lowerBound + 1)
    return beginnings.contains(found) || found >> 8 < lowest || found & 0xFF < lowest
  }

  /// A name without `_` and `-`, in lower case.
  private static func plain(_ name: [UInt8]) -> String {
    String(decoding: name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }, as: UTF8.self).lowercased()
  }

  private static func word(_ value: JSONValue) -> String? {
    value.word.map { String(decoding: $0, as: UTF8.self).lowercased() }
  }

  // MARK: Words

  private static let places = [
    ["errors", "0", "message"], ["errors", "0", "detail"], ["errors", "0", "title"], ["error", "message"],
    ["error", "info"], ["error_message"], ["error_description"], ["error", "type"], ["error"], ["message"], ["detail"],
  ].map { JSONPointer(tokens: $0.map { Array($0.utf8) }) }

  /// What an object says about an error, if it is about one; nil if it says nothing.
  package static func words(of object: JSONValue) -> [UInt8]? {
    places.lazy.compactMap { place in
      object.value(at: place).flatMap { place.tokens.count > 1 || isError($0, isList: false) ? $0.string : nil }
    }
    .first { !$0.isEmpty }
  }
}
