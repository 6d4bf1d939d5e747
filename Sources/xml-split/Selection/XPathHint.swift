import FeedCore

/// What to write in place of XPath that is not offered.
enum XPathHint {
  private static let anywhere: [(start: StaticString, hint: String)] = [
    ("..", "there is no way up: name the outer element, as in a[b='x']"),
    ("$", "there are no variables: use a value in quotes"),
    (":", "'*:a' is not offered: write the name as in the tags, or use '--ns'"),
    ("<", "'<' is not offered: print the value with '--fields', and compare it with awk"),
    (">", "'>' is not offered: print the value with '--fields', and compare it with awk"),
  ]
  private static let outside: [(start: StaticString, hint: String)] = [
    ("@", "an attribute is not an element: use 'a[@b]', or '--fields @b'"),
    ("[", "brackets can follow only the name of an element"),
    ("(", "there are no parentheses: use 'a/c|b/c', or '--limit'"),
    ("=", "a value is compared only in brackets: use a[.='b']"),
    ("!=", "a value is compared only in brackets: use a[.!='b']"),
    (",", "a comma does not separate paths here: use '|'"),
  ]
  private static let inBrackets: [(start: StaticString, hint: String)] = [
    ("//", "'//' is not offered in brackets: name the children, or use '--having'"),
    ("/", "a path in brackets starts at the element: begin with the name of a child"),
    ("[", "brackets are not offered in brackets: use '[a/b]', or '--having a[b]'"),
    ("|", "'|' is not offered in brackets: use 'a[b]|a[c]'"),
    ("and ", "'and' is not offered: use '[a][b]'"),
    ("or ", "'or' is not offered: use 'a[b]|a[c]'"),
  ]

  /// - Parameter index: where something else was expected.
  static func text(_ text: borrowing Span<UInt8>, at index: Int, isInBrackets: Bool) -> String? {
    for (start, hint) in anywhere + (isInBrackets ? inBrackets : outside)
    where startsWith(text, start, at: index) == .yes { return hint }
    return nil
  }

  /// - Parameters:
  ///   - word: a word where a name can stand.
  ///   - isCalled: whether `(` follows it.
  static func word(_ word: [UInt8], isCalled: Bool) -> String? {
    if isCalled {
      switch String(decoding: word, as: UTF8.self) {
      case "text": return "text() is offered only in brackets: the text of an element is its value"
      case "node": return "node() is not offered: use '*' for any element"
      case "last": return "last() is offered only alone, as in '[last()]'"
      case "position": return "position() is not offered: use a number alone, as in '[2]', or '--limit'"
      case "count": return "count() is offered only around a whole path of '--fields'"
      case "not": return "not() is offered only around a whole condition"
      case "local-name", "name", "namespace-uri":
        return "\(quoted(word))() is not offered: write the name as in the tags, or use '--ns'"
      default: return "\(quoted(word))() is not offered: the only functions are not(), text() and last()"
      }
    }
    let colon = UInt8(ascii: ":")
    guard let end = word.indices.dropLast().first(where: { word[$0] == colon && word[$0 + 1] == colon }) else {
      return nil
    }
    let axis = String(decoding: word[..<end], as: UTF8.self)
    switch axis {
    case "child": return "'child::' is not offered: use 'a/b'"
    case "descendant", "descendant-or-self": return "'\(axis)::' is not offered: use 'a//b'"
    case "attribute": return "'attribute::' is not offered: use '@a'"
    case "parent", "ancestor", "ancestor-or-self": return "there is no way up: name the outer element, as in a[b='x']"
    default: return "'\(quoted(Array(word[..<end])))::' is not offered: use names with '/' or '//' between them"
    }
  }
}
