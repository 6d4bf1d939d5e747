import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP

/// Compressed bodies, as a transfer returns them.
@Suite struct BodyDecoderTests {
  typealias Act = HTTPTransferTests.Act

  /// The result for a body.
  struct Outcome: Equatable {
    var text: [UInt8] = []
    /// The size of each chunk.
    var sizes: [Int] = []
    var hasHead = false
    /// Nil if the body is complete.
    var error: HTTPError?

    static func == (left: Outcome, right: Outcome) -> Bool {
      left.text == right.text && left.hasHead == right.hasHead && left.error == right.error
    }
  }

  private func head(_ codings: String, _ first: String = "HTTP/1.1 200 OK", field: String = "Content-Encoding") -> Act {
    .head([first, "\(field): \(codings)", ""])
  }

  private func transfer(_ acts: [Act], method: String = "GET") throws -> HTTPTransfer {
    var request = HTTPRequest(url: try HTTPURL(Array("http://a/x".utf8)), userAgent: [])
    request.method = method
    return try HTTPTransfer(request, over: HTTPTransferTests.Transport([acts]))
  }

  /// Reads until the response has ended, or has been silent for long.
  private func run(_ acts: [Act], method: String = "GET") throws -> Outcome {
    let transfer = try transfer(acts, method: method)
    var outcome = Outcome()
    do throws(HTTPError) {
      for _ in 0..<10_000 {
        switch try transfer.next() {
        case .head?: outcome.hasHead = true
        case .body?:
          outcome.text += transfer.chunk
          outcome.sizes.append(transfer.chunk.count)
        case .end?: return outcome
        case nil: continue
        }
      }
      outcome.error = HTTPError(.timedOut, "no end")
    } catch {
      outcome.error = error
    }
    return outcome
  }

  private func whole(_ body: some Sequence<UInt8>) -> [Act] { [.bytes(Array(body)), .end] }

  // MARK: The table

  struct Row {
    let number: Int
    let codings: String
    /// The positions at which the body may end.
    let words: [[UInt8]]
    let outcome: Outcome

    var body: [UInt8] { Array(words.joined()) }

    init?(_ number: Int, _ line: String) {
      let parts = line.split(separator: " => ", maxSplits: 1)
      guard parts.count == 2, let colon = parts[0].firstIndex(of: ":") else { return nil }
      self.number = number
      codings = String(parts[0][..<colon])
      words = parts[0][parts[0].index(after: colon)...].split(separator: " ").map(Self.bytes)
      var outcome = Outcome(hasHead: !parts[1].hasPrefix("!! "))
      let result = parts[1].split(separator: "! ", maxSplits: 1, omittingEmptySubsequences: false)
      var text = result[0]
      if result.count == 2 {
        if text.hasSuffix(" ") || text.hasSuffix("!") { text.removeLast() }
        let message = String(result[1].drop { $0 == "!" || $0 == " " })
        let isFinal = message.hasPrefix("expected") || message.contains("goes on")
        outcome.error = HTTPError(isFinal ? .permanent : .transient, message)
      }
      outcome.text = text == "nothing" ? [] : Fixtures.bytes(text)
      self.outcome = outcome
    }

    private static func bytes(_ hex: Substring) -> [UInt8] {
      let digits = Array(hex.utf8)
      return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
      }
    }
  }

  private func rows() throws -> [Row] {
    try Fixtures.lines("http/codings.txt", atLeast: 60).map {
      try #require(Row($0.number, $0.text), "line \($0.number)")
    }
  }

  @Test func asWritten() throws {
    for row in try rows() {
      let pieces = row.body.map { Act.bytes([$0]) }
      #expect(try run([head(row.codings)] + whole(row.body)) == row.outcome, "line \(row.number)")
      #expect(try run([head(row.codings)] + pieces + [.end]) == row.outcome, "line \(row.number), byte by byte")
    }
  }

  @Test func cutAtEveryByte() throws {
    for row in try rows()
    where row.outcome.error == nil && ["gzip", "deflate"].contains(where: row.codings.lowercased().contains) {
      var ends = Set([0])
      for word in row.words { ends.insert(ends.max()! + word.count) }
      for count in 0..<row.body.count {
        let found = try run([head(row.codings)] + whole(row.body.prefix(count)))
        let error = ends.contains(count) ? nil : "the response ends before the end of its compressed data"
        #expect(found.error?.message == error, "line \(row.number), cut after \(count) bytes")
        #expect(found.error == nil || found.error?.kind == .transient)
        #expect(row.outcome.text.starts(with: found.text))
      }
    }
  }

  /// A broken connection is reported as such, after all the data before it.
  @Test func whatCameBeforeABreakIsGivenOut() throws {
    for row in try rows() where row.outcome.error == nil {
      let found = try run([head(row.codings), .bytes(row.body), .fail("connection lost")])
      #expect(found.error?.message == "connection lost" && found.text == row.outcome.text, "line \(row.number)")
    }
  }

  // MARK: Life and size

  /// Data that a server has flushed is returned as soon as it arrives.
  @Test func flushedDataIsGivenOutAtOnce() throws {
    let (first, second): ([UInt8], [UInt8]) = (flushed[0], flushed[1])
    let transfer = try transfer([head("gzip"), .bytes(first), .bytes(second)])
    #expect(try transfer.next() == .head)
    #expect(try transfer.next() == .body)
    #expect(transfer.chunk == Array("data: a\n\n".utf8))
    #expect(try transfer.next() == .body)
    #expect(transfer.chunk == Array("data: b\n\n".utf8))
    #expect(try transfer.next() == nil)
  }

  /// 32 members of 1 MiB of zeros arrive as 32 KiB, and at most 64 KiB of them are unpacked at once.
  @Test func aSmallBodyThatUnpacksToMuchComesInPieces() throws {
    let found = try run([head("gzip")] + whole(Array(repeatElement(mebibyte, count: 32).joined())))
    #expect(found.error == nil && found.text.count == 32 << 20)
    #expect(found.sizes.allSatisfy { $0 <= 64 * 1024 })
    // The same with two codings.
    let twice = try run([head("gzip, deflate")] + whole(stored(Array(repeatElement(mebibyte, count: 8).joined()))))
    #expect(twice.error == nil && twice.text.count == 8 << 20)
    #expect(twice.sizes.allSatisfy { $0 <= 64 * 1024 })
  }

  /// If a chunk is full exactly when its input is used up, the last input byte still has more output.
  @Test func nothingIsHeldBack() throws {
    for count in 20..<160 {
      let start = mebibyte.prefix(count)
      let atOnce = try run([head("gzip"), .bytes(Array(start)), .fail("cut")])
      let byBytes = try run([head("gzip")] + start.map { .bytes([$0]) } + [.fail("cut")])
      #expect(atOnce.error?.message == "cut" && atOnce.text.count == byBytes.text.count, "\(count) bytes")
    }
  }

  // MARK: Responses without a body, and refusals

  @Test(arguments: ["HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified"])
  func anResponseWithoutABodyHasNoCoding(_ first: String) throws {
    #expect(try run([head("br", first), .end]) == Outcome(hasHead: true))
    #expect(try run([head("gzip", first), .end]) == Outcome(hasHead: true))
  }

  @Test func norHasTheResponseToHead() throws {
    #expect(try run([head("br"), .end], method: "HEAD") == Outcome(hasHead: true))
  }

  /// Only the status matters. The readable part of the body goes into the message.
  @Test func aRefusalIsReadAsFarAsPossible() throws {
    let first = "HTTP/1.1 503 Busy"
    let text = Array("data: a\n\n".utf8)
    #expect(try run([head("gzip", first)] + whole(flushed[0])) == Outcome(text: text, hasHead: true))
    #expect(try run([head("gzip", first)] + whole(text)) == Outcome(hasHead: true))
    #expect(try run([head("br", first)] + whole(text)) == Outcome(hasHead: true))
    let broken = try run([head("gzip", first), .bytes(flushed[0]), .fail("connection lost")])
    #expect(broken == Outcome(text: text, hasHead: true, error: HTTPError(.transient, "connection lost")))
  }

  @Test func theBodyOfARedirectIsNotLookedAt() throws {
    let redirect = Act.head(["HTTP/1.1 302 Found", "Location: /y", "Content-Encoding: br", ""])
    let request = HTTPRequest(url: try HTTPURL(Array("http://a/x".utf8)), userAgent: [])
    let hops = HTTPTransferTests.Transport([[redirect, .body("x")], [head("gzip"), .bytes(flushed[0])]])
    let transfer = try HTTPTransfer(request, over: hops)
    #expect(try transfer.next() == .head)
    #expect(try transfer.next() == .body)
    #expect(transfer.chunk == Array("data: a\n\n".utf8))
  }

  // MARK: Where codings are declared

  @Test func severalFieldsAreOneList() throws {
    let inner = Act.head(["HTTP/1.1 200 OK", "Content-Encoding: gzip", "Content-Encoding: br", ""])
    #expect(try run([inner, .end]).error?.message == "expected a response in gzip or deflate, found 'br'")
  }

  /// We do not ask for transfer codings, but accept those that we know.
  @Test func transferCodingsComeOffFirst() throws {
    let both = Act.head(["HTTP/1.1 200 OK", "Transfer-Encoding: deflate, chunked", "Content-Encoding: gzip", ""])
    #expect(try run([both] + whole(stored(flushed[0]))).text == Array("data: a\n\n".utf8))
    #expect(try run([head("gzip, chunked", field: "Transfer-Encoding")] + whole(mebibyte)).text.count == 1 << 20)
  }
}

/// Made by Python: two events, each followed by Z_SYNC_FLUSH.
private let flushed: [[UInt8]] = [
  [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4A, 0x49, 0x2C, 0x49, 0xB4, 0x52, 0x48, 0xE4, 0xE2,
    0x02, 0x00, 0x00, 0x00, 0xFF, 0xFF,
  ],
  [0x4A, 0x01, 0x33, 0x92, 0xB8, 0xB8, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF],
]

/// Made by gzip: a member of 1 MiB of zeros.
private let mebibyte: [UInt8] =
  [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xC2, 0xA0,
    0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0,
  ] + Array(repeating: 0, count: 1016) + [0x3E, 0x03, 0x1C, 0xEA, 0x38, 0xA7, 0x00, 0x00, 0x10, 0x00]

/// Deflate without compression: stored blocks of at most 65535 bytes (RFC 1951 §3.2.4).
private func stored(_ bytes: [UInt8]) -> [UInt8] {
  let starts = Array(stride(from: 0, to: bytes.count, by: 65535))
  return starts.flatMap { start in
    let block = bytes[start..<min(start + 65535, bytes.count)]
    let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
    return [start == starts.last ? 1 : 0, low, high, ~low, ~high] + block
  }
}
