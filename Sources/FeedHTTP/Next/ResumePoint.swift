import FeedCore

/// Where a stream or a socket goes on: the kept values, and the file that has them. `Resuming` uses it.
///
///     {"event":"data","id":"12-g1AAAA","values":{"since":"12-g1AAAA"},"data":null}
package struct ResumePoint {
  package private(set) var values: KeptValues
  /// Whether a line or message said that the server has forgotten the values of the request.
  package private(set) var isForgotten = false
  let options: NextOptions
  private let items: JSONPointer?
  private var keeper: CheckpointKeeper

  /// - Parameters:
  ///   - items: where the items of a line or message are (`NextResponse`).
  ///   - checkpoint: the file to keep; nil for none.
  ///   - resumeFile: the file to read, which another program keeps; nil for none.
  /// - Throws: status 2 if a file is no checkpoint, 4 if another process keeps it.
  package init(
    _ options: NextOptions, items: JSONPointer? = nil, checkpoint: [UInt8]?, resumeFile: [UInt8]?
  ) throws(ToolFailure) {
    self.options = options
    self.items = items
    values = KeptValues(options.rules)
    keeper = try CheckpointKeeper(checkpoint, hint: " (--resume-from only reads it)")
    if let resumeFile {
      try KeptValues.checkOneID(options.rules)
      values.resume(from: try Checkpoint.read(resumeFile))
    } else {
      values.resume(from: try keeper.saved())
    }
  }

  /// Whether a line or message says that the server has forgotten the values; then it is no data.
  /// - Parameter root: nil if it is not JSON.
  /// - Returns: false if the request had no values; then it is data like any other.
  /// - Throws: if it says so again, to a request without values: that would go on for ever.
  package mutating func isRefused(by root: JSONValue?) throws(FormatError) -> Bool {
    guard let root, options.isGone(root) else { return false }
    if values.isEmpty, values.hasGap {
      throw FormatError("it begins nowhere: '\(shortened(root.text))'", at: root)
    }
    isForgotten = !values.isEmpty
    return isForgotten
  }

  /// Keeps what a line or message has.
  /// - Parameters:
  ///   - root: it as JSON.
  ///   - request: the request of the connection.
  ///   - head: the head of its response.
  package mutating func take(_ root: JSONValue, to request: PageRequest, _ head: HTTPHead?) throws(NextError) {
    guard values.isUsed else { return }
    let response = NextResponse(head: head, root: root, request: request, url: nil, items: items)
    if try values.take(response) { keeper.invalidate() }
  }

  /// The server has forgotten the values.
  package mutating func forget() {
    isForgotten = false
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
