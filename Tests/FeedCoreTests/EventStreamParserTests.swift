import Foundation
import TestSupport
import Testing

@testable import FeedCore

struct EventStreamParserTests {
  @Test(arguments: StreamCase.all)
  func case_(_ example: StreamCase) throws {
    for chunks in chunkings(of: example.chunks) {
      let outcome = try StreamOutcome(parsing: chunks)
      #expect(outcome.items == example.items, "as \(chunks)")
      #expect(outcome.lastEventID == example.lastEventID, "as \(chunks)")
    }
  }

  @Test func thereAreCases() { #expect(StreamCase.all.count > 20) }

  @Test(arguments: ["data: ", "data: 12\ndata: ", "event: e\n: note\ndata:"])
  func dataMayBeAsLongAsTheLimit(_ start: String) throws {
    let before = start.contains("12") ? 3 : 0
    for (size, fits) in [(9, true), (10, true), (11, false), (12, false)] {
      let text = start + String(repeating: "x", count: size - before) + "\n\n"
      for chunks in chunkings(of: [Array(text.utf8)]) {
        if fits {
          #expect(try StreamOutcome(parsing: chunks, maxEventSize: 10).items.count >= 1)
        } else {
          #expect(throws: EventStreamParser.TooLarge.self) { try StreamOutcome(parsing: chunks, maxEventSize: 10) }
        }
      }
    }
  }

  @Test(arguments: ["id: ", "event: ", ": ", "retry: "])
  func otherValuesAreBoundedToo(_ start: String) throws {
    let fits = Array((start + "1234567890\n").utf8)
    let isTooLong = Array((start + "12345678901").utf8)
    for chunks in chunkings(of: [fits]) { _ = try StreamOutcome(parsing: chunks, maxEventSize: 10) }
    for chunks in chunkings(of: [isTooLong]) {
      #expect(throws: EventStreamParser.TooLarge.self) { try StreamOutcome(parsing: chunks, maxEventSize: 10) }
    }
  }

  @Test func unknownLinesAreNotHeld() throws {
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    let chunks = [line, line, Array("\ndata: a\n\n".utf8)]
    #expect(try StreamOutcome(parsing: chunks, maxEventSize: 10).items == [">\(Array("message".utf8))|[]|\([97])"])
  }

  @Test func aRestartKeepsOnlyTheID() throws {
    var parser = EventStreamParser()
    func feed(_ text: String) throws -> [[UInt8]] {
      var data: [[UInt8]] = []
      var index = 0
      let bytes = Array(text.utf8)
      while let item = try parser.next(bytes.span, from: &index) {
        if item == .event { data.append(parser.data(in: bytes.span)) }
      }
      return data
    }
    #expect(try feed("id: 1\ndata: a\n\nevent: x\nid: 2\ndata: b").count == 1)
    parser.restart()
    #expect(try feed("\u{FEFF}data: c\n\n") == [Array("c".utf8)])
    #expect(parser.type == Array("message".utf8))
    #expect(parser.lastEventID == Array("1".utf8))
  }

  @Test func aWrittenStreamReadsTheSame() throws {
    for example in StreamCase.all {
      let expected = example.items.filter { !$0.hasPrefix("@") }
      var parser = EventStreamParser(keepsComments: true)
      var writer = EventStreamWriter()
      var output = ByteWriter()
      var index = 0
      let bytes = Array(example.chunks.joined())
      while let item = try parser.next(bytes.span, from: &index) {
        switch item {
        case .event:
          writer.write(type: parser.type, id: parser.lastEventID, data: parser.data(in: bytes.span), to: &output)
        case .comment: writer.write(comment: parser.comment, to: &output)
        case .retry: break
        }
      }
      #expect(try StreamOutcome(parsing: [output.take()]).items == expected)
    }
  }

  // MARK: The conformance suite, if it exists

  struct Suite: Decodable {
    struct Event: Decodable { let event: String, data: String, id: String }
    let name: String
    let chunks: [Data]
    let events: [Event]
    let retry: Int?
    let lastEventId: String
  }

  @Test(.enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"))
  func conformanceSuite() throws {
    let cases = try JSONDecoder().decode([Suite].self, from: Repository.conformanceFile("sse-cases.json"))
    #expect(cases.count >= 78)
    for example in cases {
      let expected = example.events.map { ">\(Array($0.event.utf8))|\(Array($0.id.utf8))|\(Array($0.data.utf8))" }
      for chunks in chunkings(of: example.chunks.map(Array.init)) {
        let outcome = try StreamOutcome(parsing: chunks)
        #expect(outcome.items.filter { $0.hasPrefix(">") } == expected, "\(example.name)")
        #expect(outcome.items.last { $0.hasPrefix("@") } == example.retry.map { "@\($0)" }, "\(example.name)")
        #expect(outcome.lastEventID == Array(example.lastEventId.utf8), "\(example.name)")
      }
    }
  }
}
