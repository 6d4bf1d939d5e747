import FeedCore

/// The event name of each message (`--event-from`), and whether it is wanted (`--event`, `--drop`). Messages in a row
/// often have the same name. So the last one is kept: it is compared in place, and not copied or looked up again.
struct EventNames {
  private static let message = Array("message".utf8)
  static let binary = Array("binary".utf8)

  private let pointer: JSONPointer?
  private let wanted: [[UInt8]]
  private let dropped: [[UInt8]]
  /// The value that was found last. Empty if there was none.
  private var found: [UInt8] = []
  /// The name of the last message.
  private(set) var name = Self.message
  /// Whether the last message is to be printed.
  private(set) var isWanted = false
  let isBinaryWanted: Bool

  init(_ options: Options) {
    pointer = options.eventFrom
    wanted = options.events
    dropped = options.dropped
    isBinaryWanted = Self.isWanted(Self.binary, wanted, dropped)
    isWanted = Self.isWanted(name, wanted, dropped)
  }

  /// Finds the name of a text message. It is never the one that marks base64 data.
  /// - Parameter document: nil if the text is not JSON.
  mutating func find(in document: JSONDocument?) {
    guard let pointer else { return }
    guard let document, let value = document.position(of: pointer, comparedTo: found) else { return set([]) }
    if !value.isSame { set(JSONValue(document: document, position: value.position).word ?? []) }
  }

  private mutating func set(_ value: [UInt8]) {
    guard value != found else { return }
    found = value
    name = value.isEmpty || value == Self.binary ? Self.message : value
    isWanted = Self.isWanted(name, wanted, dropped)
  }

  private static func isWanted(_ name: [UInt8], _ wanted: [[UInt8]], _ dropped: [[UInt8]]) -> Bool {
    (wanted.isEmpty || wanted.contains(name)) && !dropped.contains(name)
  }
}
