/// A random JSON document that can be changed at random.
public indirect enum JSONDraft {
  /// Its text.
  case scalar(String)
  case array([JSONDraft])
  case object([Member])

  public struct Member {
    /// The name with its quotes.
    public var name: String
    public var value: JSONDraft

    public init(name: String, value: JSONDraft) {
      self.name = name
      self.value = value
    }
  }

  /// Returns a number below its argument: from a random number generator, or from the bytes of a fuzzer.
  public typealias Pick = (Int) -> Int

  public var text: String {
    switch self {
    case .scalar(let text): text
    case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\($0.name):\($0.value.text)" }.joined(separator: ",") + "}"
    }
  }

  public static let scalars = [
    "0", "-0", "1", "1.0", "10e-1", "2", "3", "7", "1e400", "10e399", "12345678901234567890", "9007199254740993",
    "0.00001", "-5", "\"a\"", "\"\\u0061\"", "\"\"", "\"\u{E9}\"", "\"e\u{301}\"", "\"01234567\"", "\"x\\n\"", "null",
    "true", "false", "\"a longer text, which it costs something to write again\"",
  ]

  /// The last two are other spellings of names in the list.
  public static let names = [
    "a", "b", "id", "name", "c", "", "/", "~", "~1", "a/b", "m~n", "0", "01", "-", "\u{E9}", "e\u{301}", "\\\"", "*",
    "\\u0061", "i\\u0064",
  ].map { "\"\($0)\"" }

  // MARK: Making one

  public static func random(depth: Int, _ pick: Pick) -> JSONDraft {
    switch depth == 0 ? 0 : pick(6) {
    case 0, 1: .scalar(scalars[pick(scalars.count)])
    case 2: .array((0..<pick(6)).map { _ in random(depth: depth - 1, pick) })
    case 3: .array(uniformItems(depth: depth, pick))
    default: randomObject(depth: depth, pick)
    }
  }

  /// Items of one kind, as in most arrays.
  private static func uniformItems(depth: Int, _ pick: Pick) -> [JSONDraft] {
    let count = pick(16)
    switch pick(4) {
    case 0: return (0..<count).map { .scalar("\($0)") }
    case 1: return (0..<count).map { _ in .scalar("\(pick(3))") }
    case 2:
      return (0..<count).map { number in
        let more = randomMembers(depth: depth - 1, pick).filter { !$0.name.contains("i") }
        return .object([Member(name: "\"id\"", value: .scalar("\(number)"))] + more)
      }
    default: return (0..<count).map { _ in .array((0..<pick(3)).map { _ in .scalar("\(pick(2))") }) }
    }
  }

  private static func randomObject(depth: Int, _ pick: Pick) -> JSONDraft {
    // Sometimes more members than are searched one by one.
    if pick(20) == 0 {
      return .object((0..<20).map { Member(name: "\"k\($0)\"", value: random(depth: 0, pick)) })
    }
    return .object(randomMembers(depth: depth, pick))
  }

  private static func randomMembers(depth: Int, _ pick: Pick) -> [Member] {
    var members: [Member] = []
    for _ in 0..<pick(5) {
      let name = randomName(pick)
      // A duplicate name is rare.
      if members.contains(where: { $0.name == name }), pick(20) > 0 { continue }
      members.append(Member(name: name, value: random(depth: max(0, depth - 1), pick)))
    }
    return members
  }

  private static func randomName(_ pick: Pick) -> String { names[pick(pick(10) == 0 ? names.count : names.count - 2)] }

  // MARK: Changing it

  /// Makes one change somewhere.
  public mutating func mutate(_ pick: Pick) {
    switch self {
    case .scalar: self = .random(depth: 1, pick)
    case .array(var items):
      if !items.isEmpty, pick(2) == 0 {
        items[pick(items.count)].mutate(pick)
      } else {
        Self.change(&items, pick)
      }
      self = .array(items)
    case .object(var members):
      if !members.isEmpty, pick(4) > 0 {
        members[pick(members.count)].value.mutate(pick)
      } else {
        Self.change(&members, pick)
      }
      self = .object(members)
    }
  }

  private static func change(_ items: inout [JSONDraft], _ pick: Pick) {
    let count = items.count
    guard count > 0 else { return items.append(.random(depth: 2, pick)) }
    switch pick(9) {
    case 0: items.insert(.random(depth: 2, pick), at: pick(count + 1))
    case 1: items.remove(at: pick(count))
    case 2: items[pick(count)] = .random(depth: 2, pick)
    case 3, 4:
      let item = items.remove(at: pick(count))
      items.insert(item, at: pick(count))
    case 5: items.reverse()
    case 6: items.swapAt(pick(count), pick(count))
    case 7: items.insert(items[pick(count)], at: pick(count + 1))
    default:
      // Removes some at the head, as in a feed.
      items.removeFirst(1 + pick(count))
    }
  }

  private static func change(_ members: inout [Member], _ pick: Pick) {
    let count = members.count
    guard count > 0 else { return members.append(Member(name: randomName(pick), value: .random(depth: 2, pick))) }
    switch pick(5) {
    case 0: members.insert(Member(name: randomName(pick), value: .random(depth: 2, pick)), at: pick(count + 1))
    case 1: members.remove(at: pick(count))
    case 2: members[pick(count)].name = randomName(pick)
    case 3: members.reverse()
    default: members[pick(count)].value = .random(depth: 2, pick)
    }
  }

  // MARK: Other spellings

  /// An equal document with a text as different as possible.
  public var respelled: JSONDraft {
    switch self {
    case .scalar(let text): .scalar(Self.respelled(text))
    case .array(let items): .array(items.map(\.respelled))
    case .object(let members): .object(Self.respelled(members))
    }
  }

  private static func respelled(_ members: [Member]) -> [Member] {
    let others = members.map { Member(name: respelled($0.name), value: $0.value.respelled) }
    // If a name occurs twice, the order counts. Escaped spellings of a name are not recognised here.
    let names = Set(members.map { Array($0.name.utf8) })
    let isPlain = names.count == members.count && !names.contains { $0.contains(UInt8(ascii: "\\")) }
    return isPlain ? others.reversed() : others
  }

  private static func respelled(_ text: String) -> String {
    let bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "\"") {
      if bytes.contains(UInt8(ascii: "\\")) { return text }
      return text.unicodeScalars.map { $0 == "a" || $0 == "0" ? "\\u00\(String($0.value, radix: 16))" : String($0) }
        .joined()
    }
    guard bytes.last.map({ $0 &- UInt8(ascii: "0") < 10 }) == true, !bytes.contains(where: { $0 | 0x20 == 0x65 }) else {
      return text
    }
    return text + (bytes.contains(UInt8(ascii: ".")) ? "0e+00" : ".00")
  }
}
