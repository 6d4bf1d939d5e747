// JSON, JSON Patch and merge patch in the simplest form, to check the real ones. Only for small inputs: it is
// recursive, copies everything, and searches from the start.

indirect enum Model: Equatable {
  case null
  case bool(Bool)
  case number(Decimal)
  case string([UInt8])
  case array([Model])
  case object([Member])

  struct Member {
    let name: [UInt8]
    var value: Model
  }

  /// A number as sign, digits without zeros at either end, and the power of ten after them.
  struct Decimal: Equatable {
    var isNegative = false
    var digits: [UInt8] = []
    /// The exponent's own text if it is too large for arithmetic.
    var exponent: [UInt8] = []
  }

  init(_ tree: JSONTree) {
    switch tree.kind {
    case .null: self = .null
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .number: self = .number(Self.decimal(tree.origin.text))
    case .string, .escapedString: self = .string(tree.origin.string ?? [])
    case .array: self = .array(tree.children.map { Model($0.value) })
    case .object:
      self = .object(tree.children.map { Member(name: $0.key?.string ?? [], value: Model($0.value)) })
    }
  }

  static func decimal(_ text: [UInt8]) -> Decimal {
    var result = Decimal()
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") {
      result.isNegative = true
      rest = rest.dropFirst()
    }
    let mantissa = rest.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    let power = String(decoding: rest.dropFirst(mantissa.count + 1), as: UTF8.self)
    let parts = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    result.digits = parts.flatMap { $0 }
    var exponent = Int(power) ?? 0
    if parts.count > 1 { exponent -= parts[1].count }
    while result.digits.last == UInt8(ascii: "0") {
      result.digits.removeLast()
      exponent += 1
    }
    result.digits = Array(result.digits.drop { $0 == UInt8(ascii: "0") })
    guard !result.digits.isEmpty else { return Decimal() }
    result.exponent = power.isEmpty || Int(power) != nil ? Array(String(exponent).utf8) : Array(power.utf8)
    return result
  }

  /// Objects are equal in any order, unless a name occurs twice in one.
  static func == (left: Model, right: Model) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)):
      a.count == b.count
        && (zip(a, b).allSatisfy { $0.name == $1.name && $0.value == $1.value }
          || (!isTwice(a) && !isTwice(b)
            && a.allSatisfy { x in b.contains { $0.name == x.name && $0.value == x.value } }))
    default: false
    }
  }

  private static func isTwice(_ members: [Member]) -> Bool { Set(members.map(\.name)).count < members.count }

  var hasDuplicates: Bool {
    switch self {
    case .array(let elements): elements.contains(where: \.hasDuplicates)
    case .object(let members): Self.isTwice(members) || members.contains(where: \.value.hasDuplicates)
    default: false
    }
  }

  // MARK: RFC 7386

  /// The pseudo code of §2.
  func merged(with patch: Model) -> Model {
    guard case .object(let changes) = patch else { return patch }
    var members: [Member] = []
    if case .object(let old) = self { members = old }
    for change in changes {
      let place = members.firstIndex { $0.name == change.name }
      if change.value == .null {
        if let place { members.remove(at: place) }
      } else if let place {
        members[place].value = members[place].value.merged(with: change.value)
      } else {
        members.append(Member(name: change.name, value: Model.null.merged(with: change.value)))
      }
    }
    return .object(members)
  }

  // MARK: RFC 6902

  struct DoesNotApply: Error {}

  mutating func apply(_ patch: JSONPatch) throws {
    var result = self
    for operation in patch.operations {
      switch operation {
      case .add(let value, let path): try result.put(Model(value), path.names)
      case .remove(let path): _ = try result.take(path.names)
      case .replace(let path, let value):
        _ = try result.at(path.names)
        if path.tokens.isEmpty {
          result = Model(value)
        } else {
          try result.set(Model(value), path.names)
        }
      case .copy(let from, let path): try result.put(try result.at(from.names), path.names)
      case .move(let from, let path):
        if path.tokens.count > from.tokens.count, path.tokens.starts(with: from.tokens) { throw DoesNotApply() }
        let value = try result.at(from.names)
        if from == path { continue }
        _ = try result.take(from.names)
        try result.put(value, path.names)
      case .test(let path, let value):
        if try result.at(path.names) != Model(value) { throw DoesNotApply() }
      }
    }
    self = result
  }

  private func at(_ path: ArraySlice<[UInt8]>) throws -> Model {
    guard let token = path.first else { return self }
    return try children()[index(token)].at(path.dropFirst())
  }

  private func children() -> [Model] {
    switch self {
    case .array(let elements): elements
    case .object(let members): members.map(\.value)
    default: []
    }
  }

  /// The index of the child that a token names.
  private func index(_ token: [UInt8], orEnd: Bool = false) throws -> Int {
    switch self {
    case .array(let elements):
      let text = String(decoding: token, as: UTF8.self)
      if text == "-", orEnd { return elements.count }
      guard let index = Int(text), String(index).utf8.elementsEqual(token), index >= 0,
        index < elements.count || (orEnd && index == elements.count)
      else { throw DoesNotApply() }
      return index
    case .object(let members):
      let found = members.indices.filter { members[$0].name == token }
      if found.isEmpty, orEnd { return members.count }
      guard found.count == 1 else { throw DoesNotApply() }
      return found[0]
    default: throw DoesNotApply()
    }
  }

  /// Changes the value at `path`.
  private mutating func change(_ path: ArraySlice<[UInt8]>, _ body: (inout Model) throws -> Void) throws {
    guard let token = path.first else { return try body(&self) }
    let index = try index(token)
    switch self {
    case .array(var elements):
      try elements[index].change(path.dropFirst(), body)
      self = .array(elements)
    case .object(var members):
      try members[index].value.change(path.dropFirst(), body)
      self = .object(members)
    default: throw DoesNotApply()
    }
  }

  private mutating func set(_ value: Model, _ path: ArraySlice<[UInt8]>) throws { try change(path) { $0 = value } }

  private mutating func put(_ value: Model, _ path: ArraySlice<[UInt8]>) throws {
    guard let token = path.last else { return self = value }
    try change(path.dropLast()) { container in
      let index = try container.index(token, orEnd: true)
      switch container {
      case .array(var elements):
        elements.insert(value, at: index)
        container = .array(elements)
      case .object(var members):
        if index == members.count {
          members.append(Member(name: token, value: value))
        } else {
          members[index].value = value
        }
        container = .object(members)
      default: throw DoesNotApply()
      }
    }
  }

  private mutating func take(_ path: ArraySlice<[UInt8]>) throws -> Model {
    guard let token = path.last else { throw DoesNotApply() }
    var taken = Model.null
    try change(path.dropLast()) { container in
      let index = try container.index(token)
      switch container {
      case .array(var elements):
        taken = elements.remove(at: index)
        container = .array(elements)
      case .object(var members):
        taken = members.remove(at: index).value
        container = .object(members)
      default: throw DoesNotApply()
      }
    }
    return taken
  }
}

extension JSONPointer {
  fileprivate var names: ArraySlice<[UInt8]> { tokens.map(Array.init)[...] }
}
