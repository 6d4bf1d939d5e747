// Where to go on after the tool was ended: the last event ID in a file, behind what has been printed, never ahead.

import FeedCore

struct CheckpointKeeper {
  private let path: [UInt8]?
  private var saved: [UInt8]
  private var lastTime = Clock.monotonic()

  /// - Parameter id: what is in the file already.
  init(_ path: [UInt8]?, id: [UInt8]) {
    self.path = path
    saved = id
  }

  /// Whether a second of work has passed since the last save.
  var isDue: Bool { path != nil && Clock.monotonic() - lastTime >= 1 }

  /// Saves `id`, if it is another one. All that it covers must have been written out.
  mutating func save(_ id: [UInt8]) throws(ToolError) {
    guard let path else { return }
    lastTime = Clock.monotonic()
    guard id != saved else { return }
    try Checkpoint(id: id).write(path)
    saved = id
  }
}
