// One of the two documents, ready to be compared.

import FeedCore

struct Side {
  /// Without white space, so that the text of a value is what a patch says of it, and without what is ignored.
  let document: JSONDocument
  /// With what is ignored.
  let whole: JSONDocument
  private let marks: Scope.Marks
  private let digestMask: UInt64

  /// - Parameter digestMask: see `JSONDigests`.
  init(_ document: JSONDocument, _ scope: Scope, digestMask: UInt64 = .max) throws(Scope.IndexMismatch) {
    whole = document.isCompact ? document : Self.compacted(document)
    (self.document, marks) = try scope.view(of: whole)
    self.digestMask = digestMask
  }

  /// - Parameter source: where the document is from, for messages; nil where it was made here.
  init(_ document: JSONDocument, _ scope: Scope, of source: String?, record: String? = nil) throws(ToolFailure) {
    do { try self.init(document, scope) } catch {
      throw .failed(.trouble, error.message, source: source, record: record)
    }
  }

  /// A cache for the digests of this side, with nothing in it.
  var digests: DigestCache { DigestCache(document, sets: marks.sets, voids: marks.voids, mask: digestMask) }

  /// A digest of the text of a value.
  func textDigest(_ position: Int) -> UInt64 { JSONDigests.ofText(value(position)) & digestMask }

  /// A digest of a scalar or a name.
  func scalarDigest(_ position: Int) -> UInt64 { JSONDigests.ofScalar(value(position)) & digestMask }

  var root: JSONValue { document.root }

  func value(_ position: Int) -> JSONValue { JSONValue(document: document, position: position) }

  /// How many bytes the value's text has.
  func size(_ position: Int) -> Int { document.end(position) - document.start(position) }

  /// Whether the order of this array does not count.
  func isSet(_ position: Int) -> Bool { !marks.sets.isEmpty && marks.sets.contains(position) }

  /// The member that tells the items of this array apart, where somebody said so.
  func identity(_ position: Int) -> [UInt8]? { marks.identities.isEmpty ? nil : marks.identities[position] }

  /// Whether all of it counts, and in order.
  var isWhole: Bool { document === whole && !hasMarks && marks.origins.isEmpty }

  /// Whether values are compared otherwise than by what they are.
  var hasMarks: Bool { !marks.sets.isEmpty || !marks.voids.isEmpty }

  /// Whether nothing of this value is compared: as a member it is as good as absent.
  func isVoid(_ position: Int) -> Bool { !marks.voids.isEmpty && marks.voids.contains(position) }

  /// Whether something in this container is left out, so that its text says more than what is compared.
  func isPruned(_ position: Int) -> Bool { !marks.pruned.isEmpty && marks.pruned.contains(position) }

  func items(_ array: Int) -> [Int] { items(from: document.first(array), to: document.last(array)) }

  /// Members that tell items apart, the likeliest first.
  static let identityNames = ["id", "_id", "key", "uuid", "uri", "url", "slug", "name"].map { Array($0.utf8) }

  /// The name of the member by which people know this object, if it has one.
  func identifyingMember(_ object: Int) -> Int? {
    for name in Self.identityNames {
      if let value = document.scalarMember(object, name) { return value - 1 }
    }
    return nil
  }

  /// The items of an array from one position to another.
  func items(from start: Int, to end: Int) -> [Int] {
    var items: [Int] = []
    var position = start
    while position < end {
      items.append(position)
      position = document.next(position)
    }
    return items
  }

  /// What an item has as its identity.
  /// - Returns: a digest of the value of its only member of this name; nil where there is none, or it is no scalar.
  func identity(of item: Int, _ name: [UInt8]) -> UInt64? {
    // What --only did not choose is not compared, but an item is known by it all the same.
    let place = marks.origins.isEmpty ? item : marks.origins[item]
    let source = marks.origins.isEmpty ? document : whole
    return source.scalarMember(place, name).map { JSONDigests.ofScalar(JSONValue(document: source, position: $0)) }
  }

  private static func compacted(_ document: JSONDocument) -> JSONDocument {
    var writer = ByteWriter()
    JSONWriter.writeCompact(JSONTree(document.root), to: &writer)
    return JSONDocument(known: writer.take())
  }
}

extension JSONDocument {
  /// The value of an object's only member of this name, if it is a scalar but null.
  fileprivate func scalarMember(_ object: Int, _ name: [UInt8]) -> Int? {
    guard kind(object) == .object else { return nil }
    var found: Int?
    var position = first(object)
    let end = last(object)
    while position < end {
      if JSONString.equals(JSONValue(document: self, position: position), name) {
        guard found == nil else { return nil }
        found = position + 1
      }
      position = next(position + 1)
    }
    guard let found, !kind(found).isContainer, kind(found) != .null else { return nil }
    return found
  }
}
