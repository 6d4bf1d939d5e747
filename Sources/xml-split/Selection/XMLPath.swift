import FeedCore

/// A path of elements: PATH, and the paths inside an element that fields and conditions use. In part, it is XPath.
///
///     paths     = path ('|' path)*
///     path      = ('/' | '//')? step (('/' | '//') step)*
///     inside    = ('/'? '/' | './' '/'?)? step (('/' | '//') step)* ('/@' name)? | '@' name | '.'
///     step      = name ('[' (number | 'last()' | condition) ']')*
///     condition = value (('=' | '!=') literal)? | 'not(' condition ')'
///     value     = '@' name | name ('/' name)* ('/@' name | '/text()')? | '.' | 'text()'
///     name      = '*' | name | prefix:name | prefix:* | '{uri}'name | '{uri}*'
///
/// PATH consists of `path`: `/a/b` starts at the root, `//b` matches anywhere, and without a leading slash a path means
/// `//`. In an element, a path consists of `inside`: it starts at the element, and may end in an attribute.
struct XMLPath {
  /// The name that an element or an attribute must have.
  enum Name: Equatable {
    /// For attributes: all except namespace declarations.
    case any
    /// As written in the tag, with its prefix.
    case written([UInt8])
    /// Any name with this prefix.
    case anyWithPrefix([UInt8])
    /// In a namespace; nil for any name there.
    case inNamespace([UInt8], local: [UInt8]?)
  }

  /// A condition on an element.
  struct StepCondition: Equatable {
    /// What a condition compares.
    enum TestedValue: Equatable {
      /// All text in an element, also that of elements inside it.
      case text
      /// A piece of text directly in an element.
      case ownText
      case attribute(Name)
    }

    enum Test: Equatable {
      case exists
      case equals([UInt8])
      case differs([UInt8])
    }

    /// The names of child elements, one inside another, that lead to the value.
    var children: [Name]
    var value: TestedValue
    /// True if one of the values passes it.
    let test: Test
    let isNegated: Bool

    /// Whether a start tag decides it.
    var isEarly: Bool {
      if case .attribute = value { children.isEmpty } else { false }
    }
  }

  /// What stands in brackets.
  enum Predicate: Equatable {
    /// The element's number among its siblings that match the step's name and the predicates before this one. Each such
    /// predicate of a path has its own counter.
    case number(Int, counter: Int)
    /// The last one of these. Only in an element, because it must be complete.
    case last
    case condition(StepCondition)
  }

  struct LocationStep: Equatable {
    let name: Name
    var predicates: [Predicate] = []
    /// Whether any number of elements may be between this step and the one before: `//`.
    let isDeep: Bool
    /// For the last step: the attribute that the path names; nil for the element itself.
    var attribute: Name?

    /// Whether only a complete element decides one of its conditions.
    var hasLateCondition: Bool {
      predicates.contains { if case .condition(let condition) = $0 { !condition.isEarly } else { false } }
    }
  }

  /// The steps of all paths of a union, one path after another. The sets of steps below are bits of a word.
  let steps: [LocationStep]
  /// The first steps.
  let first: UInt64
  /// The last steps.
  let last: UInt64
  /// The steps that stand for the element that the path starts at: `.` or `@a`.
  let itself: UInt64
  /// The steps that may skip any number of elements.
  let deep: UInt64
  /// The last steps that name an attribute.
  let withAttribute: UInt64
  /// The steps with conditions that only a complete element decides.
  let late: UInt64
  /// How many counters its numbers need.
  let counters: Int
  /// Whether namespaces are needed to match it.
  let usesNamespaces: Bool

  /// More steps than anybody writes: each has one bit of a word.
  static let maxSteps = 64

  /// Parses PATH.
  init(_ text: [UInt8]) throws(OptionRefusal) {
    self = try PathParser.parse(text, isInside: false)
  }

  /// Parses a path that starts at an element.
  init(inside text: [UInt8]) throws(OptionRefusal) {
    self = try PathParser.parse(text, isInside: true)
  }

  /// - Parameters:
  ///   - first, last, itself: as the properties.
  init(_ steps: [LocationStep], first: UInt64, last: UInt64, itself: UInt64, counters: Int) {
    func bits(_ isIn: (LocationStep) -> Bool) -> UInt64 {
      steps.indices.reduce(0) { $0 | (isIn(steps[$1]) ? 1 << UInt64($1) : 0) }
    }
    self.steps = steps
    self.first = first
    self.last = last
    self.itself = itself
    self.counters = counters
    deep = bits(\.isDeep)
    withAttribute = bits { $0.attribute != nil }
    late = bits { $0.hasLateCondition }
    usesNamespaces = steps.contains { step in step.names.contains { if case .inNamespace = $0 { true } else { false } }
    }
  }

  /// The same path, with the namespaces that some prefixes stand for.
  func resolved(_ namespaces: [[UInt8]: [UInt8]]) -> XMLPath {
    if namespaces.isEmpty { return self }
    let steps = steps.map { $0.mapNames { $0.resolved(namespaces) } }
    return XMLPath(steps, first: first, last: last, itself: itself, counters: counters)
  }
}

extension XMLPath.Name {
  fileprivate func resolved(_ namespaces: [[UInt8]: [UInt8]]) -> XMLPath.Name {
    switch self {
    case .any, .inNamespace: return self
    case .anyWithPrefix(let prefix): return namespaces[prefix].map { .inNamespace($0, local: nil) } ?? self
    case .written(let written):
      guard let colon = written.firstIndex(of: UInt8(ascii: ":")), let uri = namespaces[Array(written[..<colon])]
      else { return self }
      return .inNamespace(uri, local: Array(written[(colon + 1)...]))
    }
  }
}

extension XMLPath.LocationStep {
  fileprivate func mapNames(_ change: (XMLPath.Name) -> XMLPath.Name) -> XMLPath.LocationStep {
    let predicates = predicates.map { predicate -> XMLPath.Predicate in
      guard case .condition(var condition) = predicate else { return predicate }
      condition.children = condition.children.map(change)
      if case .attribute(let name) = condition.value { condition.value = .attribute(change(name)) }
      return .condition(condition)
    }
    return XMLPath.LocationStep(
      name: change(name), predicates: predicates, isDeep: isDeep, attribute: attribute.map(change))
  }

  /// All names in it.
  fileprivate var names: [XMLPath.Name] {
    var names = [name] + (attribute.map { [$0] } ?? [])
    for case .condition(let condition) in predicates {
      names += condition.children
      if case .attribute(let name) = condition.value { names.append(name) }
    }
    return names
  }
}

extension XMLPath.Name {
  /// Whether a name in the input is this one. An attribute without a prefix is in no namespace.
  /// - Parameter namespaces: what is in scope.
  /// - Returns: nil if its prefix is not declared, so that this cannot be decided.
  func matches(
    _ bytes: borrowing Span<UInt8>, _ name: Range<Int>, _ namespaces: borrowing Namespaces, isAttribute: Bool
  ) -> Bool? {
    switch self {
    case .any: return !isAttribute || !Namespaces.isDeclaration(bytes, name)
    case .written(let written): return isName(bytes, name, written)
    case .anyWithPrefix(let wanted):
      guard let prefix = XMLName.prefix(bytes, name) else { return false }
      return isName(bytes, prefix, wanted)
    case .inNamespace(let uri, let wanted):
      let prefix = XMLName.prefix(bytes, name)
      let local = (prefix.map { $0.upperBound + 1 } ?? name.lowerBound)..<name.upperBound
      if let wanted, !isName(bytes, local, wanted) { return false }
      guard let prefix else { return (isAttribute ? [] : namespaces.uri([])) == uri }
      return namespaces.uri(array(bytes, prefix)[...]).map { $0 == uri }
    }
  }
}

extension XMLPath.StepCondition.Test {
  func passes(_ value: () -> [UInt8]) -> Bool {
    switch self {
    case .exists: true
    case .equals(let wanted): value() == wanted
    case .differs(let other): value() != other
    }
  }
}
