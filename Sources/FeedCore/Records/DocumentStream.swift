/// A document kept up to date by event records: `data` (or `snapshot`) replaces it, `patch` is an RFC 6902 patch,
/// `merge` an RFC 7386 one, `error` a message; all other events are ignored.
package struct DocumentStream {
  /// What a record did.
  package enum RecordEffect: Equatable, Sendable {
    /// It brought a whole document.
    case document
    /// It changed the document.
    case change
    /// It is a message of the sender.
    case message([UInt8])
    /// It was a change, but an earlier failure has left the document out of date.
    case skipped
    /// Not an event of a document stream.
    case other
  }

  /// Why a record was not applied.
  package struct RecordFailure: MessageError {
    package let message: String
    /// In the bytes of the record's document; nil if the error concerns the whole record.
    package let offset: Int?
    /// Whether the record is malformed, rather than a change that does not fit the document.
    package let isMalformed: Bool
  }

  /// The event names of this stream.
  package var dataEvent = DocumentEvent(Array("data".utf8))
  package var patchEvent = DocumentEvent(Array("patch".utf8))
  package var options = PatchOptions()

  /// The document, if there is one.
  package private(set) var document: JSONTree?
  /// The id of the last event that was applied to `document`.
  package private(set) var id: [UInt8] = []
  /// Whether a change failed. The sender's document is unknown until it sends a whole one.
  private var isOutOfSync = false

  /// Skips all changes until the next whole document, because one was missed.
  package mutating func loseSync() { isOutOfSync = true }
  /// At most this many bytes of records are kept alive by the tree, besides the document that it began with.
  private var attached = 0

  /// Below this size in bytes, freeing held records is not worth the work. It is less where there are many documents.
  package var attachedBeforeRebase = 1 << 20
  private static let snapshotEvent = Array("snapshot".utf8)
  private static let mergeEvent = Array("merge".utf8)
  private static let errorEvent = Array("error".utf8)

  package init() {}

  /// Starts from a document that did not come as an event.
  package mutating func begin(with document: JSONTree, id: [UInt8] = []) {
    self.document = document
    self.id = id
    isOutOfSync = false
    attached = 0
  }

  /// The value at `pointer`; nil if there is no such value or no document.
  package mutating func value(at pointer: JSONPointer) -> JSONTree? {
    do { return try document?.value(at: pointer) } catch { return nil }
  }

  /// Whether an event of this type brings a document or changes it.
  package func follows(_ event: [UInt8]) -> Bool {
    event == dataEvent.name || event == patchEvent.name || event == Self.snapshotEvent || event == Self.mergeEvent
  }

  /// Applies one record. After a failure the document is unchanged, and changes are skipped until the next whole one.
  package mutating func apply(_ record: EventRecord) throws(RecordFailure) -> RecordEffect {
    do { return try outcome(of: record) } catch {
      isOutOfSync = true
      throw error
    }
  }

  private mutating func outcome(of record: EventRecord) throws(RecordFailure) -> RecordEffect {
    switch record.event {
    case dataEvent.name, Self.snapshotEvent:
      begin(with: JSONTree(try payload(record)), id: record.id)
      return .document
    case patchEvent.name: return try change(record, isMerge: false)
    case Self.mergeEvent: return try change(record, isMerge: true)
    case Self.errorEvent:
      guard let data = record.data else { return .message([]) }
      return .message(data.string ?? data.text)
    default:
      return .other
    }
  }

  private func patch(_ payload: JSONValue, of record: EventRecord) throws(RecordFailure) -> JSONPatch {
    do { return try JSONPatch(payload, options) } catch {
      // If the patch is JSON in a string, its offset is not an offset in the record.
      let isInRecord = payload.document === record.data?.document
      let member = payload.kind == .object ? payload.children.first { $0.value.kind == .array }?.key?.string : nil
      let outer = patchEvent.pointer ?? JSONPointer()
      let place = member.map { quoted(patchEvent.name) + "=" + outer.appending($0).shown }
      let remedy = place.map { ": if it is a member, type --patch-event \($0)" } ?? ""
      throw RecordFailure(
        message: error.message() + remedy, offset: isInRecord ? error.offset : nil, isMalformed: true)
    }
  }

  private mutating func change(_ record: EventRecord, isMerge: Bool) throws(RecordFailure) -> RecordEffect {
    if isOutOfSync { return .skipped }
    guard var changed = document else {
      throw RecordFailure(message: "a change came before any document", offset: nil, isMalformed: true)
    }
    let payload = try payload(record)
    let patch = isMerge ? nil : try patch(payload, of: record)
    do throws(PatchFailure) {
      // Taken out of its place meanwhile: what two trees hold is copied before it is changed.
      document = nil
      defer { document = changed }
      var undo: UndoLog?
      if let patch {
        try patch.apply(to: &changed, options, undo: &undo)
      } else {
        try MergePatch.apply(payload, to: &changed, options, undo: &undo)
      }
    } catch {
      throw RecordFailure(message: error.message(), offset: nil, isMalformed: error.isMalformed)
    }
    id = record.id
    attached += payload.document.bytes.count
    rebase()
    return .change
  }

  /// The document or the patch of a record, if it is only a part of the data.
  package func part(of record: EventRecord) -> JSONValue? {
    pointer(for: record) == nil ? nil : try? payload(record)
  }

  /// Where the document or the patch is in the data of a record; nil if it is all of it.
  private func pointer(for record: EventRecord) -> JSONPointer? {
    switch record.event {
    case dataEvent.name: dataEvent.pointer
    case patchEvent.name: patchEvent.pointer
    default: nil
    }
  }

  /// The value of `data`, or that at the pointer of the event. If the data is a string, the JSON in it.
  private func payload(_ record: EventRecord) throws(RecordFailure) -> JSONValue {
    let value: JSONValue?
    do { value = try record.document(maxDepth: options.maxDepth) } catch {
      throw RecordFailure(message: error.message(), offset: error.offset, isMalformed: true)
    }
    guard let value else { throw RecordFailure(message: "no 'data'", offset: nil, isMalformed: true) }
    guard let pointer = pointer(for: record) else { return value }
    guard let part = value.value(at: pointer) else {
      let option = record.event == dataEvent.name ? "--data-event" : "--patch-event"
      let text = "nothing is at '\(pointer.shown)' of 'data' (\(option))"
      throw RecordFailure(message: text, offset: nil, isMalformed: true)
    }
    return part
  }

  /// Gives the tree its own text once the records that it keeps alive are larger than the document.
  ///
  /// A value that was put in keeps its whole record alive, even when almost all of it has been replaced since. Writing
  /// the document costs as much as reading those records did. So the cost stays in proportion, and memory is bounded.
  private mutating func rebase() {
    guard let tree = document else { return }
    let isOutweighed = attached > max(attachedBeforeRebase, tree.size)
    // Past the limit, the depth bound makes every change measure the whole tree; a new text has an exact bound.
    guard isOutweighed || tree.depthBound > options.maxDepth else { return }
    var writer = ByteWriter()
    JSONWriter.writeCompact(tree, to: &writer)
    document = JSONTree(JSONDocument(known: writer.take()).root)
    attached = 0
  }
}
