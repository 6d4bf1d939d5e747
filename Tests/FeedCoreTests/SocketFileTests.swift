import Testing

@testable import FeedCore

/// Names of Unix domain sockets, and their owners. Sockets are made in Tests/Cases/sse-serve/sockets.cases, each by a process
/// of its own, because the umask belongs to the process.
@Suite struct SocketFileTests {
  @Test func names() {
    let longest = [UInt8](repeating: UInt8(ascii: "a"), count: SocketAddress.longestUnixName)
    #expect(SocketAddress(unixName: longest)?.unixName == longest)
    #expect(SocketAddress(unixName: longest + [0x61]) == nil)
    #expect(SocketAddress(unixName: []) == nil)
    #expect(SocketAddress(unixName: [0x61, 0]) == nil)
    #expect(SocketAddress(unixName: Array("/\n".utf8))?.text == "unix:/\\x0a")
    #expect(SocketAddress(unixName: [0x61])?.isLoopback == false)
    #if os(Linux)
      #expect(SocketAddress(unixName: [0, 0x61])?.text == "unix:@a")
    #endif
  }

  @Test(arguments: ["", ":", "root:", "a:b:c"]) func malformedOwner(_ text: String) {
    #expect(throws: FileOwner.OwnerProblem.malformed) { try FileOwner(Array(text.utf8)) }
  }

  /// The greatest number would keep the owner.
  @Test(arguments: ["4294967295", "-1", "+1", "no such user"]) func unknownOwner(_ text: String) {
    let refusal = FileOwner.OwnerProblem.unknown(kind: "user", name: Array(text.utf8))
    #expect(throws: refusal) { try FileOwner(Array(text.utf8)) }
  }

  @Test(arguments: ["0", "0:0", ":0", "4294967294"]) func numbers(_ text: String) throws {
    _ = try FileOwner(Array(text.utf8))
  }
}
