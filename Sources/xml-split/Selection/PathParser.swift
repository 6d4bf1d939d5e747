import FeedCore

/// Parses a path; see `XMLPath` for the grammar. Blanks may stand around `|`, and inside brackets.
struct PathParser {
  private let text: [UInt8]
  /// Whether the path starts at an element, not at the document.
  private let isInside: Bool
  private var index = 0
  private var isInBrackets = false
  private var steps: [XMLPath.PathStep] = []
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
        steps.append(XMLPath.PathStep(name: .any, isDeep: false))
        return true
      }
      isDeep = take("/")
    } else if take("//") {
      isDeep = true
    } else if take("/") {
      if isInside { throw refusal("a path inside an element must not begin with '/'") }
      isDeep = false
    } else if isInside, isNext("@") {
      steps.append(XMLPath.PathStep(name: .any, isDeep: false, attribute: try attribute()))
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

  private mutating func step(_ isDeep: Bool) throws(OptionRefusal) -> XMLPath.PathStep {
    let name = try name("the name of an element")
    var step = XMLPath.PathStep(name: name, isDeep: isDeep)
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

  private mutating func condition() throws(OptionRefusal) -> XMLPath.PathCondition {
    let isNegated = take("not(")
    skipBlanks()
    var children: [XMLPath.Name] = []
    let value = try value(&children)
    skipBlanks()
    var test = XMLPath.PathCondition.Test.exists
    if take("!=") { test = .differs(try literal()) } else if take("=") { test = .equals(try literal()) }
    if value == .text, children.isEmpty, test == .exists { throw problem("expected '=' or '!=' after '.'") }
    skipBlanks()
    if isNegated, !take(")") { throw problem("expected ')'") }
    return XMLPath.PathCondition(children: children, value: value, test: test, isNegated: isNegated)
  }

  private mutating func value(
    _ children: inout [XMLPath.Name]
  ) throws(OptionRefusal) -> XMLPath.PathCondition.ConditionValue {
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
