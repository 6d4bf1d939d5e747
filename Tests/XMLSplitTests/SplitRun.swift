import Synchronization
import TestSupport

@testable import FeedCore
@testable import xml_split

/// Runs xml-split in the test process, on input that comes in pieces.
struct SplitRun {
  let output: [UInt8]
  let error: String
  let status: Int32?
  /// How many bytes of the input had been read at its first message; nil if there was none.
  let readWhenTold: Int?

  /// - Parameters:
  ///   - piece: the most bytes that a read returns.
  ///   - end: how many bytes come in such pieces; the rest comes at once.
  init(_ arguments: [String], _ input: [UInt8], piece: Int = .max, until end: Int = .max) {
    let streams = Mutex(Streams(input: input, piece: piece, end: end))
    let calls = SystemCalls(
      read: { _, free in
        let part = streams.withLock { $0.read(upTo: free.freeCapacity) }
        for byte in part { free.append(byte) }
        return .init(count: part.count)
      },
      write: { descriptor, bytes in
        streams.withLock { streams in
          for index in 0..<bytes.count { streams.take(bytes[index], isError: descriptor == Self.error) }
        }
        return .init(count: bytes.count)
      },
      // All runs share the descriptors. After EINTR the tool assumes that one is closed, but it stays open.
      failure: { $0 == .close ? EINTR : nil })
    status =
      xmlSplit.run(
        arguments.map { Array($0.utf8) },
        StandardStreams(
          program: "xml-split", input: Descriptor(Self.ended, calls: calls),
          output: Descriptor(Self.open, calls: calls),
          error: Descriptor(Self.error, calls: calls)), xml_split::run)?.rawValue
    let result = streams.withLock { $0 }
    output = result.output
    error = String(decoding: result.error, as: UTF8.self)
    readWhenTold = result.readWhenTold
  }

  private struct Streams {
    let input: [UInt8]
    let piece: Int
    let end: Int
    var position = 0
    var output: [UInt8] = []
    var error: [UInt8] = []
    var readWhenTold: Int?

    mutating func read(upTo count: Int) -> ArraySlice<UInt8> {
      let part = input[position...].prefix(position < end ? min(piece, count) : count)
      position += part.count
      return part
    }

    mutating func take(_ byte: UInt8, isError: Bool) {
      if !isError { return output.append(byte) }
      if readWhenTold == nil { readWhenTold = position }
      error.append(byte)
    }
  }

  /// Polled in place of the tool's streams: it never has to wait.
  private static let ended: Int32 = {
    let pipe = Child.pipe()
    close(pipe.write)
    return pipe.read
  }()
  private static let open = Child.pipe().write
  private static let error = Child.pipe().write
}
