/// One of the two documents, prepared for the comparison.
package struct Side {
  /// The document without white space and without ignored parts, so that the text of a value is its text in a patch.
  package let document: JSONDocument
  /// The document with ignored parts.
  package let whole: JSONDocument
  private let marks: Scope.Marks
  private let digestMask: UInt64

  /// - Parameter digestMask: see `JSONDigests`.
  package init(_ document: JSONDocument, _ scope: Scope, digestMask: UInt64 = .max) throws(FormatError) {
    whole = document.compacted
    (self.document, marks) = try scope.view(of: whole)
    self.digestMask = digestMask
  }

  /// A document of which everything counts.
  package init(_ document: JSONDocument) {
    whole = document.compacted
    self.document = whole
    marks = Scope.Marks()
    digestMask = .max
  }

  /// The digests of a value and of all values in it.
  func digests(_ position: Int) -> [UInt64] {
    JSONDigests.of(value(position), sets: marks.sets, voids: marks.voids, mask: digestMask)
  }

  /// A digest of the text of a value.
  func textDigest(_ position: Int) -> UInt64 { JSONDigests.ofText(value(position)) & digestMask }

  /// A digest of a few bytes of the text of a value.
  func textSample(_ position: Int) -> UInt64 { JSONDigests.ofTextEnds(value(position)) & digestMask }

  /// A digest of a scalar or a name.
  package func scalarDigest(_ position: Int) -> UInt64 { JSONDigests.ofScalar(value(position)) & digestMask }

  package var root: JSONValue { document.root }

  package func value(_ position: Int) -> JSONValue { JSONValue(document: document, position: position) }

  /// The length of the value's text in bytes.
  package func size(_ position: Int) -> Int { document.end(position) - document.start(position) }

  /// Whether the order of this array does not count.
  func isSet(_ position: Int) -> Bool { !marks.sets.isEmpty && marks.sets.contains(position) }

  /// The members that together identify the items of this array, if the user named any.
  func identity(_ position: Int) -> [[UInt8]]? { marks.identities.isEmpty ? nil : marks.identities[position] }

  /// Whether no part of this value is compared: as a member it counts as absent.
  package func isVoid(_ position: Int) -> Bool { !marks.voids.isEmpty && marks.voids.contains(position) }

  /// Whether a part of this container is left out, so that its text has more than is compared.
  func isPruned(_ position: Int) -> Bool { !marks.pruned.isEmpty && marks.pruned.contains(position) }

  /// The tape positions of the items of an array.
  package func items(_ array: Int) -> [Int] { items(from: document.first(array), to: document.last(array)) }

  /// Members that usually identify items, the most common first.
  static let identityNames = ["id", "_id", "key", "uuid", "uri", "url", "slug", "name"].map { Array($0.utf8) }

  /// The names of the members that identify this object for people: those that the user gave, or one that is usual.
  /// - Parameter array: the array of which it is an item.
  package func identifyingMembers(_ object: Int, in array: Int? = nil) -> [JSONValue] {
    let given = array.flatMap(identity)
    let members = (given ?? Self.identityNames).lazy.compactMap { scalarMember(object, $0) }.map {
      JSONValue(document: $0.document, position: $0.position - 1)
    }
    return given == nil ? Array(members.prefix(1)) : Array(members)
  }

  /// The items of an array between two positions.
  func items(from start: Int, to end: Int) -> [Int] {
    var items: [Int] = []
    var position = start
    while position < end {
      items.append(position)
      position = document.next(position)
    }
    return items
  }

  /// The identity of an item.
  /// - Returns: a digest of the values of its members with these names; nil if one is missing, occurs twice, or is not a
  ///   scalar.
  func identity(of item: Int, _ names: [[UInt8]]) -> UInt64? {
    var identity: UInt64 = 0
    for name in names {
      guard let value = scalarMember(item, name) else { return nil }
      identity = JSONDigests.mix(identity, JSONDigests.ofScalar(value))
    }
    return identity
  }

  /// The value of an object's only member of this name, if it identifies: a scalar other than null.
  private func scalarMember(_ object: Int, _ name: [UInt8]) -> JSONValue? {
    // A member that --only did not choose is not compared, but it still identifies an item.
    let place = marks.origins.isEmpty ? object : marks.origins[object]
    let source = marks.origins.isEmpty ? document : whole
    return source.scalarMember(place, name).map { JSONValue(document: source, position: $0) }
  }

  // MARK: Tolerance

  /// The tolerance for the number there.
  func tolerance(at position: Int) -> NumberTolerance? {
    let place = toleranceStart(position)
    return place < 0 ? nil : marks.tolerances[place].tolerance
  }

  /// Whether some numbers in this value, or the value itself, may have a tolerance.
  func isTolerant(_ position: Int) -> Bool {
    if marks.tolerances.isEmpty { return false }
    let end = document.next(position)
    let tolerances = marks.tolerances[max(0, toleranceStart(position))...]
    return tolerances.prefix { $0.start < end }.contains { $0.tolerance != nil }
  }

  /// The index of the last tolerance that starts at this position or before; -1 if there is none.
  private func toleranceStart(_ position: Int) -> Int {
    var (low, high) = (0, marks.tolerances.count)
    while low < high {
      let middle = (low + high) / 2
      if marks.tolerances[middle].start <= position { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}

extension JSONDocument {
  fileprivate var compacted: JSONDocument { isCompact ? self : JSONDocument(known: JSONTree(root).compactText) }

  /// The value of an object's only member of this name, if it is a scalar other than null.
  fileprivate func scalarMember(_ object: Int, _ name: [UInt8]) -> Int? {
    guard kind(object) == .object else { return nil }
    var found: Int?
    var position = first(object)
    let end = last(object)
    while position < end {
      if JSONString.equals(JSONValue(document: self, position: position), name[...]) {
        guard found == nil else { return nil }
        found = position + 1
      }
      position = next(position + 1)
    }
    guard let found, !kind(found).isContainer, kind(found) != .null else { return nil }
    return found
  }
}
