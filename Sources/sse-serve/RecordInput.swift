import FeedCore

/// Standard input, read one piece at a time when the poller reports data: event records, each for its stream.
struct RecordInput {
  /// Standard input, for the poller.
  let descriptor: Descriptor
  private let options: Options
  private var input: JSONStream
  private var records: RecordReader
  /// How many records were published.
  private(set) var published = 0
  /// How many bytes they have as events of the stream. Each client gets them once.
  private(set) var publishedBytes = 0
  /// How many records were skipped: malformed ones, changes that do not apply, and the changes after them.
  private(set) var withheld = 0
  /// When the last record was published, in microseconds since 1970; 0 before.
  private(set) var lastTime: Int64 = 0
  /// Whether the input has said that everything missed has come.
  var isLive: Bool { records.isLive }

  init(_ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    descriptor = try InputFile.standardInput.open(streams)
    self.options = options
    input = JSONStream(
      maxDepth: options.patching.maxDepth, maxSize: options.patching.maxSize, isLineDelimited: options.skipsErrors)
    let anyJSON = #"jq -c '{event: "message", data: .}' makes them of any JSON"#
    let maker = options.isPlain ? anyJSON : "jdiff --follow makes them of documents"
    records = RecordReader(
      InputFile.standardInput.name, streams, remedy: maker, isVerbose: options.isVerbose, sources: options.sources,
      apart: "--stream-from")
  }

  /// When to call `reportUnusable` again, by the monotonic clock; nil for never.
  var dueTime: Double? { records.dueTime }

  private static let remedy = "--data-event and --patch-event set their names; --plain serves any events"

  /// Says, once, that no event brings a document.
  mutating func reportUnusable() { records.reportUnusable(Self.remedy) }

  /// At the end of the input: whether it had anything that can be sent, or a note.
  /// - Throws: if it had not, and that has not been reported.
  func isOfUse() throws(ToolFailure) -> Bool {
    if records.hasFoundNothing || options.isPlain { return !records.hasFoundNothing }
    return try records.isOfUse(Self.remedy)
  }

  /// Reads a piece, and publishes the records in it that are complete.
  /// - Returns: false at the end of the input.
  mutating func read(into table: inout StreamTable) throws(ToolFailure) -> Bool {
    let goesOn: Bool
    do { goesOn = try input.read(from: descriptor) > 0 } catch {
      // Another process has read it.
      if error.wouldBlock { return true }
      throw .system(error, InputFile.standardInput.name)
    }
    while let item = try next(isLast: !goesOn, &table) { try publish(item, &table) }
    reportUnusable()
    return goesOn
  }

  private mutating func next(isLast: Bool, _ table: inout StreamTable) throws(ToolFailure) -> StreamedDocument? {
    while true {
      do { return try input.next(isLast: isLast, of: InputFile.standardInput.name, record: "event") } catch {
        guard options.skipsErrors else { throw error }
        skip(error, nil, table)
        input.skipLine()
      }
    }
  }

  /// Publishes a record in its stream.
  /// - Throws: if it is malformed, unless `--on-error` says to continue.
  mutating func publish(_ item: StreamedDocument, _ table: inout StreamTable) throws(ToolFailure) {
    do throws(ToolFailure) {
      guard let record = try records.record(item) else { return }
      let number = try records.document(of: item)
      let found = table.stream(number, name: records.sources?.sources[number].name ?? [])
      let place = found.publisher.end
      guard try found.publisher.publish(record, item, &records) else {
        withheld += 1
        return
      }
      published += 1
      publishedBytes += found.publisher.end - place
      lastTime = Clock.now()
      if place == found.servedEnd { table.changed.append(found) }
    } catch {
      // A change that does not fit is not fatal: the next whole document repairs it.
      guard options.skipsErrors || error.status == .no else { throw error }
      skip(error, item, table)
    }
  }

  /// Continues after input that cannot be sent. It may have been a change: then later changes may not fit.
  /// - Parameter item: nil if it could not be read.
  private mutating func skip(_ error: ToolFailure, _ item: StreamedDocument?, _ table: StreamTable) {
    let reach = options.isPlain ? .none : records.reach(of: item)
    records.skip(error, reach)
    withheld += 1
    switch reach {
    case .none: break
    case .all: for stream in table.all { stream.publisher.loseSync() }
    case .one(let number): table.all[number].publisher.loseSync()
    }
  }
}
