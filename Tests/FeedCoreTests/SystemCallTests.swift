import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedCore

/// A kernel in which one kind of call fails.
private func calls(failing call: SystemCalls.Call, _ code: Int32, times: Int = .max) -> SystemCalls {
  let left = FailureCount(times)
  return SystemCalls(failure: { $0 == call && left.take() ? code : nil })
}

private final class FailureCount: Sendable {
  private let left: Mutex<Int>

  init(_ left: Int) { self.left = Mutex(left) }

  func take() -> Bool {
    left.withLock { left in
      defer { left -= 1 }
      return left > 0
    }
  }
}

@Suite struct SystemCallTests {
  /// Whatever fails, the file is the old one or the new one, and no other file remains.
  @Test(arguments: [SystemCalls.Call.open, .sync, .close, .rename, .link], [EIO, ENOSPC, EDQUOT, EMFILE, ENOMEM])
  func aFileIsOldOrNewWhenACallFails(_ call: SystemCalls.Call, _ code: Int32) throws {
    for skipped in 0..<3 {
      let scratch = try ScratchFolder()
      try scratch.write("f", "old")
      let passing = FailureCount(skipped)
      let failing = SystemCalls(failure: { $0 == call && !passing.take() ? code : nil })
      var error: SystemError?
      do {
        var file = AtomicFile(Array(scratch.file("f").utf8), calls: failing)
        file.backup = Array("~".utf8)
        try file.replace { $0.append("new") }
      } catch let thrown {
        error = thrown
      }
      if skipped == 0 { #expect(error == SystemError(code: code)) }
      let found = try scratch.read("f")
      #expect(found == "new" || (found == "old" && error != nil))
      let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
      #expect(Set(names).isSubset(of: ["f", "f~"]), "\(names)")
    }
  }

  @Test(arguments: [SystemCalls.Call.open, .sync, .rename, .link])
  func anInterruptedCallIsMadeAgain(_ call: SystemCalls.Call) throws {
    let scratch = try ScratchFolder()
    try scratch.write("f", "old")
    var file = AtomicFile(Array(scratch.file("f").utf8), calls: calls(failing: call, EINTR, times: 3))
    file.backup = Array("~".utf8)
    try file.replace { $0.append("new") }
    #expect(try scratch.read("f") == "new" && scratch.read("f~") == "old")
  }

  @Test func aFailingPollIsNoClosedPipe() throws {
    let broken = calls(failing: .poll, ENOMEM)
    let descriptor = Descriptor(0, calls: broken)
    let error = SystemError(code: ENOMEM)
    #expect(throws: error) { try descriptor.hasInput }
    #expect(throws: error) { try descriptor.isHungUp }
    #expect(throws: error) { try Interrupts(.standardOutput).wait(for: [.init(descriptor, .input)], until: 0) }
  }

  /// If a descriptor accepts nothing now, the write waits. If the wait fails too, that is an error, not an endless
  /// loop.
  @Test func aWriteThatCannotWaitFails() throws {
    let broken = SystemCalls(
      write: { _, _ in .init(count: -1, errno: EAGAIN) }, failure: { $0 == .poll ? ENOMEM : nil })
    #expect(Descriptor(99, calls: broken).write([1].span).error == SystemError(code: ENOMEM))
  }

  @Test func aPollerSaysWhatFailed() throws {
    let error = SystemError(code: ENOSPC)
    #expect(throws: error) { try Poller(calls: calls(failing: .createPoller, ENOSPC)) }
    let (output, input) = try Descriptor.pipe()
    var poller = try Poller(calls: calls(failing: .controlPoller, ENOSPC))
    #expect(throws: error) { try poller.add(output, .input, as: 1) }
    output.closeQuietly()
    input.closeQuietly()
    var waiting = try Poller(calls: calls(failing: .waitForPoller, ENOSPC))
    #expect(throws: error) { try waiting.wait(milliseconds: 0) }
    // A signal is not a failure: the caller checks again.
    var interrupted = try Poller(calls: calls(failing: .waitForPoller, EINTR))
    #expect(try interrupted.wait(milliseconds: 0) == [])
  }

  @Test(arguments: [SystemCalls.Call.socket, .bind, .listen, .control, .setOption])
  func aListenerSaysWhatFailed(_ call: SystemCalls.Call) throws {
    let address = try SocketAddress.resolve(host: Array("127.0.0.1".utf8), port: 0)[0]
    #expect(throws: SystemError(code: ENOBUFS)) {
      try Descriptor.bound(to: address, calls: calls(failing: call, ENOBUFS)).listen()
    }
  }

  @Test func acceptTellsItsOwnErrorsFromThoseOfOneClient() throws {
    let address = try SocketAddress.resolve(host: Array("127.0.0.1".utf8), port: 0)[0]
    let listener = try Descriptor.bound(to: address)
    defer { listener.closeQuietly() }
    try listener.listen()
    #expect(throws: SystemError(code: EMFILE)) {
      try Descriptor(listener.number, calls: calls(failing: .accept, EMFILE)).accept()
    }
    for code in [ECONNABORTED, EPROTO, ENETDOWN] {
      guard
        case .lost(SystemError(code: code)) = try Descriptor(listener.number, calls: calls(failing: .accept, code))
          .accept()
      else { Issue.record("errno \(code) is not one of one client"); continue }
    }
    guard case .none = try listener.accept() else { Issue.record("there is a client"); return }
  }

  @Test func whatAKilledProcessLeftIsSwept() throws {
    let scratch = try ScratchFolder()
    let path = Array(scratch.file("state").utf8)
    // Process IDs are below four million, so these never existed.
    for name in [".state.99999999.tmp", ".state.99999998.tmp", ".other.99999999.tmp", ".state.1.tmp", ".state.tmp"] {
      try scratch.write(name, "x")
    }
    var files = TemporaryFiles()
    files.sweep(beside: path)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        == [".other.99999999.tmp", ".state.1.tmp", ".state.tmp"])
  }
}
