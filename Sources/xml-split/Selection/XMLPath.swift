// PATH: the path of the wanted elements.
//
//     path = ('/' | '//')? step (('/' | '//') step)*
//     step = ('*' | name | prefix:name | prefix:* | '{uri}'name) ('[@' name ('=' quoted)? ']')*
//
// `/a/b` starts at the root, `//b` matches anywhere, and a path without a leading slash means `//`.

import FeedCore

struct XMLPath {
  /// The name that an element must have.
  enum Name: Equatable {
    case any
    /// As written in the tag, with its prefix.
    case written([UInt8])
    /// Any name with this prefix.
    case anyWithPrefix([UInt8])
    /// In a namespace; nil for any name there.
    case inNamespace([UInt8], local: [UInt8]?)
  }

  struct Predicate: Equatable {
    /// As written, or in a namespace.
    let attribute: Name
    /// Decoded; nil if the attribute only has to exist.
    let value: [UInt8]?
  }

  struct Step: Equatable {
    let name: Name
    let predicates: [Predicate]
    /// Whether any number of elements may be between this step and the one before: `//`.
    let isDeep: Bool
  }

  let steps: [Step]

  /// Whether namespaces are needed to match it.
  var usesNamespaces: Bool {
    steps.contains { if case .inNamespace = $0.name { true } else { false } }
  }

  /// More steps than anybody writes: each has one bit of a word.
  static let maxSteps = 63

  /// - Parameter namespaces: the URI of each prefix that the path may use.
  init(_ text: [UInt8], namespaces: [[UInt8]: [UInt8]], isRelative: Bool = false) throws(OptionRefusal) {
    var parser = Parser(text: text, namespaces: namespaces)
    steps = try parser.parse(isRelative: isRelative)
  }

  private struct Parser {
    let text: [UInt8]
    let namespaces: [[UInt8]: [UInt8]]
    var index = 0

    mutating func parse(isRelative: Bool) throws(OptionRefusal) -> [Step] {
      var steps: [Step] = []
      var isDeep = !isRelative
      if take("//") {
        isDeep = true
      } else if take("/") {
        if isRelative { throw problem("a path inside an element must not begin with '/'") }
        isDeep = false
      }
      while true {
        steps.append(try step(isDeep))
        if steps.count > XMLPath.maxSteps { throw problem("has more than \(XMLPath.maxSteps) steps") }
        if index == text.count { return steps }
        if take("//") {
          isDeep = true
        } else if take("/") {
          isDeep = false
        } else {
          throw problem("expected '/' or '[' after a step")
        }
      }
    }

    func problem(_ message: String) -> OptionRefusal { OptionRefusal("\(message), found '\(quoted(text))'") }

    mutating func take(_ expected: StaticString) -> Bool {
      guard startsWith(text.span, expected, at: index) == .yes else { return false }
      index += expected.utf8CodeUnitCount
      return true
    }

    mutating func step(_ isDeep: Bool) throws(OptionRefusal) -> Step {
      let name = try name()
      var predicates: [Predicate] = []
      while take("[@") {
        let attribute = try attributeName()
        var value: [UInt8]?
        if take("=") { value = try literal() }
        guard take("]") else { throw problem("expected ']'") }
        predicates.append(Predicate(attribute: attribute, value: value))
      }
      return Step(name: name, predicates: predicates, isDeep: isDeep)
    }

    mutating func name() throws(OptionRefusal) -> Name {
      if take("{") {
        guard let end = text[index...].firstIndex(of: UInt8(ascii: "}")) else { throw problem("expected '}'") }
        let uri = Array(text[index..<end])
        index = end + 1
        return .inNamespace(uri, local: take("*") ? nil : try word("a name after '}'"))
      }
      if take("*") { return .any }
      let written = try word("the name of an element")
      guard let colon = written.firstIndex(of: UInt8(ascii: ":")) else { return .written(written) }
      let prefix = Array(written[..<colon])
      let local = Array(written[(colon + 1)...])
      let isAny = local.isEmpty && take("*")
      if let uri = namespaces[prefix] { return .inNamespace(uri, local: isAny ? nil : local) }
      return isAny ? .anyWithPrefix(prefix) : .written(written)
    }

    mutating func attributeName() throws(OptionRefusal) -> Name {
      let written = try word("the name of an attribute")
      guard let colon = written.firstIndex(of: UInt8(ascii: ":")), let uri = namespaces[Array(written[..<colon])] else {
        return .written(written)
      }
      return .inNamespace(uri, local: Array(written[(colon + 1)...]))
    }

    mutating func word(_ expected: String) throws(OptionRefusal) -> [UInt8] {
      guard let end = XMLName.wholeEnd(text.span, index, .utf8, isToken: false), end > index else {
        throw problem("expected \(expected)")
      }
      defer { index = end }
      return Array(text[index..<end])
    }

    mutating func literal() throws(OptionRefusal) -> [UInt8] {
      guard index < text.count, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'"),
        let end = text[(index + 1)...].firstIndex(of: text[index])
      else { throw problem("expected a value in quotes") }
      defer { index = end + 1 }
      return Array(text[(index + 1)..<end])
    }
  }
}
