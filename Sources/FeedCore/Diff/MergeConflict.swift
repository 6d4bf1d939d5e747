// Where both sides of a merge changed the same value.

/// A conflict, for messages.
package struct MergeConflict {
  /// With the indexes of OURS; the last one is of THEIRS if the value is only there.
  package let pointer: JSONPointer
  /// Nil if both sides added something.
  package let base: JSONValue?
  /// The values of each side; none if the side removed it, several if it added several elements.
  package let ours: [JSONValue]
  package let theirs: [JSONValue]

  /// `conflict at /version: OURS has "1.1", THEIRS has "1.2"`
  package var message: String {
    let place = pointer.tokens.isEmpty ? "the top" : pointer.shown
    return "conflict at \(place): OURS \(words(ours)), THEIRS \(words(theirs))" + (isOrder ? "; the orders differ" : "")
  }

  /// Whether both sides have put the items of an array in an order of their own: all other arrays are merged.
  private var isOrder: Bool { [base, ours.first, theirs.first].allSatisfy { $0?.kind == .array } }

  private func words(_ values: [JSONValue]) -> String {
    guard let first = values.first else { return "removes it" }
    let verb = base == nil ? "adds" : "has"
    return "\(verb) \(beginning(of: first.text, upTo: Self.limit))"
      + (values.count > 1 ? " and \(values.count - 1) more" : "")
  }

  /// Two values and the pointer fit on a line or two.
  private static let limit = 60
}

/// Children of a container, next to one another, of which one side or the other must be chosen.
package struct ConflictRegion {
  /// How the children of a side are separated.
  enum Commas {
    case after
    case before
    case between
  }

  /// What a value is found by.
  struct Key: Hashable {
    let document: ObjectIdentifier
    let position: Int

    init(_ value: JSONValue) {
      document = ObjectIdentifier(value.document)
      position = value.position
    }
  }

  let ours: [JSONValue]
  let theirs: [JSONValue]
  var commas = Commas.between

  /// Whether a child is there, whichever side is chosen.
  var hasBothSides: Bool { !ours.isEmpty && !theirs.isEmpty }
}
