import FeedCore

/// Where a stream or a socket goes on: the kept values, and the file that has them.
///
///     {"event":"data","id":"12-g1AAAA","values":{"since":"12-g1AAAA"},"data":null}
package struct ResumePoint {
  package private(set) var values: KeptValues
  private var keeper: CheckpointKeeper

  /// - Parameters:
  ///   - checkpoint: the file to keep; nil for none.
  ///   - resumeFile: the file to read, which another program keeps; nil for none.
  /// - Throws: status 2 if a file is no checkpoint, 4 if another process keeps it.
  package init(_ rules: [NextRule], checkpoint: [UInt8]?, resumeFile: [UInt8]?) throws(ToolFailure) {
    values = KeptValues(rules)
    keeper = try CheckpointKeeper(checkpoint, hint: " (--resume-from only reads it)")
    if let resumeFile {
      try values.resume(from: Checkpoint.read(resumeFile))
    } else {
      try values.resume(from: keeper.saved())
    }
  }

  /// Keeps what a line or message has.
  package mutating func take(_ response: NextResponse) throws(NextError) {
    if try values.take(response) { keeper.invalidate() }
  }

  /// The server has forgotten the values.
  package mutating func forget() {
    keeper.invalidate()
    values.forget()
  }

  /// Whether the file is to be saved although more input is there.
  package var isDue: Bool { keeper.isDue }

  /// Saves the values; everything that they cover must have been written out.
  package mutating func save() throws(ToolFailure) {
    var checkpoint = Checkpoint(id: [])
    values.save(in: &checkpoint)
    try keeper.save(checkpoint)
  }
}
