import Foundation
import Synchronization
import TestSupport

@testable import FeedCore

/// The failures of reads and writes for a tool that runs in the test process.
struct Faults: Sendable {
  /// The most bytes that a read or write moves.
  var piece = Int.max
  /// Whether every second read and write is interrupted by a signal.
  var isInterrupted = false
  /// The room on standard output, in bytes.
  var room = Int.max

  static let none = Faults()
  static let shortAndInterrupted = Faults(piece: 1, isInterrupted: true)
}

extension Sample {
  /// Whether the tool can run in the test process. sse-serve cannot: it catches the signals of the process, and leaves
  /// its sockets open until the process ends. Nor can deliver: it asks for the end of any child of the process. Nor can
  /// ws-cat here: its server is the program that starts it.
  var runsHere: Bool { command.hasPrefix(tool + " ") && !["sse-serve", "deliver"].contains(tool) }

  /// Runs the tool in the test process, by the same `run` as its main.swift: thousands of runs take only as long as a
  /// few processes.
  func runHere(input: Data? = nil, _ faults: Faults = .none) throws -> Result {
    let source = MemoryStream(Array(input ?? self.input))
    return try runHere(reading: Descriptor(Self.ended, calls: source.calls(faults)), faults)
  }

  func runHere(reading input: Descriptor, _ faults: Faults = .none) throws -> Result {
    let spec = try Tables.of(tool)
    let (output, errors) = (MemoryStream(), MemoryStream())
    let streams = StandardStreams(
      program: tool, input: input, output: Descriptor(Self.open, calls: output.calls(faults)),
      error: Descriptor(Self.open, calls: errors.calls(.none)))
    let status = try spec.run(words.dropFirst().map { Array($0.utf8) }, streams, Tables.run(tool))
    return Result(
      output: Data(output.bytes), error: String(decoding: errors.bytes, as: UTF8.self),
      status: status?.rawValue ?? 128 + SIGPIPE)
  }

  /// The words of the command, split as by a shell: at blanks, without quotes.
  var words: [String] {
    let parts = command.split(separator: "'", omittingEmptySubsequences: false)
    return parts.enumerated().reduce(into: [""]) { words, part in
      let isQuoted = part.offset % 2 == 1
      let pieces = isQuoted ? [part.element] : part.element.split(separator: " ", omittingEmptySubsequences: false)
      words[words.count - 1] += pieces[0]
      words += pieces.dropFirst().map(String.init)
    }
  }

  /// Polled in place of standard input: it never has to wait.
  private static let ended: Int32 = {
    let pipe = Child.pipe()
    close(pipe.write)
    return pipe.read
  }()

  /// Polled in place of standard output: it has a reader, and there is always room.
  private static let open = Child.pipe().write
}

/// The bytes that a tool reads from a stream, or has written to one.
private final class MemoryStream: Sendable {
  private struct State {
    var bytes: [UInt8]
    var done = 0
    var calls = 0

    mutating func isInterrupted(_ faults: Faults) -> Bool {
      calls += 1
      return faults.isInterrupted && calls % 2 == 1
    }
  }

  private let state: Mutex<State>

  init(_ bytes: [UInt8] = []) { state = Mutex(State(bytes: bytes)) }

  var bytes: [UInt8] { state.withLock { $0.bytes } }

  func calls(_ faults: Faults) -> SystemCalls {
    SystemCalls(
      read: { [self] _, free in
        let part = state.withLock { state -> ArraySlice<UInt8>? in
          if state.isInterrupted(faults) { return nil }
          let part = state.bytes[state.done...].prefix(min(faults.piece, free.freeCapacity))
          state.done += part.count
          return part
        }
        guard let part else { return .init(count: -1, errno: EINTR) }
        for byte in part { free.append(byte) }
        return .init(count: part.count)
      },
      write: { [self] _, bytes in
        state.withLock { state in
          if state.isInterrupted(faults) { return .init(count: -1, errno: EINTR) }
          let count = min(bytes.count, faults.piece, faults.room - state.bytes.count)
          if count == 0 { return .init(count: -1, errno: ENOSPC) }
          for index in 0..<count { state.bytes.append(bytes[index]) }
          return .init(count: count)
        }
      },
      // All runs share the descriptors. After EINTR the tool assumes that one is closed, but it stays open.
      failure: { $0 == .close ? EINTR : nil })
  }
}
