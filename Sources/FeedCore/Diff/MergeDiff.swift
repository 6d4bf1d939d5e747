/// The merge patch (RFC 7386) between two documents: the members of objects that differ, with null for removed ones.
/// Some documents cannot be the result of one, because a null in it always means removal.
package struct MergeDiff {
  /// An object that is being written, with the members still to come. The start is the length of the output before the
  /// object, its name, and the comma.
  private typealias DiffLevel = (name: Int?, members: ArraySlice<DiffMember>, start: Int, isFirst: Bool)

  /// The position of the name in the new document, or if the member is removed, in the old. And the positions of the
  /// values; nil if there is none.
  private typealias DiffMember = (name: Int, old: Int?, new: Int?)

  private var sides: Sides
  private var output: [UInt8] = []
  private var levels: [DiffLevel] = []

  /// - Parameter new: must be the result of the patch, so it must not have null as a member where the two differ.
  package init(_ old: Side, _ new: Side) { sides = Sides(old: old, new: new) }

  /// - Returns: the patch as compact JSON text; nil if the documents are equal.
  /// - Throws: if the new document has a value that a merge patch cannot express.
  package mutating func patch() throws(PatchFailure) -> [UInt8]? {
    if sides.haveSameText(0, 0) || (sides.old.isVoid(0) && sides.new.isVoid(0)) { return nil }
    guard sides.old.document.kind(0) == .object, sides.new.document.kind(0) == .object else {
      if sides.areEqualFromStart(0, 0) { return nil }
      // If the old document is not an object, the patch replaces it, or is merged into an empty object.
      try check(0)
      return sides.new.value(0).text
    }
    levels.append((nil, try members(0, 0, nil)[...], 0, true))
    output.append(UInt8(ascii: "{"))
    var isSame = true
    while let level = levels.last {
      guard let member = level.members.first else {
        levels.removeLast()
        close(level)
        isSame = level.isFirst
        continue
      }
      levels[levels.count - 1].members.removeFirst()
      try write(member)
    }
    return isSame ? nil : output
  }

  /// Writes a member that differs. An object on both sides is opened, and its members come next.
  private mutating func write(_ member: DiffMember) throws(PatchFailure) {
    let start = output.count
    if let level = levels.last, !level.isFirst { output.append(UInt8(ascii: ",")) }
    let side = member.new == nil ? sides.old : sides.new
    output += side.document.bytes[side.value(member.name).range]
    output.append(UInt8(ascii: ":"))
    if let old = member.old, let new = member.new, areObjects(old, new) {
      // Its members are patched individually.
      let members = try members(old, new, member.name)
      levels.append((member.name, members[...], start, true))
      return output.append(UInt8(ascii: "{"))
    }
    levels[levels.count - 1].isFirst = false
    guard let new = member.new else { return output += Array("null".utf8) }
    try check(new, named: member.name)
    output += sides.new.document.bytes[sides.new.value(new).range]
  }

  /// Ends an object; it is withdrawn if nothing in it differs.
  private mutating func close(_ level: DiffLevel) {
    if level.isFirst { return output.removeSubrange(level.start...) }
    output.append(UInt8(ascii: "}"))
    if !levels.isEmpty { levels[levels.count - 1].isFirst = false }
  }

  private func areObjects(_ old: Int, _ new: Int) -> Bool {
    sides.old.document.kind(old) == .object && sides.new.document.kind(new) == .object
  }

  private mutating func mayDiffer(_ old: Int, _ new: Int) -> Bool {
    areObjects(old, new) ? sides.mayDiffer(old, new) : !sides.areEqualFromStart(old, new)
  }

  /// The members of two objects that differ or are only in one: first those of the old object, in its order.
  private mutating func members(_ old: Int, _ new: Int, _ name: Int?) throws(PatchFailure) -> [DiffMember] {
    guard let (olds, news, partners) = paired(old, new) else {
      if sides.areEqualFromStart(old, new) { return [] }
      throw Self.cannotExpress(Self.repeatedName, at: pointer(name))
    }
    var members: [DiffMember] = []
    for (name, partner) in zip(olds.names, partners) {
      if partner < 0 {
        if !sides.old.isVoid(name + 1) { members.append((name, name + 1, nil)) }
      } else if mayDiffer(name + 1, news.names[partner] + 1) {
        members.append((news.names[partner], name + 1, news.names[partner] + 1))
      }
    }
    for name in news.names(without: partners) where !sides.new.isVoid(name + 1) {
      members.append((name, nil, name + 1))
    }
    return members
  }

  /// The members of two objects.
  /// - Returns: nil if an object names a member twice.
  private func paired(_ old: Int, _ new: Int) -> (olds: Members, news: Members, partners: [Int])? {
    var (olds, news) = (Members(sides.old, old), Members(sides.new, new))
    if let partners = olds.partners(in: news) { return (olds, news, partners) }
    // It may be that only digests are the same.
    var numbers: [[UInt8]: UInt64] = [:]
    olds = Members(sides.old, old, numbers: &numbers)
    news = Members(sides.new, new, numbers: &numbers)
    return olds.partners(in: news).map { (olds, news, $0) }
  }

  /// Checks a value that goes into the patch as a whole: it must not contain a null that would mean removal. Nulls in
  /// arrays do not.
  private func check(_ value: Int, named name: Int? = nil) throws(PatchFailure) {
    var open: [(object: JSONChildren, name: [UInt8])] = []
    func pointer(_ last: [UInt8]?) -> JSONPointer {
      let inside = open.dropFirst().map(\.name) + (last.map { [$0] } ?? [])
      return inside.reduce(self.pointer(name)) { $0.appending($1) }
    }
    func enter(_ value: Int, _ name: [UInt8]?) throws(PatchFailure) {
      switch sides.new.document.kind(value) {
      case .null where !levels.isEmpty || name != nil:
        throw Self.cannotExpress("the null", at: pointer(name))
      case .object:
        guard sides.new.value(value).repeatedName == nil else {
          throw Self.cannotExpress(Self.repeatedName, at: pointer(name))
        }
        open.append((sides.new.value(value).children, name ?? []))
      case .null, .true, .false, .number, .string, .escapedString, .array: break
      }
    }
    // Parts that are left out of the comparison are still in the text.
    if sides.new.document !== sides.new.whole,
      !JSONDocument(known: sides.new.value(value).text).root.everyObject({ $0.repeatedName == nil })
    {
      throw Self.cannotExpress(Self.repeatedName, at: pointer(nil))
    }
    try enter(value, nil)
    while !open.isEmpty {
      if let child = open[open.count - 1].object.next() {
        try enter(child.value.position, child.key.map(JSONString.decoded))
      } else {
        open.removeLast()
      }
    }
  }

  private static let repeatedName = "an object that names a member twice"

  private static func cannotExpress(_ what: String, at pointer: JSONPointer) -> PatchFailure {
    PatchFailure("a merge patch cannot express \(what) at \(pointer.tokens.isEmpty ? "the top" : pointer.shown)")
  }

  private func pointer(_ name: Int?) -> JSONPointer {
    let names = levels.compactMap(\.name) + (name.map { [$0] } ?? [])
    return JSONPointer(tokens: names.map { JSONString.decoded(sides.new.value($0)) })
  }
}
