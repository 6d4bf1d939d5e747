// The checkpoint: the documents that the reader of the records has, with their ids. After a restart, the documents come
// first, so that the rest of the pipe has them too.

import FeedCore

extension Follow {
  private static let reservedName = "reserved"
  private static let firstName = "first"

  mutating func resume() throws(ToolFailure) {
    checkpoint = try CheckpointKeeper(options.checkpoint)
    guard let path = checkpoint.path else { return }
    let options = options
    var extra: [String: [UInt8]]?
    if options.sources == nil {
      let saved = try checkpoint.saved()
      if let saved { documents = [try FollowedDocument(options, resuming: saved, of: path)] }
      extra = saved?.extra
    } else {
      extra = try records.resume(from: path) { saved throws(ToolFailure) in
        documents.append(try FollowedDocument(options, resuming: saved, of: path))
      }
    }
    for number in documents.indices {
      if let side = documents[number].current { printDocument(number, side) }
    }
    // For a server that should not say that it does not know a document.
    if options.sources != nil, !options.printsEventStream { output.append(.live) }
    guard let extra, options.firstID != nil else { return }
    numbering.firstFree = try id(Self.firstName, in: extra, of: path)
    guard let reserved = try id(Self.reservedName, in: extra, of: path) else { return }
    numbering.firstFree = max(Numbering.last(reserved: reserved) + 1, numbering.firstFree ?? 0)
  }

  /// An id of the checkpoint besides those of its documents; nil if it is not there.
  private func id(
    _ name: String, in extra: [String: [UInt8]], of path: [UInt8]
  ) throws(ToolFailure) -> Int? {
    guard let text = extra[name] else { return nil }
    if let id = Int(decimal: text), Options.ids.contains(id) { return id }
    throw .failed(
      .trouble, "'\(name)' of the checkpoint is not an id: \(shortened(text)) (--no-ids)", source: quoted(path))
  }

  /// - Parameter id: the last id that this run may use; nil for no more.
  mutating func reserveIDs(upTo id: Int?) throws(ToolFailure) {
    let before = numbering.reserved
    numbering.reserved = id
    checkpoint.invalidate()
    do { try commit() } catch {
      numbering.reserved = before
      throw error
    }
  }

  /// Ends a run: the next one continues after the last id.
  mutating func releaseIDs() throws(ToolFailure) {
    if numbering.reserved != nil { try reserveIDs(upTo: nil) }
  }

  var isCommitDue: Bool { checkpoint.isDue }

  mutating func commit() throws(ToolFailure) {
    try output.flushOutput()
    var extra: [String: [UInt8]] = [:]
    if let reserved = numbering.reserved { extra[Self.reservedName] = Array(String(reserved).utf8) }
    guard let sources = records.sources else {
      if documents[0].current == nil, numbering.reserved == nil { return }
      return try checkpoint.save(documents[0].checkpoint(extra))
    }
    if let first = numbering.firstFree { extra[Self.firstName] = Array(String(first).utf8) }
    try checkpoint.save { path throws(ToolFailure) in
      try SourceCheckpoint.write(
        path, of: sources, extra: extra, documents.lazy.map { $0.current == nil ? nil : $0.checkpoint() })
    }
  }

  mutating func pause() throws(ToolFailure) {
    if options.readsRecords { records.reportUnusable(Self.remedy) }
    if records.sources == nil || isCommitDue { try commit() } else { try output.flushOutput() }
  }

  var dueTime: Double? {
    let saving = records.sources == nil ? nil : checkpoint.dueTime
    return [saving, records.dueTime].compactMap(\.self).min()
  }
}

extension FollowedDocument {
  /// A document of the checkpoint, which the reader has too.
  fileprivate init(_ options: Options, resuming saved: Checkpoint, of path: [UInt8]) throws(ToolFailure) {
    self.init(options)
    if options.firstID != nil, !saved.id.isEmpty {
      lastID = Int(decimal: saved.id)
      guard let lastID, Options.ids.contains(lastID) else {
        throw .failed(
          .trouble, "the id '\(shortened(saved.id))' of the checkpoint is not a number to continue from (--no-ids)",
          source: quoted(path))
      }
    }
    guard let document = saved.document else { return }
    var text = ByteWriter()
    JSONWriter.writeCompact(document, to: &text)
    hold(try Side(JSONDocument(known: text.take()), options.scope, of: options.files[0].name, record: nil))
  }

  fileprivate func checkpoint(_ extra: [String: [UInt8]] = [:]) -> Checkpoint {
    Checkpoint(id: id, document: current.map { JSONTree($0.whole.root) }, extra: extra)
  }
}
