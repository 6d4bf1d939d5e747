/// JSON in the simplest form, to check edits of trees: it searches from the start and copies everything.
indirect enum SimpleJSON {
  case number(Int)
  case array([SimpleJSON])
  case object([(name: String, value: SimpleJSON)])

  var text: String {
    switch self {
    case .number(let number): "\(number)"
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\\\"") + "\"" }

  /// The string representation of a pointer, in quotes.
  static func pointer(_ path: [String]) -> String {
    quoted(path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined())
  }

  var isContainer: Bool { if case .number = self { false } else { true } }

  /// The pointer tokens of the children.
  var tokens: [String] {
    switch self {
    case .number: []
    case .array(let elements): elements.indices.map(String.init)
    case .object(let members): members.map(\.name)
    }
  }

  /// The child that a token names.
  subscript(token: String) -> SimpleJSON? {
    switch self {
    case .number: nil
    case .array(let elements): Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
    case .object(let members): members.first { $0.name == token }?.value
    }
  }

  func value(at path: [String]) -> SimpleJSON? { path.reduce(self) { $0?[$1] } }

  /// Changes the value at a path that exists.
  mutating func change(_ path: ArraySlice<String>, _ body: (inout SimpleJSON) -> Void) {
    guard let token = path.first, var child = self[token] else { return body(&self) }
    child.change(path.dropFirst(), body)
    set(child, token)
  }

  /// Replaces the child that a token names, or appends a member.
  private mutating func set(_ value: SimpleJSON, _ token: String) {
    switch self {
    case .number: break
    case .array(var elements):
      elements[Int(token) ?? 0] = value
      self = .array(elements)
    case .object(var members):
      if let index = members.firstIndex(where: { $0.name == token }) {
        members[index].value = value
      } else {
        members.append((token, value))
      }
      self = .object(members)
    }
  }

  // MARK: RFC 6902

  mutating func replace(_ path: [String], _ value: SimpleJSON) { change(path[...]) { $0 = value } }

  /// - Parameter path: to a value in a container that exists.
  mutating func add(_ path: [String], _ value: SimpleJSON) {
    guard let token = path.last else { return self = value }
    change(path.dropLast()) { container in
      if case .array(var elements) = container {
        elements.insert(value, at: Int(token) ?? elements.count)
        container = .array(elements)
      } else {
        container.set(value, token)
      }
    }
  }

  mutating func remove(_ path: [String]) {
    change(path.dropLast()) { container in
      switch container {
      case .number: break
      case .array(var elements):
        elements.remove(at: Int(path.last ?? "") ?? 0)
        container = .array(elements)
      case .object(let members): container = .object(members.filter { $0.name != path.last })
      }
    }
  }

  // MARK: RFC 7386

  /// - Parameter patch: an object; numbers below zero in it stand for null.
  mutating func merge(_ patch: SimpleJSON) {
    guard case .object(let changes) = patch else { return self = patch }
    if case .object = self {} else { self = .object([]) }
    for (name, value) in changes {
      if case .number(let number) = value, number < 0 {
        if self[name] != nil { remove([name]) }
      } else {
        var child = self[name] ?? .array([])
        child.merge(value)
        set(child, name)
      }
    }
  }
}
