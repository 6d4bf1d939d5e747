// Reads event records out of a stream of documents. All tools use its words for what is no record, what does not apply,
// and what is skipped.

package struct RecordReader {
  private let source: String
  private let streams: StandardStreams
  /// How records are made of what comes instead of them.
  private let remedy: String
  /// Whether the first value that is no record is told at once, since the end may be far.
  private let tellsAtOnce: Bool
  private let isVerbose: Bool
  /// What there was so far: events, notes, and what is no record.
  package private(set) var hasEvents = false
  package private(set) var hasNotes = false
  package private(set) var hasNonRecords = false
  /// Whether the note `live` has come.
  package private(set) var isLive = false
  /// Whether changes are skipped, since one has failed.
  private var isSkipping = false

  package init(
    _ source: String, _ streams: StandardStreams, remedy: String, tellsAtOnce: Bool = true, isVerbose: Bool
  ) {
    self.source = source
    self.streams = streams
    self.remedy = remedy
    self.tellsAtOnce = tellsAtOnce
    self.isVerbose = isVerbose
  }

  private var hasRead: Bool { hasEvents || hasNotes }
  /// Whether there was something, and none of it a record.
  package var hasFoundNothing: Bool { hasNonRecords && !hasRead }

  /// What a tool ends with that has found no records, and has not told it.
  package var nothing: ToolFailure { .failed(.no, "no event records in this input (\(remedy))", source: source) }

  /// The record that a document is.
  /// - Returns: nil for a note, and for what is no record: that is reported and skipped.
  package mutating func record(_ item: StreamedDocument) throws(ToolFailure) -> EventRecord? {
    let value = item.document.root
    do {
      if let record = try EventRecord(value) {
        hasEvents = true
        return record
      }
    } catch {
      let isNoRecord = tellsAtOnce && !hasRead && value.kind != .object
      throw failure(error.message() + (isNoRecord ? " (\(remedy))" : ""), item, at: error.offset)
    }
    if EventRecord.isNote(value) {
      hasNotes = true
      if EventRecord.isNote(value, .live) { isLive = true }
    } else if tellsAtOnce, !hasRead, !hasNonRecords {
      let text = "not an event record: no member 'event' (\(remedy))"
      streams.say(Diagnostic(text, source: source, place: item.place(of: 0)))
      hasNonRecords = true
    } else {
      tell("skipped: no member 'event'", of: item)
      hasNonRecords = true
    }
    return nil
  }

  /// Applies a record to the document that it is for. A message in it is told.
  package mutating func apply(
    _ record: EventRecord, _ item: StreamedDocument, to stream: inout DocumentStream
  ) throws(ToolFailure) -> DocumentStream.Outcome {
    do {
      let outcome = try stream.apply(record)
      switch outcome {
      case .document: isSkipping = false
      case .message(let text): streams.say(diagnostic("error: " + String(decoding: text, as: UTF8.self), item))
      case .skipped: tell("skipped until the next document", of: item)
      case .change, .other: break
      }
      return outcome
    } catch {
      throw .failed(error.isMalformed ? .trouble : .no, diagnostic(error.message, item, at: error.offset))
    }
  }

  /// Tells what a tool goes on after.
  /// - Parameter losesChanges: whether the changes after it have nothing to apply to.
  package mutating func skip(_ failure: ToolFailure, losesChanges: Bool = true) {
    let text = losesChanges && !isSkipping ? "; changes are skipped until the next document" : ""
    streams.say(failure.diagnostic.adding(text))
    isSkipping = true
  }

  /// What is wrong with a record.
  package func failure(_ text: String, _ item: StreamedDocument, at offset: Int) -> ToolFailure {
    .failed(.trouble, diagnostic(text, item, at: offset))
  }

  /// Tells what `-v` shows.
  package func tell(_ text: @autoclosure () -> String, of item: StreamedDocument) {
    if isVerbose { streams.say(diagnostic(text(), item)) }
  }

  private func diagnostic(_ text: String, _ item: StreamedDocument, at offset: Int? = nil) -> Diagnostic {
    Diagnostic(text, source: source, place: offset.map(item.place(of:)), record: "event \(item.number)")
  }
}
