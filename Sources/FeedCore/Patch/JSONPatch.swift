// JSON Patch, RFC 6902. The whole patch is read before anything changes, so a malformed patch is refused first. If it
// fails half-way, what it has done to the tree is taken back.

/// The kinds of patch, by their names on the command line.
package enum PatchType: String, CaseIterable { case jsonPatch = "json-patch", mergePatch = "merge-patch" }

/// A list of operations that can be applied to a document.
package struct JSONPatch: Sendable {
  /// In the order in which they are applied.
  package var operations: [Operation]

  package init(_ operations: [Operation] = []) { self.operations = operations }

  /// One operation (RFC 6902 §4).
  package enum Operation: Sendable {
    case add(JSONTree, at: JSONPointer)
    case remove(JSONPointer)
    case replace(JSONPointer, with: JSONTree)
    case move(JSONPointer, to: JSONPointer)
    case copy(JSONPointer, to: JSONPointer)
    case test(JSONPointer, equals: JSONTree)

    /// The value of the `op` member.
    package var name: String {
      switch self {
      case .add: "add"
      case .remove: "remove"
      case .replace: "replace"
      case .move: "move"
      case .copy: "copy"
      case .test: "test"
      }
    }

    /// The value of the `path` member.
    package var path: JSONPointer {
      switch self {
      case .add(_, let path), .remove(let path), .replace(let path, _), .move(_, let path), .copy(_, let path),
        .test(let path, _):
        path
      }
    }

    /// The value that it puts or tests.
    var value: JSONTree? {
      switch self {
      case .add(let value, _), .replace(_, let value), .test(_, let value): value
      case .remove, .move, .copy: nil
      }
    }
  }

  /// - Parameter value: should be an array of operation objects.
  package init(_ value: JSONValue, _ options: PatchOptions = PatchOptions()) throws(FormatError) {
    if Self.isOperation(value) {
      throw FormatError("this is one operation; a JSON Patch is an array of them", at: value)
    }
    guard value.kind == .array else {
      throw FormatError("a JSON Patch is an array of operations, not \(value.kind.name)", at: value)
    }
    operations = []
    // An operation takes at least seven words of the tape.
    operations.reserveCapacity((value.document.last(value.position) - value.position) / 7)
    for child in value.children {
      let element = child.value
      operations.append(try Self.operation(element, number: operations.count + 1, options.maxDepth))
    }
  }

  // MARK: Recognising operations

  /// Whether a value is an operation outside an array: an object with `op` and `path`.
  package static func isOperation(_ value: JSONValue) -> Bool {
    value.kind == .object && value.member("op") != nil && value.member("path") != nil
  }

  /// Whether a value is clearly an operation of RFC 6902.
  package static func isKnownOperation(_ value: JSONValue) -> Bool {
    isOperation(value) && (try? operation(value, number: 1, .max)) != nil
  }

  /// Whether a value is a non-empty array of operations.
  package static func looksLikePatch(_ value: JSONValue) -> Bool {
    value.kind == .array && value.children.contains { _ in true }
      && value.children.allSatisfy { isKnownOperation($0.value) }
  }

  // MARK: Reading one operation

  private static let names = ShortNames("add", "remove", "replace", "move", "copy", "test")
  private static let memberNames = ShortNames("op", "path", "from", "value")

  /// Reads one operation. Members that RFC 6902 does not know are ignored (§4).
  /// - Parameter number: for messages, from 1.
  private static func operation(
    _ element: JSONValue, number: Int, _ maxDepth: Int
  ) throws(FormatError) -> Operation {
    func error(_ message: String, _ value: JSONValue? = nil, limit: Limit? = nil) -> FormatError {
      FormatError("op \(number): " + message, at: value ?? element, limit: limit)
    }
    guard element.kind == .object else { throw error("an operation is an object, not \(element.kind.name)") }
    // The tape positions of the members that have a meaning, in the order of `memberNames`.
    var places: [4 of Int] = .init(repeating: 0)
    try memberNames.visitMembers(of: element) { (name, key) throws(FormatError) in
      // RFC 6902 §4: exactly once each. Two readers must not read it as two different patches.
      guard places[name] == 0 else {
        let text = "member '\(quoted(memberNames[name]))' occurs more than once"
        throw error(text, JSONValue(document: element.document, position: key))
      }
      places[name] = key + 1
    }
    func member(_ name: Int) -> JSONValue? {
      places[name] == 0 ? nil : JSONValue(document: element.document, position: places[name])
    }

    func pointer(_ value: JSONValue?, _ name: String) throws(FormatError) -> JSONPointer {
      guard let value else { throw error("no '\(name)'") }
      guard value.kind.isString else { throw error("'\(name)' is \(value.kind.name), not a string", value) }
      do { return try JSONPointer(of: value, maxDepth: maxDepth) } catch let problem {
        throw error("'\(name)': " + problem.message, value, limit: problem.limit)
      }
    }
    func tree() throws(FormatError) -> JSONTree {
      guard let value = member(3) else { throw error("no 'value'") }
      return JSONTree(value)
    }

    guard let op = member(0) else { throw error("no 'op'") }
    guard op.kind.isString else { throw error("'op' is \(op.kind.name), not a string", op) }
    guard let name = names.index(of: op) else {
      throw error("unknown op '\(shortened(JSONString.decoded(op)))'", op)
    }
    let target = try pointer(member(1), "path")
    switch name {
    case 0: return .add(try tree(), at: target)
    case 1: return .remove(target)
    case 2: return .replace(target, with: try tree())
    case 3: return .move(try pointer(member(2), "from"), to: target)
    case 4: return .copy(try pointer(member(2), "from"), to: target)
    default: return .test(target, equals: try tree())
    }
  }
}

extension JSONPatch {
  /// Writes the patch as JSON: an array with one operation a line, or all on one line.
  package func write(compact: Bool, to output: inout ByteWriter) {
    output.append(UInt8(ascii: "["))
    for (index, operation) in operations.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      if !compact { output.append("\n  ") }
      operation.write(to: &output)
    }
    if !compact && !operations.isEmpty { output.append(UInt8(ascii: "\n")) }
    output.append(UInt8(ascii: "]"))
  }
}

extension JSONPatch.Operation {
  func write(to output: inout ByteWriter) {
    func pointer(_ member: StaticString, _ pointer: JSONPointer) {
      output.append(member)
      JSONString.write(pointer.text.span, to: &output)
    }
    output.append("{\"op\":\"" + name + "\"")
    switch self {
    case .move(let from, _), .copy(let from, _): pointer(",\"from\":", from)
    case .add, .remove, .replace, .test: break
    }
    pointer(",\"path\":", path)
    if let value {
      output.append(",\"value\":")
      JSONWriter.writeCompact(value, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}
