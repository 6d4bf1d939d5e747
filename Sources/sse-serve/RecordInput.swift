// Standard input, read one piece at a time when the poller reports data: event records, each for its stream.

import FeedCore

struct RecordInput {
  let descriptor: Descriptor
  private let skipsErrors: Bool
  private let losesChanges: Bool
  private var input: JSONStream
  private var records: RecordReader
  /// Whether a record was skipped.
  private(set) var hasSkipped = false
  private(set) var counts = Metrics.Events()
  /// Whether there was input, but nothing in it that can be sent, nor a note.
  var hasFoundNothing: Bool { records.hasFoundNothing }
  /// Whether the input has said that everything missed has come.
  var isLive: Bool { records.isLive }

  init(_ options: Options, _ streams: StandardStreams) {
    descriptor = streams.input
    skipsErrors = options.skipsErrors
    losesChanges = !options.isPlain
    input = JSONStream(
      maxDepth: options.patching.maxDepth, maxSize: options.patching.maxSize, isLineDelimited: skipsErrors)
    let anyJSON = #"jq -c '{event: "message", data: .}' makes them of any JSON"#
    let maker = options.isPlain ? anyJSON : "jdiff --follow makes them of documents"
    records = RecordReader(
      InputFile.standardInput.name, streams, remedy: maker, isVerbose: options.isVerbose, sources: options.sources)
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
    return goesOn
  }

  private mutating func next(isLast: Bool, _ table: inout StreamTable) throws(ToolFailure) -> StreamedDocument? {
    while true {
      do { return try input.next(isLast: isLast, of: InputFile.standardInput.name, record: "event") } catch {
        guard skipsErrors else { throw error }
        skip(error, of: table.all)
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
      let place = found.publisher.log.end
      guard try found.publisher.publish(record, item, &records) else {
        counts.withheld += 1
        return
      }
      counts.published += 1
      counts.bytes += found.publisher.log.end - place
      table.change(found)
    } catch {
      // A change that does not fit is not fatal: the next whole document repairs it.
      guard skipsErrors || error.status == .no else { throw error }
      skip(error, of: owners(item, table))
    }
  }

  /// The streams that a record may belong to. A record that names none may have been meant for any of them, and one that
  /// names a stream too many belongs to none.
  private func owners(_ item: StreamedDocument, _ table: StreamTable) -> [ServedStream] {
    guard let pointer = records.sources?.pointer else { return table.all }
    guard let name = try? pointer.name(in: item.document.root, option: "") else { return table.all }
    return table.stream(named: name).map { [$0] } ?? []
  }

  /// Continues after input that cannot be sent. It may have been a change: then later changes may not fit.
  /// - Parameter streams: those that it may have belonged to.
  private mutating func skip(_ error: ToolFailure, of streams: [ServedStream]) {
    records.skip(error, losesChanges: losesChanges && !streams.isEmpty)
    counts.withheld += 1
    hasSkipped = true
    for stream in streams { stream.publisher.loseSync() }
  }
}
