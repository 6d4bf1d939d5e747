import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedCore

/// A file that another program changes whenever a tool has read a part of it.
private final class ChangingFile: Sendable {
  private struct State {
    var random: SeededGenerator
    var read = Data()
  }

  private let number: Int32
  private let content: [UInt8]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - content: what is in the file at first.
  ///   - seed: chooses the changes.
  init(_ path: String, _ content: [UInt8], seed: UInt64) {
    number = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    self.content = content
    state = Mutex(State(random: SeededGenerator(seed: seed)))
    precondition(pwrite(number, content, content.count, 0) == content.count)
  }

  deinit { close(number) }

  /// Everything that reads have returned.
  var read: Data { state.withLock { $0.read } }

  /// Reads from the file, which has changed each time.
  var descriptor: Descriptor {
    Descriptor(
      number,
      calls: SystemCalls(read: { [self] number, free in
        state.withLock { state in
          change(&state.random)
          let count = min(free.freeCapacity, Int.random(in: 1...100_000, using: &state.random))
          var part = [UInt8](repeating: 0, count: count)
          let found = Foundation.read(number, &part, count)
          for byte in part.prefix(max(0, found)) { free.append(byte) }
          state.read.append(contentsOf: part.prefix(max(0, found)))
          return .init(count: found, errno: found < 0 ? errno : 0)
        }
      }))
  }

  /// Mostly nothing; else a cut, a part of the first content where it was or elsewhere, or more of it at the end.
  private func change(_ random: inout SeededGenerator) {
    let place = Int.random(in: 0...content.count, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: ftruncate(number, off_t(place))
    case 1: _ = pwrite(number, Array(content[place...]), content.count - place, off_t(place))
    case 2: _ = pwrite(number, Array(content[place...]), content.count - place, 0)
    case 3: _ = pwrite(number, "[]\n", 3, lseek(number, 0, SEEK_CUR))
    case 4: _ = pwrite(number, "  \n", 3, off_t(content.count))
    default: break
    }
  }
}

/// What a tool does with a file that changes meanwhile is what it does with the bytes that it has read: it prints all of
/// a result, or none and a message.
@Suite struct ChangingFileTests {
  @Test(arguments: ["jdiff OLD -", "jdiff - OLD", "jpatch NONE -", "jpatch THREE -"])
  func countsAsItWasRead(_ command: String) throws {
    let scratch = try ScratchFolder()
    // Larger than the first read, and quick to parse.
    let items = (0..<24).map { "{\"id\":\($0),\"text\":\"\(String(repeating: "news \($0) ", count: 400))\"}" }
    let text = "[\(items.joined(separator: ","))]\n"
    try scratch.write("OLD", text.replacingOccurrences(of: "news 23", with: "old 23"))
    try scratch.write("NONE", "[]")
    try scratch.write(
      "THREE", #"[{"op":"remove","path":"/0"},{"op":"add","path":"/1/a","value":2},{"op":"remove","path":"/2/id"}]"#
    )
    let words = command.split(separator: " ").map {
      $0.allSatisfy(\.isUppercase) ? scratch.file(String($0)) : String($0)
    }
    let sample = Sample(
      isLive: false, prints: true, status: 0, tool: words[0], command: words.joined(separator: " "), input: Data())
    var statuses: Set<Int32> = []
    for seed in 0..<UInt64(Dice.rolls(500)) {
      let file = ChangingFile(scratch.file("changing"), Array(text.utf8), seed: seed)
      let result = try sample.runHere(reading: file.descriptor)
      #expect(try result == sample.runHere(input: file.read), "seed \(seed)")
      if result.status > 1 { #expect(result.output.isEmpty && !result.error.isEmpty, "seed \(seed)") }
      statuses.insert(result.status)
    }
    #expect(statuses.contains(2) && statuses.count > 1, "\(statuses)")
  }
}
