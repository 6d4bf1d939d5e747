import Testing

@testable import FeedCore

@Suite struct PollerTests {
  @Test func tellsWhatHasCome() throws {
    var one = try Poller()
    let (output, input) = try Descriptor.pipe()
    try one.add(output, .input, as: 7)
    try one.add(input, .output, as: 8)
    #expect(try one.wait(milliseconds: -1) == [PollNotice(token: 8, events: .output)])
    try one.change(input, [], as: 8)
    #expect(try one.wait(milliseconds: 0) == [])
    input.write([1].span)
    // Reported again and again, until it is accepted.
    for _ in 0..<2 { #expect(try one.wait(milliseconds: -1) == [PollNotice(token: 7, events: .input)]) }
    try one.remove(output)
    #expect(try one.wait(milliseconds: 0) == [])
    input.closeQuietly()
    output.closeQuietly()
  }

  @Test func tellsThatNobodyReads() throws {
    var poller = try Poller()
    let (output, input) = try Descriptor.pipe()
    try poller.add(input, .output, as: .max)
    output.closeQuietly()
    #expect(try poller.wait(milliseconds: -1) == [PollNotice(token: .max, events: [.input, .output])])
    input.closeQuietly()
    #expect(try poller.wait(milliseconds: 0) == [])
  }

  /// A file is always ready, as in poll(2).
  @Test func filesAreReady() throws {
    var poller = try Poller()
    let file = try Descriptor.open(reading: Array("/dev/null".utf8))
    try poller.add(file, .input, as: 9)
    for _ in 0..<2 { #expect(try poller.wait(milliseconds: -1).contains { $0.token == 9 }) }
    try poller.remove(file)
    #expect(try poller.wait(milliseconds: 0) == [])
    file.closeQuietly()
  }
}
