// All that deliver waits for: input, signals, the end of COMMAND, and what COMMAND says.
//
// COMMAND's standard error is a pipe that is copied to ours, so that the last line of it is known. There is one for the
// whole life of deliver: what COMMAND leaves in the background may go on writing to it. Where nobody reads ours for a while,
// as at a terminal that is stopped, COMMAND has to wait, and not deliver, which still sees signals and times.

import FeedCore

struct Watch {
  private let streams: StandardStreams
  private let signals: Descriptor
  private let children: Descriptor
  private let errors: Descriptor
  /// The other end of `errors`, for COMMAND.
  let errorInput: Descriptor
  /// What asks deliver to end: a signal, or that nobody reads standard output any more.
  private(set) var interruption: Interruption?
  /// Whether a second signal has come.
  private(set) var isUrged = false
  /// What COMMAND said last on standard error.
  private(set) var lastWords = LastLine()
  /// Whether our standard error took all that was copied.
  private var hasRoom = true

  init(_ streams: StandardStreams) throws(ToolFailure) {
    self.streams = streams
    (signals, children) = try naming(nil, (Signals.caught(again: true), Signals.childrenEnding()))
    (errors, errorInput) = try naming(nil, Descriptor.pipe())
    try naming(nil, errors.stopWaiting())
  }

  /// Waits for input, for a moment of the monotonic clock (nil: for ever), or for an interruption.
  /// - Parameter input: nil where only time is to pass.
  /// - Returns: whether there is input.
  mutating func wait(for input: Descriptor? = nil, until deadline: Double?) throws(ToolFailure) -> Bool {
    while interruption == nil {
      let left = Self.milliseconds(until: deadline)
      let ready = try poll([.init(streams.output, .hangUp)] + (input.map { [.init($0, .input)] } ?? []), left)
      if interruption == nil && ready[0] { interruption = .hangUp }
      if ready.count > 1 && ready[1] { return true }
      if left == 0 { break }
    }
    return false
  }

  /// Waits until a child may have ended, for a moment, or for a signal.
  mutating func waitForChild(until deadline: Double?) throws(ToolFailure) {
    // Should the byte that tells of its end ever be lost, that costs a second.
    _ = try poll([], Self.milliseconds(until: min(deadline ?? .infinity, Clock.monotonic() + 1)))
  }

  /// Whether nobody reads standard output any more.
  mutating func checkOutput() throws(ToolFailure) {
    guard interruption == nil else { return }
    do { if try streams.output.isHungUp { interruption = .hangUp } } catch { throw .waiting(error) }
  }

  mutating func forgetLastWords() { lastWords = LastLine() }

  /// Waits for all that is always waited for, and for more.
  /// - Returns: what of `more` is ready.
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
    if case .signal? = interruption { isUrged = true } else { interruption = .signal(Int32(number[0])) }
  }

  /// Copies what COMMAND has said at last, when it has ended.
  mutating func copyLastErrors() throws(ToolFailure) {
    try copyErrors()
    while interruption == nil, !hasRoom { _ = try poll([], -1) }
  }

  /// Where there is room at all in a pipe, there is for this many bytes (_POSIX_PIPE_BUF).
  private static let room = 512
  /// A COMMAND that says more than a pipe holds at once is read on after a look at signals and times.
  private static let mostWrites = 128

  /// Copies what COMMAND has said, as far as that needs no waiting.
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

  private static func milliseconds(until deadline: Double?) -> Int32 {
    guard let deadline else { return -1 }
    return Int32((max(0, min(deadline - Clock.monotonic(), 3600)) * 1000).rounded(.up))
  }
}

/// The last line with something in it, of what comes in pieces.
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

  /// Empty where there was none.
  var text: [UInt8] { Array(line.trimmed()) }
}
