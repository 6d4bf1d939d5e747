/// Reads event records from a stream of documents. All tools share its messages for non-records, for changes that do not
/// apply, and for skipped records.
package struct RecordReader {
  private let source: String
  private let streams: StandardStreams
  /// How to make records of the wrong kind of input, for messages.
  private let remedy: String
  /// Whether the first value that is no record is reported at once, because the end may be far away.
  private let reportsAtOnce: Bool
  private let isVerbose: Bool
  /// What has been read so far: events, notes, and values that are no records.
  package private(set) var hasEvents = false
  package private(set) var hasNotes = false
  package private(set) var hasNonRecords = false
  /// How many values have come before the first that the tool can use, before a message says so at once.
  private static let mostUnusable = 20
  /// Whether an event was used: one that the document stream knows.
  package private(set) var hasUsed = false
  private var unusable = 0
  /// The wait for an event that can be used, once values have come that cannot.
  private var usableWait = SilentWait()
  private var hasReportedUnusable = false
  /// Whether the note `live` was read.
  package private(set) var isLive = false
  /// The option that keeps documents apart, for messages.
  private let apart: String
  /// The value of `source` in the last whole document, and whether another one was reported.
  private var lastSource: [UInt8]?
  private var hasMixed = false
  /// The documents that the records belong to; nil if there is only one.
  package private(set) var sources: SourceIndex?
  /// The document of the record that was read last, by its number; nil if the record names none.
  private var current: Int?
  /// The documents of which changes are skipped because one has failed. The only one has the number 0.
  private var skipping: Set<Int> = []
  /// Stands for all documents there, until one of them is whole again.
  private static let all = -1

  package init(
    _ source: String, _ streams: StandardStreams, remedy: String, reportsAtOnce: Bool = true, isVerbose: Bool,
    sources: SourceIndex? = nil, apart: String = "--by"
  ) {
    self.source = source
    self.apart = apart
    self.sources = sources
    self.streams = streams
    self.remedy = remedy
    self.reportsAtOnce = reportsAtOnce
    self.isVerbose = isVerbose
  }

  private var hasRead: Bool { hasEvents || hasNotes }
  /// Whether there was input, but not one record in it.
  package var hasFoundNothing: Bool { hasNonRecords && !hasRead }

  /// The failure of a tool that found no records and has not yet reported it.
  package var nothing: ToolFailure { .failed(.no, "no event records in this input (\(remedy))", source: source) }

  /// When to call `reportUnusable` again, by the monotonic clock; nil for never.
  package var dueTime: Double? { usableWait.dueTime }

  /// Says that nothing in the input can be used, once: after twenty values, or ten seconds after the first. The end of
  /// the input may be far away.
  /// - Parameter remedy: what to do if there are events, but none of a document stream.
  package mutating func reportUnusable(_ remedy: String) {
    guard !hasUsed, unusable > 0, !hasReportedUnusable else { return }
    guard usableWait.report() != nil || unusable >= Self.mostUnusable else { return }
    usableWait.end()
    hasReportedUnusable = true
    streams.say(unused(remedy).diagnostic)
  }

  /// At the end of the input: whether it had anything for the tool. Notes are something, unless there are events too.
  /// - Throws: if it has not, and that has not been reported.
  package func isOfUse(_ remedy: String) throws(ToolFailure) -> Bool {
    if hasUsed || !hasEvents && (hasNotes || !hasNonRecords) { return true }
    if hasReportedUnusable { return false }
    throw unused(remedy)
  }

  private func unused(_ remedy: String) -> ToolFailure {
    hasEvents ? .failed(.no, "no event brings a document or a change (\(remedy))", source: source) : nothing
  }

  /// A value came that the tool cannot use.
  private mutating func countUnusable() {
    guard !hasUsed else { return }
    unusable += 1
    usableWait.begin(streams)
  }

  /// An event came that the tool can use, or a change that it must skip.
  private mutating func use() {
    guard !hasUsed else { return }
    hasUsed = true
    usableWait.end()
  }

  /// Reads a document as a record.
  /// - Returns: nil for a note, and for a value that is no record, which is reported and skipped.
  package mutating func record(_ item: StreamedDocument) throws(ToolFailure) -> EventRecord? {
    let value = item.document.root
    current = nil
    do {
      if let record = try EventRecord(value) {
        hasEvents = true
        return record
      }
    } catch {
      let isNoRecord = reportsAtOnce && !hasRead && value.kind != .object
      throw failure(error.message() + (isNoRecord ? " (\(remedy))" : ""), item, at: error.offset)
    }
    if EventRecord.isNote(value) {
      hasNotes = true
      if EventRecord.isNote(value, .live) { isLive = true }
    } else if reportsAtOnce, !hasRead, !hasNonRecords {
      let text = "not an event record: no member 'event' (\(remedy))"
      streams.say(Diagnostic(text, source: source, place: item.place(of: 0)))
      hasNonRecords = true
    } else {
      report("skipped: no member 'event'", of: item)
      hasNonRecords = true
      if !reportsAtOnce { countUnusable() }
    }
    return nil
  }

  /// The number of the document that a record belongs to, from 0 as they come; 0 if there is only one.
  /// - Throws: status 2 if the record does not say, or if there are too many documents.
  package mutating func document(of item: StreamedDocument) throws(ToolFailure) -> Int {
    do { current = try sources?.number(of: item.document.root) } catch {
      throw failure(error.message, item, at: error.offset)
    }
    return current ?? 0
  }

  /// Reports, once, that documents of different sources are taken for one.
  private mutating func reportMixing(_ item: StreamedDocument) {
    guard sources == nil, !hasMixed, let name = item.document.root.member(Self.source)?.word else { return }
    if let lastSource, lastSource != name {
      hasMixed = true
      let text = "a document of '\(shortened(name))' after one of '\(shortened(lastSource))'"
      streams.say(diagnostic("\(text); \(apart) /source keeps them apart", item))
    }
    lastSource = name
  }

  private static let source = MemberName("source")

  /// The documents that a skipped record may have been meant to change.
  package enum Reach: Equatable { case none, all, one(Int) }

  /// A record that names no document may have been meant for any of them, and one that names a document too many for none.
  /// - Parameter item: nil if it could not be read.
  package func reach(of item: StreamedDocument?) -> Reach {
    guard let sources else { return .one(0) }
    if sources.sources.isEmpty { return .none }
    guard let item, let name = try? sources.pointer.name(in: item.document.root, option: "") else { return .all }
    return sources.number(named: name).map(Reach.one) ?? .none
  }

  /// Reads a checkpoint of several documents. See `Checkpoint.read`.
  package mutating func resume(
    from path: [UInt8], _ take: (Checkpoint) throws(ToolFailure) -> Void
  ) throws(ToolFailure) {
    guard var sources else { return }
    defer { self.sources = sources }
    try Checkpoint.read(path, into: &sources, take)
  }

  /// Applies a record to the document. A message in the record is reported.
  package mutating func apply(
    _ record: EventRecord, _ item: StreamedDocument, to stream: inout DocumentStream
  ) throws(ToolFailure) -> DocumentStream.RecordEffect {
    do {
      let outcome = try stream.apply(record)
      switch outcome {
      case .document:
        if !skipping.isEmpty { skipping.subtract([current ?? 0, Self.all]) }
        reportMixing(item)
      case .message(let text): streams.say(diagnostic("error: " + String(decoding: text, as: UTF8.self), item))
      case .skipped: report("skipped until the next document", of: item)
      case .change, .other: break
      }
      if outcome == .other { countUnusable() } else { use() }
      return outcome
    } catch {
      use()
      throw .failed(error.isMalformed ? .error : .no, diagnostic(error.message, item, at: error.offset))
    }
  }

  /// Reports a failure after which the tool goes on.
  /// - Parameter reach: the documents whose later changes can no longer be applied.
  package mutating func skip(_ failure: ToolFailure, _ reach: Reach) {
    var text = ""
    switch reach {
    case .none: break
    case .one(let number):
      if skipping.insert(number).inserted { text = "; changes are skipped until the next document" }
    case .all:
      if skipping.insert(Self.all).inserted { text = "; changes are skipped until the next document of each" }
    }
    streams.say(failure.diagnostic.adding(text))
  }

  /// A failure that concerns one record.
  package func failure(_ text: String, _ item: StreamedDocument, at offset: Int) -> ToolFailure {
    .failed(.error, diagnostic(text, item, at: offset))
  }

  /// Reports what only `-v` shows.
  package func report(_ text: @autoclosure () -> String, of item: StreamedDocument) {
    if isVerbose { streams.say(diagnostic(text(), item)) }
  }

  private func diagnostic(_ text: String, _ item: StreamedDocument, at offset: Int? = nil) -> Diagnostic {
    Diagnostic(text, source: source, place: offset.map(item.place(of:)), record: label(item))
  }

  /// What messages call a record: `event 17`, or `event 17 of 'news'`.
  package func label(_ item: StreamedDocument) -> String {
    let name = current.flatMap { sources?.sources[$0].name }
    return "event \(item.number)" + (name.map { " of '\(shortened($0))'" } ?? "")
  }
}
