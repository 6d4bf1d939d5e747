// Where the name and the ID of an event are in its data: `--event-from` and `--id-from`, for all tools that make records
// of what comes.

/// The values of the options.
package struct EventPointers: Equatable, Sendable {
  package private(set) var event: JSONPointer?
  package private(set) var id: JSONPointer?

  package static let eventFrom = OptionRow<EventPointers>(
    "event-from", .pointer("/type"), \.event, "where to find the event name in the data")
  package static let idFrom = OptionRow<EventPointers>(
    "id-from", .pointer("/id"), \.id, "where to find the ID in the data")

  package init() {}

  /// Whether the data must be parsed.
  package var looksInside: Bool { event != nil || id != nil }

  /// The event name that data has, or else another one.
  /// - Parameter document: the data; nil if it is not JSON.
  package func name(in document: JSONDocument?, or other: [UInt8]) -> [UInt8] {
    Self.label(document, at: event, or: other)
  }

  /// The same for the ID.
  package func id(in document: JSONDocument?, or other: [UInt8] = []) -> [UInt8] {
    Self.label(document, at: id, or: other)
  }

  private static func label(_ document: JSONDocument?, at pointer: JSONPointer?, or other: [UInt8]) -> [UInt8] {
    guard let document, let label = pointer.map(document.root.label(at:)), !label.isEmpty else { return other }
    return label
  }
}

extension JSONValue {
  /// This value as the name or the ID of an event: the text of a string, or a number, `true` or `false` as written.
  /// - Returns: empty if it is none: null, an object, an array, or half of a surrogate pair.
  package var label: [UInt8] {
    guard kind != .null, let word, word.isUTF8 else { return [] }
    return word
  }

  /// The same for the value at `pointer`; empty if there is none.
  package func label(at pointer: JSONPointer) -> [UInt8] { value(at: pointer)?.label ?? [] }
}
