// The checkpoint: the documents that the reader of the records has, with their ids. After a restart, the documents come
// first, so that the rest of the pipe has them too.

import FeedCore

extension DiffFollow {
  mutating func resume() throws(ToolFailure) {
    checkpoint = try CheckpointKeeper(options.checkpoint)
    guard let path = checkpoint.path else { return }
    let options = options
    if options.sources == nil {
      if let saved = try checkpoint.saved() { documents = [try DiffedDocument(options, resuming: saved, &ids)] }
    } else {
      try records.resume(from: path) { saved throws(ToolFailure) in
        documents.append(try DiffedDocument(options, resuming: saved, &ids))
      }
    }
    for number in documents.indices {
      if let side = documents[number].current { printDocument(number, side) }
    }
    // For a server that should not say that it does not know a document.
    if options.sources != nil, !options.printsEventStream { output.append(.live) }
  }

  var isCommitDue: Bool { checkpoint.isDue }

  mutating func commit() throws(ToolFailure) {
    try output.flushOutput()
    guard let sources = records.sources else {
      if documents[0].current == nil { return }
      return try checkpoint.save(documents[0].checkpoint)
    }
    try checkpoint.save { path throws(ToolFailure) in
      try Checkpoint.write(
        path, of: sources, documents.lazy.map { $0.current == nil ? nil : $0.checkpoint })
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

extension DiffedDocument {
  /// A document of the checkpoint, which the reader has too.
  fileprivate init(_ options: Options, resuming saved: Checkpoint, _ ids: inout EventIDs?) throws(ToolFailure) {
    self.init(options)
    ids?.resume(after: saved.id)
    guard let document = saved.document else { return }
    var text = ByteWriter()
    JSONWriter.writeCompact(document, to: &text)
    let side = try Side(JSONDocument(known: text.take()), options.scope, of: options.files[0].name, record: nil)
    hold(side, id: ids == nil ? nil : saved.id)
  }

  fileprivate var checkpoint: Checkpoint { Checkpoint(id: id, document: current.map { JSONTree($0.whole.root) }) }
}
