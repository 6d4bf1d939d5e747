import FeedCore

/// The place in the feed: the id of the last finished record, in the checkpoint.
struct Place {
  private let streams: StandardStreams
  private var reportsMissingIDs: Bool
  private var keeper: CheckpointKeeper
  private var id: [UInt8]
  private var seq: [UInt8]

  /// Locks the checkpoint. Waits if another process holds the lock, or if the COMMAND of a killed one is still running.
  init(_ options: Options, _ streams: StandardStreams, _ watch: inout Watch) throws(ToolFailure) {
    self.streams = streams
    reportsMissingIDs = !options.isSilent
    let deadline = Clock.monotonic() + options.wait
    var wait = SilentWait()
    var isReported = options.isSilent
    while true {
      do throws(ToolFailure) {
        keeper = try CheckpointKeeper(options.checkpoint, isInherited: true)
        break
      } catch {
        if error.status != .tryAgain || Clock.monotonic() >= deadline { throw error }
        wait.begin(streams)
        if !isReported, options.isVerbose || wait.report() != nil {
          streams.say(error.diagnostic.adding("; waiting for \(secondsText(options.wait)) s at the most"))
          isReported = true
        }
      }
      _ = try watch.wait(until: min(deadline, Clock.monotonic() + 0.1))
      if watch.interruption != nil {
        keeper = CheckpointKeeper()
        break
      }
    }
    let saved = try keeper.saved()
    id = saved?.id ?? []
    seq = saved?.extra[Record.seqMember] ?? []
  }

  /// Records that the first `count` records of a batch are finished.
  mutating func pass(_ count: Int, of batch: Batch) {
    guard keeper.isKept else { return }
    reportMissingID(count, of: batch)
    guard let record = batch.lastSafe(after: count), record.id != id || record.seq != seq else { return }
    (id, seq) = (record.id, record.seq)
    keeper.invalidate()
  }

  private mutating func reportMissingID(_ count: Int, of batch: Batch) {
    guard reportsMissingIDs, let number = batch.firstWithoutID(before: count) else { return }
    reportsMissingIDs = false
    let place = TextPlace(line: number, column: 1)
    let text = "this record has no id, so the checkpoint does not move"
    streams.say(Diagnostic(text, source: InputFile.standardInput.name, place: place))
  }

  var isDue: Bool { keeper.isDue }
  /// When to save changes, by the monotonic clock; nil if nothing has changed.
  var dueTime: Double? { keeper.dueTime }

  mutating func save() throws(ToolFailure) {
    let extra = seq.isEmpty ? [:] : [Record.seqMember: seq]
    try keeper.save(Checkpoint(id: id, extra: extra))
  }

  /// Releases the lock.
  func release() { keeper.release() }
}
