import FeedCore

/// What a reader of the records has of a document, and what the input says of it.
struct DiffedDocument {
  /// The document that the reader of the records has now.
  private(set) var current: Side?
  /// The id of the last event; empty before the first, and if events have none.
  private(set) var id: [UInt8] = []
  /// How many changes were printed since the last whole document.
  var changesSinceFull = 0
  /// The document of the input, if the input is event records.
  var input = DocumentStream()

  /// How many of the losses of `Follow` it knows.
  private var losses = 0

  /// Less than this is not worth freeing; with many documents, so many bytes for each may be large.
  private static let attachedBytes = 4096

  init(_ options: Options) {
    input.options.maxDepth = options.maxDepth
    input.options.maxSize = options.maxSize
    input.attachedBeforeRebase = Self.attachedBytes
  }

  /// Skips all changes until the next whole document if one may have been lost.
  mutating func countLosses(_ count: Int) {
    if losses != count { input.loseSync() }
    losses = count
  }

  /// - Parameter id: of the event that brings it; nil if events have none.
  mutating func hold(_ side: Side, id: [UInt8]?) {
    current = side
    self.id = id ?? []
  }

  /// The document of the input; nil if the reader has it already.
  mutating func news() -> JSONDocument? {
    guard let tree = input.document else { return nil }
    var text = ByteWriter()
    JSONWriter.writeCompact(tree, to: &text)
    if let current, current.whole.bytes == text.buffer {
      share(current)
      return nil
    }
    return JSONDocument(known: text.take())
  }

  /// Holds the document of the input only once, if it is the one that the reader has.
  mutating func share(_ side: Side) { input.begin(with: JSONTree(side.whole.root)) }
}
