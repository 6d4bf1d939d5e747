import FeedCore
import Synchronization

@testable import FeedCore
@testable import deliver

/// Options, as from the command line.
func given(_ words: String) throws -> Options {
  let arguments = words.split(separator: " ").map { Array($0.utf8) } + [Array("--".utf8), Array("true".utf8)]
  return try Options(deliver.parse(arguments))
}

/// An input that is read in given pieces.
final class Pieces: Sendable {
  private let left: Mutex<[[UInt8]]>

  init(_ pieces: [[UInt8]]) { left = Mutex(pieces) }

  var streams: StandardStreams {
    let calls = SystemCalls(
      read: { [self] _, free in
        let piece = left.withLock { left in left.isEmpty ? [] : left.removeFirst() }
        for byte in piece { free.append(byte) }
        return .init(count: piece.count)
      })
    return StandardStreams(program: "deliver", input: Descriptor(-1, calls: calls), error: Descriptor(-1))
  }
}

extension Batch {
  var records: [Record] { (0..<count).map { self[$0] } }
}
