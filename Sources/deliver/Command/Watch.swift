import FeedCore

/// Everything that deliver waits for: input, signals, the end of COMMAND, and COMMAND's standard error.
///
/// COMMAND's standard error is a pipe that is copied to ours, so that its last line is known. One pipe serves all runs:
/// background processes of COMMAND may continue to write to it. If nobody reads ours, as at a stopped terminal, only
/// COMMAND waits; deliver still sees signals and times.
struct Watch {
  private let streams: StandardStreams
  private let signals: Descriptor
  private let children: Descriptor
  private let errors: Descriptor
  /// The writing end of `errors`, for COMMAND.
  let errorInput: Descriptor
  /// Why deliver must end: a signal, or nobody reads standard output any more.
  private(set) var interruption: Interruption?
  /// Whether a second signal has come.
  private(set) var hasSecondSignal = false
  /// The last line that COMMAND wrote to standard error.
  var lastWords = LastLine()
  /// Whether our standard error accepted everything copied so far.
  private var hasRoom = true

  init(_ streams: StandardStreams) throws(ToolFailure) {
    self.streams = streams
    (signals, children) = try naming(nil, (Signals.caught(again: true), Signals.childrenEnding()))
    (errors, errorInput) = try naming(nil, Descriptor.pipe())
    try naming(nil, errors.stopWaiting())
  }

  /// Waits for input, for a time of the monotonic clock (nil: no limit), or for an interruption.
  /// - Parameter input: nil to wait only for the time.
  /// - Returns: whether there is input.
  mutating func wait(for input: Descriptor? = nil, until deadline: Double?) throws(ToolFailure) -> Bool {
    while interruption == nil {
      let left = Clock.milliseconds(until: deadline)
      let ready = try poll([.init(streams.output, .hangUp)] + (input.map { [.init($0, .input)] } ?? []), left)
      if interruption == nil && ready[0] { interruption = .hangUp }
      if ready.count > 1 && ready[1] { return true }
      if left == 0 { break }
    }
    return false
  }

  /// Waits until a child may have ended, until a time, or for a signal.
  mutating func waitForChild(until deadline: Double?) throws(ToolFailure) {
    // If the byte that reports its end is ever lost, this costs a second.
    _ = try poll([], Clock.milliseconds(until: min(deadline ?? .infinity, Clock.monotonic() + 1)))
  }

  /// Whether nobody reads standard output any more.
  mutating func checkOutput() throws(ToolFailure) {
    guard interruption == nil else { return }
    do { if try streams.output.isHungUp { interruption = .hangUp } } catch { throw .waiting(error) }
  }

  /// Waits for the usual events, and for `more`.
  /// - Returns: which of `more` are ready.
  private mutating func poll(
    _ more: [Descriptor.Interest], _ milliseconds: Int32
  ) throws(ToolFailure) -> [Bool] {
    let talk = hasRoom ? Descriptor.Interest(errors, .input) : .init(streams.error, .output)
    let always = [.init(signals, .input), .init(children, .input), talk]
    let ready: [Bool]
    do throws(SystemError) {
      ready = try Descriptor.wait(for: always + more, milliseconds: milliseconds)
      if ready[0] { try takeSignal() }
      var bytes: [UInt8] = []
      if ready[1] { _ = try children.readAvailable(upTo: ByteReader.chunkSize, into: &bytes) }
    } catch {
      throw .waiting(error)
    }
    if ready[2] { try copyErrors() }
    return Array(ready[3...])
  }

  private mutating func takeSignal() throws(SystemError) {
    var number: [UInt8] = []
    guard try signals.read(upTo: 1, into: &number) == 1 else { return }
    if case .signal? = interruption { hasSecondSignal = true } else { interruption = .signal(Int32(number[0])) }
  }

  /// After COMMAND has ended: copies its last output, and sees a signal that came before its end.
  mutating func finishRun() throws(ToolFailure) {
    _ = try poll([], 0)
    try copyErrors()
    while interruption == nil, !hasRoom { _ = try poll([], -1) }
  }

  /// If a pipe has room at all, it has room for this many bytes (_POSIX_PIPE_BUF).
  private static let room = 512
  /// After this many writes, signals and times are checked before the copying continues.
  private static let mostWrites = 128

  /// Copies COMMAND's output, as far as possible without waiting.
  private mutating func copyErrors() throws(ToolFailure) {
    do throws(SystemError) {
      for _ in 0..<Self.mostWrites {
        hasRoom = try Descriptor.wait(for: [.init(streams.error, .output)], milliseconds: 0)[0]
        var chunk: [UInt8] = []
        guard hasRoom, let count = try errors.readAvailable(upTo: Self.room, into: &chunk), count > 0 else { return }
        streams.error.write(chunk.span)
        lastWords.append(chunk)
      }
    } catch {
      throw .waiting(error)
    }
  }
}

/// The last non-empty line of a text that comes in pieces.
struct LastLine {
  private static let longest = 1000

  private var line: [UInt8] = []
  private var hasEnded = false

  mutating func append(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        hasEnded = true
      } else if !byte.isWhiteSpace || !(hasEnded || line.isEmpty) {
        if hasEnded { line.removeAll(keepingCapacity: true) }
        hasEnded = false
        if line.count < Self.longest { line.append(byte) }
      }
    }
  }

  /// Empty if there was none.
  var text: [UInt8] { Array(line.trimmed()) }
}
