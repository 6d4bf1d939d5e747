import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedCore

/// A kernel with scripted answers.
final class ScriptedCalls: Sendable {
  private let script: Mutex<[SystemCalls.Answer]>
  private let taken = Mutex<[UInt8]>([])
  private let source: Mutex<ArraySlice<UInt8>>

  /// - Parameters:
  ///   - script: the answers; counts are cut to the available bytes, and after the last answer every call succeeds.
  ///   - source: the bytes that reads return.
  init(_ script: [SystemCalls.Answer], source: [UInt8] = []) {
    self.script = Mutex(script)
    self.source = Mutex(source[...])
  }

  var written: [UInt8] { taken.withLock { $0 } }

  private func answer(upTo count: Int) -> SystemCalls.Answer {
    let next = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let next, next.count <= count else { return .init(count: count) }
    return next
  }

  var calls: SystemCalls {
    SystemCalls(
      read: { _, free in
        let answer = self.answer(upTo: self.source.withLock { min($0.count, free.freeCapacity) })
        let part = self.source.withLock { source in
          defer { source.removeFirst(max(0, answer.count)) }
          return source.prefix(max(0, answer.count))
        }
        for byte in part { free.append(byte) }
        return answer
      },
      write: { _, bytes in
        let answer = self.answer(upTo: bytes.count)
        for index in 0..<max(0, answer.count) { self.taken.withLock { $0.append(bytes[index]) } }
        return answer
      })
  }
}

@Suite struct IOTests {
  static let interrupted = SystemCalls.Answer(count: -1, errno: EINTR)

  @Test func readsGoOnAfterASignal() throws {
    let kernel = ScriptedCalls(
      [Self.interrupted, .init(count: 1), Self.interrupted, Self.interrupted], source: [1, 2, 3])
    var reader = ByteReader(Descriptor(99, calls: kernel.calls))
    var found: [[UInt8]] = []
    while try reader.next() { found.append(reader.chunk) }
    #expect(found == [[1], [2, 3]])
  }

  @Test func readErrorsAreThrown() {
    let kernel = ScriptedCalls([.init(count: -1, errno: EIO)])
    var reader = ByteReader(Descriptor(99, calls: kernel.calls))
    #expect(throws: SystemError(code: EIO)) { try reader.next() }
  }

  @Test func shortAndInterruptedWritesLoseNothing() throws {
    let kernel = ScriptedCalls([.init(count: 2), Self.interrupted, .init(count: 1)])
    var writer = ByteWriter(Descriptor(99, calls: kernel.calls))
    writer.append("hello")
    writer.append(UInt8(ascii: "!"))
    try writer.flush()
    #expect(kernel.written == Array("hello!".utf8))
  }

  @Test func theFirstWriteErrorStays() {
    let kernel = ScriptedCalls([.init(count: 3), .init(count: -1, errno: ENOSPC)])
    var writer = ByteWriter(Descriptor(99, calls: kernel.calls))
    writer.append("hello")
    #expect(throws: SystemError(code: ENOSPC)) { try writer.flush() }
    writer.append("more")
    #expect(throws: SystemError(code: ENOSPC)) { try writer.flush() }
    #expect(throws: SystemError(code: ENOSPC)) { try writer.check() }
    #expect(kernel.written == Array("hel".utf8) && writer.accepted == 3)
  }

  @Test func largePiecesAndSmallOnesKeepTheirOrder() throws {
    let kernel = ScriptedCalls([])
    var writer = ByteWriter(Descriptor(99, calls: kernel.calls))
    var expected: [UInt8] = []
    for size in [1, 100_000, 3, 64 * 1024, 16 * 1024, 16 * 1024 - 1, 70_000, 0, 5] {
      let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &+ size) }
      writer.append(piece)
      expected += piece
    }
    try writer.flush()
    #expect(kernel.written == expected)
  }

  /// All of a file is read, however much of it is like what is known, and what comes again takes no more memory.
  @Test func whatComesAgainIsKeptOnce() throws {
    let scratch = try ScratchFolder()
    let contents: [[UInt8]] = [1, 65_536, 65_537, 140_000].map { size in
      (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 251) }
    }
    for old in [[]] + contents {
      let changed = [0, 65_535, 65_536, old.count - 1].filter(old.indices.contains).map { place in
        var changed = old
        changed[place] ^= 1
        return changed
      }
      for content in [[], old + [0]] + contents + changed {
        try Data(content).write(to: URL(fileURLWithPath: scratch.file("f")))
        func read(_ isFile: Bool, limit: Int) throws -> [UInt8] {
          // In pieces, as from a pipe, whose size is not known.
          let pieces = [SystemCalls.Answer](repeating: .init(count: 40_000), count: 10)
          let source =
            isFile
            ? try Descriptor.open(reading: Array(scratch.file("f").utf8))
            : Descriptor(-1, calls: ScriptedCalls(pieces, source: content).calls)
          defer { source.closeQuietly() }
          return try ByteReader.readAll(source, limit: limit, like: old)
        }
        for isFile in [true, false] {
          let found = try read(isFile, limit: content.count)
          let isShared = found.withUnsafeBytes { a in old.withUnsafeBytes { b in a.baseAddress == b.baseAddress } }
          #expect(found == content && (content.isEmpty || isShared == (content == old)))
          if !content.isEmpty {
            #expect(throws: SystemError.tooLarge) { try read(isFile, limit: content.count - 1) }
          }
        }
      }
    }
  }

  @Test func filesChangeWholeOrNotAtAll() throws {
    let scratch = try ScratchFolder()
    let path = Array(scratch.file("f").utf8)
    try AtomicFile(path).replace { $0.append("one") }
    #expect(try scratch.read("f") == "one")
    var file = AtomicFile(path)
    file.backup = Array("~".utf8)
    try file.replace { $0.append("two") }
    #expect(try scratch.read("f") == "two" && scratch.read("f~") == "one")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["f", "f~"])
    #expect(throws: SystemError(code: ENOENT)) {
      try AtomicFile(Array(scratch.file("none/f").utf8)).replace { $0.append("x") }
    }
    #expect(throws: SystemError(code: ENOENT)) { try AtomicFile(Array("a\0b".utf8)).replace { _ in } }
  }

  /// After a kill at any moment, a file is the old one or the new one.
  @Test func killedWhileWritingInPlace() throws {
    let scratch = try ScratchFolder()
    let old = "[" + String(repeating: "\"0123456789\",", count: 200_000) + "0]"
    let new = "[1," + old.dropFirst()
    var outcomes = Set<String>()
    for round in 0...24 {
      try scratch.write("doc.json", old)
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      defer { close(null) }
      let command = "exec jpatch -i -e '[{\"op\":\"add\",\"path\":\"/0\",\"value\":1}]' doc.json"
      let child = try Child(command, in: scratch.path, input: null, output: null, error: null)
      if round < 24 {
        usleep(UInt32(round * 1500))
        child.send(SIGKILL)
      }
      let status = child.wait()
      let found = try scratch.read("doc.json")
      #expect(found == old || found == new)
      outcomes.insert(found == old ? "old" : "new")
      // Or the process had already ended.
      if round == 24 { #expect(status == 0 && found == new) }
    }
    #expect(outcomes == ["old", "new"])
  }
}
