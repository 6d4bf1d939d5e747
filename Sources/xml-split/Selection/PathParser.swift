import FeedCore

/// Parses a path; see `XMLPath` for the grammar. Blanks may stand around `|`, and inside brackets.
struct PathParser {
  private let text: [UInt8]
  /// Whether the path starts at an element, not at the document.
  private let isInside: Bool
  private var index = 0
  private var isInBrackets = false
  private var steps: [XMLPath.LocationStep] = []
  private var counters = 0

  private init(_ text: [UInt8], isInside: Bool) {
    self.text = text
    self.isInside = isInside
  }

  static func parse(_ text: [UInt8], isInside: Bool) throws(OptionRefusal) -> XMLPath {
    var parser = PathParser(text, isInside: isInside)
    return try parser.paths()
  }

  private mutating func paths() throws(OptionRefusal) -> XMLPath {
    var first: UInt64 = 0
    var last: UInt64 = 0
    var itself: UInt64 = 0
    repeat {
      skipBlanks()
      let start = steps.count
      let isItself = try path()
      if steps.count > XMLPath.maxSteps { throw refusal("has more than \(XMLPath.maxSteps) steps") }
      if isItself { itself |= 1 << UInt64(start) } else { first |= 1 << UInt64(start) }
      last |= 1 << UInt64(steps.count - 1)
      skipBlanks()
    } while take("|")
    if index < text.count, text[index - 1] == UInt8(ascii: " ") {
      throw refusal("blanks do not separate paths: use ',' in '--fields', and '|' elsewhere")
    }
    guard index == text.count else { throw problem("expected '/', '[' or '|' after a step") }
    return XMLPath(steps, first: first, last: last, itself: itself, counters: counters)
  }

  /// - Returns: whether it names the element that it starts at, or an attribute of it.
  private mutating func path() throws(OptionRefusal) -> Bool {
    var isDeep = !isInside
    if isInside, !isNext(".."), take(".") {
      guard take("/") else {
        steps.append(XMLPath.LocationStep(name: .any, isDeep: false))
        return true
      }
      isDeep = take("/")
    } else if take("//") {
      isDeep = true
    } else if take("/") {
      if isInside { throw refusal("a path inside an element must not begin with '/'") }
      isDeep = false
    } else if isInside, isNext("@") {
      steps.append(XMLPath.LocationStep(name: .any, isDeep: false, attribute: try attribute()))
      return true
    }
    let start = steps.count
    while true {
      if isInside, isNext("@") {
        guard steps.count > start, !isDeep else { throw refusal("expected the name of an element before '/@'") }
        steps[steps.count - 1].attribute = try attribute()
        return false
      }
      steps.append(try step(isDeep))
      if take("//") {
        isDeep = true
      } else if take("/") {
        isDeep = false
      } else {
        return false
      }
      if !isInside, steps[steps.count - 1].hasLateCondition {
        throw refusal(
          "conditions on children or text are possible only in the last step: end PATH there, and use '--fields'")
      }
    }
  }

  // MARK: Steps

  private mutating func step(_ isDeep: Bool) throws(OptionRefusal) -> XMLPath.LocationStep {
    let name = try name("the name of an element")
    var step = XMLPath.LocationStep(name: name, isDeep: isDeep)
    while take("[") {
      isInBrackets = true
      skipBlanks()
      let digits = text[index...].prefix(while: \.isDigit)
      if !digits.isEmpty {
        if !isInside, step.hasLateCondition {
          throw refusal("expected the number before conditions on children or text")
        }
        guard let number = Int(decimal: digits), number > 0 else { throw problem("expected a number from 1") }
        index = digits.endIndex
        step.predicates.append(.number(number, counter: counters))
        counters += 1
        if counters > XMLPath.maxSteps { throw refusal("has more than \(XMLPath.maxSteps) numbers") }
      } else if take("last()") {
        guard isInside else {
          throw refusal("last() is not offered in PATH: name the element around it, and use '--fields a[last()]'")
        }
        step.predicates.append(.last)
      } else {
        step.predicates.append(.condition(try condition()))
      }
      skipBlanks()
      guard take("]") else { throw problem("expected ']'") }
      isInBrackets = false
    }
    return step
  }

  private mutating func condition() throws(OptionRefusal) -> XMLPath.StepCondition {
    let isNegated = take("not(")
    skipBlanks()
    var children: [XMLPath.Name] = []
    let value = try value(&children)
    skipBlanks()
    var test = XMLPath.StepCondition.Test.exists
    if take("!=") { test = .differs(try literal()) } else if take("=") { test = .equals(try literal()) }
    if value == .text, children.isEmpty, test == .exists { throw problem("expected '=' or '!=' after '.'") }
    skipBlanks()
    if isNegated, !take(")") { throw problem("expected ')'") }
    return XMLPath.StepCondition(children: children, value: value, test: test, isNegated: isNegated)
  }

  private mutating func value(
    _ children: inout [XMLPath.Name]
  ) throws(OptionRefusal) -> XMLPath.StepCondition.TestedValue {
    if !isNext(".."), take(".") { return .text }
    repeat {
      if isNext("@") { return .attribute(try attribute()) }
      if take("text()") { return .ownText }
      children.append(try name("the name of a child, '@' or '.'"))
      if children.count > XMLPath.maxSteps { throw refusal("has more than \(XMLPath.maxSteps) steps") }
    } while !isNext("//") && take("/")
    return .text
  }

  private mutating func attribute() throws(OptionRefusal) -> XMLPath.Name {
    index += 1
    return try name("the name of an attribute")
  }

  // MARK: Words

  private mutating func name(_ expected: String) throws(OptionRefusal) -> XMLPath.Name {
    if take("{") {
      guard let end = text[index...].firstIndex(of: UInt8(ascii: "}")) else { throw problem("expected '}'") }
      let uri = Array(text[index..<end])
      index = end + 1
      return .inNamespace(uri, local: take("*") ? nil : try word("a name after '}'"))
    }
    if take("*") { return .any }
    let written = try word(expected)
    guard written.last == UInt8(ascii: ":"), take("*") else { return .written(written) }
    return .anyWithPrefix(written.dropLast())
  }

  private mutating func word(_ expected: String) throws(OptionRefusal) -> [UInt8] {
    guard let end = XMLName.wholeEnd(text.span, index, isToken: false), end > index else {
      throw problem("expected \(expected)")
    }
    let word = Array(text[index..<end])
    if let hint = XPathHint.word(word, isCalled: end < text.count && text[end] == UInt8(ascii: "(")) {
      throw refusal(hint)
    }
    index = end
    return word
  }

  private mutating func literal() throws(OptionRefusal) -> [UInt8] {
    skipBlanks()
    guard index < text.count, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'"),
      let end = text[(index + 1)...].firstIndex(of: text[index])
    else { throw problem("expected a value in quotes") }
    defer { index = end + 1 }
    return Array(text[(index + 1)..<end])
  }

  private mutating func skipBlanks() { while index < text.count, text[index] == UInt8(ascii: " ") { index += 1 } }

  private func isNext(_ expected: StaticString) -> Bool { startsWith(text.span, expected, at: index) == .yes }

  private mutating func take(_ expected: StaticString) -> Bool {
    guard isNext(expected) else { return false }
    index += expected.utf8CodeUnitCount
    return true
  }

  // MARK: Refusals

  private func refusal(_ message: String) -> OptionRefusal { OptionRefusal("\(message), found '\(quoted(text))'") }

  /// What was expected here, or if this is XPath that is not offered, what to write in its place.
  private func problem(_ message: String) -> OptionRefusal {
    refusal(XPathHint.text(text.span, at: index, isInBrackets: isInBrackets) ?? message)
  }
}

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
