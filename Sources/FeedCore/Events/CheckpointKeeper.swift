// Keeps a checkpoint behind what has been printed, never ahead: saved when the tool is about to wait, at the end, and
// once a second under load.

public struct CheckpointKeeper {
  private let path: [UInt8]?
  private var isStale = false
  private var lastTime = Clock.monotonic()

  /// - Parameter path: nil where none is kept.
  public init(_ path: [UInt8]?) { self.path = path }

  /// Whether a second has passed since the last save, or since the beginning.
  public var isDue: Bool { path != nil && Clock.monotonic() - lastTime >= 1 }

  /// Something was taken in that the file does not know of.
  public mutating func invalidate() { isStale = true }

  /// Saves, if there is anything new. All that the checkpoint covers must have been written out.
  public mutating func save(_ checkpoint: Checkpoint) throws(ToolError) {
    guard let path else { return }
    lastTime = Clock.monotonic()
    guard isStale else { return }
    try checkpoint.write(path)
    isStale = false
  }
}
