// A document kept up to date by event records: `data` (or `snapshot`) replaces it, `patch` is an RFC 6902 patch,
// `merge` an RFC 7386 one, `error` a message; all else is passed over.

package struct DocumentStream {
  /// What a record did.
  package enum Outcome: Equatable, Sendable {
    /// It brought a whole document.
    case document
    /// It changed the document.
    case change
    /// It is a message of the sender.
    case message([UInt8])
    /// It was a change, but the document that it is for was lost before.
    case skipped
    /// Not an event of a document stream.
    case other
  }

  package struct Failure: MessageError {
    package let message: String
    /// In the bytes of the record's document; nil when it concerns the whole record.
    package let offset: Int?
    /// Whether the record is malformed, as against a change that does not fit the document.
    package let isMalformed: Bool
  }

  /// What the events are called in this stream.
  package var dataEvent = Array("data".utf8)
  package var patchEvent = Array("patch".utf8)
  package var options = PatchOptions()
  package var maxOperations = JSONPatch.defaultMaxOperations

  /// The document, when there is one.
  package private(set) var document: JSONTree?
  /// The id that came last: that of `document`.
  package private(set) var id: [UInt8] = []
  /// A change failed, so what the other side has is not known until the next whole document.
  private var isOutOfSync = false

  /// Takes no changes any more until the next whole document: one has been missed.
  package mutating func loseSync() { isOutOfSync = true }
  /// How many bytes of records the tree may be holding on to, beside the document that it began with.
  private var attached = 0

  /// Below this, held records are not worth the work.
  private static let attachedBeforeRebase = 1 << 20
  private static let snapshotEvent = Array("snapshot".utf8)
  private static let mergeEvent = Array("merge".utf8)
  private static let errorEvent = Array("error".utf8)

  package init() {}

  /// Begins with a document from elsewhere.
  package mutating func begin(with document: JSONTree, id: [UInt8] = []) {
    self.document = document
    self.id = id
    isOutOfSync = false
    attached = 0
  }

  /// The value at `pointer`; nil when it, or the document, is not there.
  package mutating func value(at pointer: JSONPointer) -> JSONTree? {
    do { return try document?.value(at: pointer) } catch { return nil }
  }

  /// Takes one record in. After a failure the document is as it was, and changes are skipped until the next whole one.
  package mutating func apply(_ record: EventRecord) throws(Failure) -> Outcome {
    do { return try outcome(of: record) } catch {
      isOutOfSync = true
      throw error
    }
  }

  private mutating func outcome(of record: EventRecord) throws(Failure) -> Outcome {
    switch record.event {
    case dataEvent, Self.snapshotEvent:
      begin(with: JSONTree(try payload(record)), id: record.id)
      return .document
    case patchEvent: return try change(record, isMerge: false)
    case Self.mergeEvent: return try change(record, isMerge: true)
    case Self.errorEvent:
      guard let data = record.data else { return .message([]) }
      return .message(data.string ?? data.text)
    default:
      return .other
    }
  }

  private func applyPatch(
    _ payload: JSONValue, of record: EventRecord, to document: inout JSONTree
  ) throws(Failure) {
    let patch: JSONPatch
    do { patch = try JSONPatch(payload, maxOperations: maxOperations) } catch {
      // The offset is one in the record only when the patch is not in a string of its own.
      let isInRecord = payload.document === record.data?.document
      throw Failure(message: error.message(), offset: isInRecord ? error.offset : nil, isMalformed: true)
    }
    do { try patch.apply(to: &document, options) } catch {
      throw Failure(message: error.message(), offset: nil, isMalformed: error.isMalformed)
    }
  }

  private func applyMerge(_ payload: JSONValue, to document: inout JSONTree) throws(Failure) {
    var undo: UndoLog?
    do { try MergePatch.apply(payload, to: &document, options, undo: &undo) } catch {
      throw Failure(message: error.message(), offset: nil, isMalformed: error.isMalformed)
    }
  }

  private mutating func change(_ record: EventRecord, isMerge: Bool) throws(Failure) -> Outcome {
    if isOutOfSync { return .skipped }
    guard var changed = document else {
      throw Failure(message: "a change came before any document", offset: nil, isMalformed: true)
    }
    let payload = try payload(record)
    if isMerge { try applyMerge(payload, to: &changed) } else { try applyPatch(payload, of: record, to: &changed) }
    document = changed
    id = record.id
    attached += payload.document.bytes.count
    rebase()
    return .change
  }

  /// The value of `data`; where that is a string, the JSON in it.
  private func payload(_ record: EventRecord) throws(Failure) -> JSONValue {
    do {
      if let value = try record.document(maxDepth: options.maxDepth) { return value }
    } catch {
      throw Failure(message: error.message(), offset: error.offset, isMalformed: true)
    }
    throw Failure(message: "no 'data'", offset: nil, isMalformed: true)
  }

  /// Gives the tree a text of its own once the records that it holds on to outweigh it.
  ///
  /// A value put in keeps its whole record alive, and goes on doing so when all but a byte of it has been replaced.
  /// Writing the document out costs what those records cost to read, so it pays for itself, and bounds the memory.
  private mutating func rebase() {
    guard let tree = document else { return }
    let isOutweighed = attached > max(Self.attachedBeforeRebase, tree.size)
    // A bound past the limit makes every change look at the whole tree; a new text has an exact one.
    guard isOutweighed || tree.depthBound > options.maxDepth else { return }
    var writer = ByteWriter()
    JSONWriter.writeCompact(tree, to: &writer)
    document = JSONTree(JSONDocument(known: writer.take()).root)
    attached = 0
  }
}
