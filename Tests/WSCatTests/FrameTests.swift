import TestSupport
import Testing

@testable import ws_cat

/// The frames of Tests/Fixtures/ws/frames.txt and compressed.txt: whole, cut at every byte, and byte by byte.
@Suite struct FrameTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let line: String
    let bytes: [UInt8]
    let items: [String]
    let isCompressed: Bool

    var testDescription: String { line }

    static let all = inFile("ws/frames.txt", isCompressed: false) + inFile("ws/compressed.txt", isCompressed: true)

    private static func inFile(_ name: String, isCompressed: Bool) -> [Case] {
      guard let lines = try? Fixtures.lines(name) else { return [] }
      return lines.map { _, line in
        let sides = line.split(separator: "=>", omittingEmptySubsequences: false).map(String.init)
        let items = sides[1].split(separator: ";").map { item in
          item.split(separator: " ").map { $0.contains("*") && $0.first != "!" ? repeated($0) : String($0) }
            .joined(separator: " ")
        }
        return Case(line: line, bytes: bytes(sides[0]), items: items, isCompressed: isCompressed)
      }
    }

    /// `61*3` is `616161`, and for text it is `aaa`.
    private static func repeated(_ word: Substring) -> String {
      let parts = word.split(separator: "*").map(String.init)
      return String(repeating: parts[0], count: Int(parts[1]) ?? 0)
    }

    static func bytes(_ text: String) -> [UInt8] {
      text.split(separator: " ").flatMap { word -> [UInt8] in
        let digits = Array((word.contains("*") ? repeated(word) : String(word)).utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
          UInt8(String(decoding: digits[place..<(place + 2)], as: UTF8.self), radix: 16)
        }
      }
    }
  }

  @Test func thereAreCases() { #expect(Case.all.count > 85 && Case.all.filter(\.isCompressed).count > 20) }

  @Test(arguments: Case.all)
  func howeverTheyAreCut(_ item: Case) throws {
    let expected = item.items
    func items(_ pieces: [[UInt8]]) throws -> [String] { try Self.items(of: pieces, isCompressed: item.isCompressed) }
    let whole = try items([item.bytes])
    #expect(Self.same(whole, expected), "\(whole)")
    #expect(Self.same(try items(item.bytes.map { [$0] }), expected), "byte by byte")
    for cut in item.bytes.indices {
      let pieces = [Array(item.bytes[..<cut]), Array(item.bytes[cut...])]
      #expect(Self.same(try items(pieces), expected), "cut at \(cut)")
    }
  }

  /// An error is found at its first byte: nothing after it is read. Only zlib may see more at once.
  @Test(arguments: Case.all.filter { $0.line.contains("!") && !$0.isCompressed })
  func errorsAreEarly(_ item: Case) throws {
    let short = try Self.items(of: [Array(item.bytes.dropLast())], isCompressed: false)
    #expect(!short.contains { $0.hasPrefix("!") }, "known before the last byte: \(short)")
  }

  /// A long text in the table is in hexadecimal too.
  private static func same(_ found: [String], _ expected: [String]) -> Bool {
    found
      == expected.map { item in
        let words = item.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, words[0] != "binary", words[1].count > 100,
          words[1].allSatisfy({ $0 == "6" || $0 == "1" })
        else { return item }
        return words[0] + " " + String(repeating: "a", count: words[1].count / 2)
      }
  }

  private static func items(of pieces: [[UInt8]], isCompressed: Bool) throws -> [String] {
    let inflater = isCompressed ? try MessageInflater(keepsWindow: true) : nil
    var parser = FrameParser(maxMessage: 300, inflater: inflater)
    var found: [String] = []
    do throws(ProtocolError) {
      for piece in pieces {
        var index = 0
        while let item = try parser.next(piece.span, from: &index) { found.append(shown(item, parser)) }
        if index != piece.count { found.append("stopped at \(index)") }
      }
    } catch {
      found.append("! \(error.code) \(error.message)")
    }
    return found
  }

  private static func shown(_ item: FrameParser.ParsedItem, _ parser: FrameParser) -> String {
    func text(_ name: String, _ bytes: [UInt8]) -> String {
      bytes.isEmpty ? name : name + " " + String(decoding: bytes, as: UTF8.self)
    }
    switch item {
    case .message where parser.isText: return text("text", parser.message)
    case .message:
      let digits = parser.message.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return digits.isEmpty ? "binary" : "binary " + digits
    case .ping: return text("ping", parser.control)
    case .pong: return text("pong", parser.control)
    case .close(let code): return text("closed" + (code.map { " \($0)" } ?? ""), parser.control)
    }
  }

  // MARK: Our frames

  @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 127, 65535, 65536, 70001])
  func whatIsWrittenIsRead(_ length: Int) {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var frame: [UInt8] = []
    FrameWriter.append(.binary, payload.span, mask: 0x0102_83FF, to: &frame)
    let head = length < 126 ? 2 : length < 65536 ? 4 : 10
    #expect(frame.count == head + 4 + length && frame[0] == 0x82 && frame[1] & 0x80 != 0)
    let mask = Array(frame[head..<(head + 4)])
    #expect(mask == [0x01, 0x02, 0x83, 0xFF])
    // Unmasked, it is a server's frame.
    var bare = Array(frame[..<head])
    bare[1] &= 0x7F
    for (index, byte) in frame[(head + 4)...].enumerated() { bare.append(byte ^ mask[index % 4]) }
    var parser = FrameParser(maxMessage: .max)
    var index = 0
    #expect((try? parser.next(bare.span, from: &index)) == .message)
    #expect(parser.message == payload && index == bare.count)
  }

  @Test func everyFrameHasAMaskOfItsOwn() {
    var masks: Set<[UInt8]> = []
    let nothing: [UInt8] = []
    for _ in 0..<1000 {
      var frame: [UInt8] = []
      FrameWriter.append(.text, nothing.span, to: &frame)
      masks.insert(Array(frame[2...]))
    }
    #expect(masks.count > 990)
  }

  @Test func whatWasNotSentComesBack() {
    var outbox = Outbox()
    let messages = ["a", "b", "c"].map { OutgoingMessage(bytes: Array($0.utf8)) }
    outbox.append(messages[0], isKept: true)
    outbox.append(.ping, [])
    outbox.append(messages[1], isKept: true)
    outbox.append(messages[2], isKept: true)
    // Seven bytes each; the ping has six.
    #expect(outbox.pending.count == 27 && outbox.unsent(0) == messages)
    outbox.take(7, unsent: 0)
    #expect(outbox.unsent(0) == Array(messages[1...]))
    #expect(outbox.unsent(1) == messages)
    outbox.take(12, unsent: 0)
    #expect(outbox.unsent(0) == Array(messages[1...]))
    outbox.take(8, unsent: 3)
    #expect(outbox.isEmpty && outbox.unsent(3) == Array(messages[2...]))
    #expect(outbox.unsent(0).isEmpty)
    outbox.take(0, unsent: 0)
    #expect(outbox.unsent(3).isEmpty)
  }

  /// The server has closed: the frame in progress is finished, the rest is for the next connection.
  @Test(arguments: 0...20)
  func whatHasNotBegunIsWithdrawn(_ taken: Int) {
    var outbox = Outbox()
    let messages = ["a", "b"].map { OutgoingMessage(bytes: Array($0.utf8)) }
    outbox.append(messages[0], isKept: true)
    outbox.append(.ping, [])
    outbox.append(messages[1], isKept: true)
    outbox.take(taken, unsent: 0)
    outbox.withdraw()
    // The first message ends at 7, the ping at 13, the second message at 20.
    let first = taken > 0 ? 7 : 0
    let second = taken > 13 ? 7 : 0
    #expect(outbox.pending.count == first + 6 + second - taken)
    outbox.append(.close, [])
    outbox.take(outbox.pending.count, unsent: 0)
    #expect(outbox.isEmpty)
    #expect(outbox.unsent(0) == messages.enumerated().filter { [first, second][$0.offset] == 0 }.map(\.element))
  }

  @Test func theOutboxDoesNotGrow() {
    var outbox = Outbox()
    for _ in 0..<10_000 {
      outbox.append(.pong, [UInt8](repeating: 0, count: 100))
      outbox.take(106 - (outbox.pending.count > 1000 ? 0 : 1), unsent: 0)
    }
    #expect(!outbox.isEmpty && outbox.bytes.count < 10_000)
  }

  @Test func aServerThatClosesGetsOneResponse() throws {
    var session = try Session(maxMessage: 100)
    session.send(OutgoingMessage(bytes: [0x61]), isKept: true)
    session.close(1000)
    let bytes: [UInt8] = [0x88, 0x02, 0x03, 0xF0]
    var index = 0
    #expect(try !session.next(bytes.span, from: &index))
    #expect(session.hasReceivedClose && session.closeCode == 1008)
    // The close frame alone.
    #expect(session.outbox.pending.count == 8 && session.hasSentClose)
    #expect(session.outbox.unsent(0) == [OutgoingMessage(bytes: [0x61])])
  }

  @Test func whatIsSaidAgainAnywayDoesNotQueue() throws {
    var session = try Session(maxMessage: 100)
    for _ in 0..<100_000 { session.ping() }
    #expect(session.isFull && session.outbox.pending.count < 65 * 1024)
  }

  // MARK: Compression

  /// Random messages of random kinds, packed by us and unpacked by us, with every agreement. (LibraryTests has others at
  /// the other end.)
  @Test(arguments: [true, false], [9, 15])
  func whatIsPackedIsUnpacked(_ keepsWindow: Bool, _ windowBits: Int) throws {
    let deflater = try MessageDeflater(keepsWindow: keepsWindow, windowBits: windowBits)
    let inflater = try MessageInflater(keepsWindow: keepsWindow)
    var parser = FrameParser(maxMessage: 200_000, inflater: inflater)
    for size in [1, 2, 10, 10, 300, 65_535, 65_536, 200_000, 5] + (0..<50).map({ $0 * 7 % 90 + 1 }) {
      let isRandom = size % 2 == 0
      let message = (0..<size).map { _ in UInt8.random(in: isRandom ? 0...255 : 97...99) }
      var frame: [UInt8] = []
      FrameWriter.append(.binary, deflater.packed(message.span).span, isCompressed: true, mask: 0, to: &frame)
      frame[1] &= 0x7F
      let head = frame[1] < 126 ? 2 : frame[1] == 126 ? 4 : 10
      frame.removeSubrange(head..<(head + 4))
      var index = 0
      #expect(try parser.next(frame.span, from: &index) == .message)
      #expect(parser.message == message && index == frame.count)
    }
  }
}
