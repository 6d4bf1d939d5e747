import Foundation
import TestSupport
import Testing

@testable import FeedCore
@testable import FeedZlib
@testable import sse_serve

/// The log, the index of events, and their queue, each compared with a model that keeps everything.
@Suite struct StreamTests {
  @Test(arguments: UInt64(1)...20)
  func theQueueKeepsNumbers(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = NumberedQueue(blank: -1)
    var (first, end) = (0, 0)
    for _ in 0..<2000 {
      if Int.random(in: 0..<5, using: &random) < 3 || first == end {
        queue.append(end * 2)
        end += 1
      } else {
        queue.removeFirst()
        first += 1
      }
      #expect(queue.first == first && queue.end == end && queue.isEmpty == (first == end))
      for number in first..<end { #expect(queue[number] == number * 2) }
      let bound = Int.random(in: first...end, using: &random)
      #expect(queue.firstNumber { $0 >= bound * 2 } == bound)
    }
  }

  @Test(arguments: UInt64(1)...20)
  func theLogIsOneSequence(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var log = ByteLog()
    var all = Data()  // compares a million bytes faster than an array does in a debug build
    var kept = 0
    for _ in 0..<200 {
      let size = [1, 50, 5000, 70_000].randomElement(using: &random) ?? 1
      let first = Int.random(in: 0...noise.count - size, using: &random)
      let bytes = Array(noise[first..<first + size])
      log.append(bytes)
      all += bytes
      #expect(log.end == all.count)
      if Int.random(in: 0..<4, using: &random) == 0 {
        kept = Int.random(in: kept...all.count, using: &random)
        log.drop(before: kept)
      }
      #expect(log.start <= kept)
      // At most a piece is dropped late.
      #expect(kept - log.start <= 70_000)
      // Read like a client, from some place on.
      var place = Int.random(in: kept...all.count, using: &random)
      while place < log.end {
        let (bytes, offset) = log.piece(at: place)
        #expect(offset < bytes.count && Data(bytes[offset...]) == all[place..<(place + bytes.count - offset)])
        place += bytes.count - offset
      }
      #expect(place == log.end)
    }
  }

  // MARK: Resuming

  /// The right responses of the index, from the list of all events.
  struct Model {
    var events: [(end: Int, id: [UInt8])] = []
    var limit: Options.Replay

    var windowFirst: Int {
      switch limit {
      case .events(let count): return max(0, events.count - count)
      case .bytes(let count):
        let end = events.last?.end ?? 0
        return events.indices.first { end - start($0) <= count } ?? events.count
      }
    }

    func start(_ number: Int) -> Int { number == 0 ? 0 : events[number - 1].end }

    func place(after id: [UInt8]) -> EventIndex.ResumePlace {
      guard !id.isEmpty else { return .unknown }
      let first = windowFirst
      let ends = events.indices.filter { $0 >= first - 1 && events[$0].id == id }.map { events[$0].end }
      guard let end = ends.first else { return .unknown }
      return ends.count == 1 ? .after(end) : .ambiguous(end)
    }
  }

  @Test(
    arguments: [.events(0), .events(1), .events(7), .bytes(1), .bytes(100), .bytes(100_000)] as [Options.Replay],
    [1, 3, 40, 100_000])
  func theIndexFindsWhatWasMissed(_ limit: Options.Replay, _ ids: Int) {
    var random = SeededGenerator(seed: UInt64(ids))
    var index = EventIndex(limit)
    var model = Model(limit: limit)
    var end = 0
    for _ in 0..<150 {
      end += Int.random(in: 1...30, using: &random)
      let number = Int.random(in: 0..<ids, using: &random)
      let id = number % 5 == 4 ? [] : Array("\(number)".utf8)
      index.append(end: end, id: id)
      model.events.append((end, id))
      #expect(index.lastID == id)
      #expect(index.windowStart == model.start(model.windowFirst))
      let some = (0..<8).compactMap { _ in model.events.randomElement(using: &random)?.id }
      for known in some + model.events.suffix(3).map(\.id) + [Array("no".utf8)] {
        #expect(index.place(after: known) == model.place(after: known))
      }
    }
  }

  /// Both encodings of a stream, whatever was dropped from them: where a client begins, and where events end.
  @Test(arguments: UInt64(1)...10)
  func theLogsKnowTheirEvents(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let plain = StreamLog()
    let gzip = StreamLog(try DeflaterStream(windowBits: 15))
    var ends = [(plain: 0, gzip: 0, sum: Checksum())]
    var events: [[UInt8]] = []
    var first = 0
    for _ in 0..<300 {
      let byte = UInt8.random(in: 0...255, using: &random)
      let event = [UInt8](repeating: byte, count: Int.random(in: 1...900, using: &random))
      events.append(event)
      plain.append(event)
      gzip.append(event)
      var sum = ends.last?.sum ?? Checksum()
      sum.add(event)
      ends.append((plain.end, gzip.end, sum))
      #expect(plain.checksum == sum && gzip.checksum == sum)
      if Int.random(in: 0..<4, using: &random) == 0 {
        first = Int.random(in: first..<ends.count, using: &random)
        (plain.sentEnd, gzip.sentEnd) = (ends[first].plain, ends[first].gzip)
        for log in [plain, gzip] { log.drop(before: ends[first].sum.count) }
      }
      let number = Int.random(in: first..<ends.count, using: &random)
      #expect(plain.start(at: ends[number].sum.count).place == ends[number].plain)
      let start = gzip.start(at: ends[number].sum.count)
      #expect(start.place == ends[number].gzip && start.checksum == ends[number].sum)
      guard number + 1 < ends.count else { continue }
      #expect(plain.pieceEnd(after: ends[number].plain) == ends[number + 1].plain)
      #expect(gzip.pieceEnd(after: ends[number].gzip) == ends[number + 1].gzip)
      // Some of the data, and the rest of it.
      let (data, all) = (plain.data(from: ends[number].plain), events[number...].flatMap(\.self).prefix(64 * 1024))
      #expect(data.elementsEqual(all))
      let count = Int.random(in: 1...data.count, using: &random)
      let place = plain.place(after: count, from: ends[number].plain)
      #expect(plain.data(from: place).starts(with: data[count...]))
      #expect(ends.first { $0.sum.count == ends[number].sum.count + count }.map { $0.plain == place } ?? true)
    }
  }

  /// The data is where it was put, however many digits its length has.
  @Test(arguments: [1, 9, 15, 16, 17, 255, 256, 257, 4095, 4096, 65_535, 65_536, 1_048_575, 1_048_576])
  func aChunkHasItsLength(_ count: Int) {
    let chunk = Chunk([UInt8](repeating: UInt8(ascii: "x"), count: count))
    #expect(chunk.data == Chunk.data(0, count: chunk.bytes.count) && chunk.data.count == count)
    #expect(chunk.bytes.starts(with: Array((String(count, radix: 16) + "\r\nx").utf8)))
    #expect(chunk.bytes.suffix(3) == Array("x\r\n".utf8))
  }

  // MARK: Published events

  func publisher(_ records: String, plain: Bool = false, _ change: (inout Options) -> Void = { _ in }) throws
    -> Publisher
  {
    var server = try Published(plain: plain, change)
    try server.take(records)
    return server.stream.publisher
  }

  /// The input and its streams, without clients.
  struct Published {
    private(set) var input: RecordInput
    private(set) var table: StreamTable
    var stream: ServedStream { table.all[0] }

    init(plain: Bool = false, _ change: (inout Options) -> Void = { _ in }) throws {
      var options = try Options(sseServe.parse([Array("0".utf8)]), StandardStreams(program: "sse-serve"))
      options.isPlain = plain
      change(&options)
      input = try RecordInput(options, StandardStreams(program: "sse-serve", error: Descriptor(-1)))
      table = try StreamTable(options)
    }

    mutating func take(_ records: String) throws {
      var stream = JSONStream()
      stream.append(Array(records.utf8))
      while let item = try stream.next(isLast: true) { try input.publish(item, &table) }
    }
  }

  /// Everything that a client gets, up to the end of the log.
  func received(_ publisher: inout Publisher, after id: String = "") -> String {
    let log = publisher.logs[0]
    let beginning = publisher.begin(after: Array(id.utf8), in: log)
    return String(decoding: publisher.greeting, as: UTF8.self) + Self.text(from: beginning, log)
  }

  /// What a client without chunks gets, up to the end of the log.
  static func text(from beginning: Publisher.Start, _ log: StreamLog) -> String {
    var bytes = beginning.preamble
    if let document = beginning.document { bytes += document.bytes[document.data] }
    var place = log.start(at: beginning.place).place
    while place < log.end {
      let data = log.data(from: place)
      bytes += data
      place = log.place(after: data.count, from: place)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static let records = """
    {"event":"data","id":"1","data":{"n":0}}
    {"comment":"a note"}
    {"event":"patch","id":"2","data":[{"op":"replace","path":"/n","value":1}]}
    {"event":"merge","id":"3","data":{"n":2}}
    """

  @Test func clientsBeginWhereTheyShould() throws {
    var document = try publisher(Self.records)
    #expect(received(&document) == ":\n\nid: 3\nevent: data\ndata: {\"n\":2}\n\n")
    #expect(received(&document, after: "1").hasPrefix(":\n\nevent: patch\nid: 2\n"))
    #expect(received(&document, after: "2") == ":\n\nevent: merge\nid: 3\ndata: {\"n\":2}\n\n")
    #expect(received(&document, after: "3") == ":\n\n")
    #expect(received(&document, after: "4") == ":\n\nid: 3\nevent: data\ndata: {\"n\":2}\n\n")

    var plain = try publisher(Self.records, plain: true)
    let all = received(&plain, after: "0")
    #expect(received(&plain) == ":\n\n")
    #expect(received(&plain, after: "2") == ":\n\nevent: merge\nid: 3\ndata: {\"n\":2}\n\n")
    #expect(all.hasPrefix(":\n\n: the event to resume after is no longer known\n\nid\n\nevent: data\nid: 1\n"))
    #expect(all.hasSuffix("\n\nevent: merge\nid: 3\ndata: {\"n\":2}\n\n"))
  }

  /// A change that was not applied is not sent, nor are the changes after it.
  @Test func nobodyGetsWhatDoesNotApply() throws {
    let bad = #"{"event":"patch","id":"4","data":[{"op":"remove","path":"/none"}]}"#
    let next = #"{"event":"patch","id":"5","data":[{"op":"replace","path":"/n","value":5}]}"#
    let whole = #"{"event":"data","id":"6","data":{"n":6}}"#
    var server = try Published()
    try server.take(Self.records + bad + next)
    #expect(server.input.withheld == 2)
    var lost = server.stream.publisher
    #expect(received(&lost) == ":\n\nid: 3\nevent: data\ndata: {\"n\":2}\n\n")
    #expect(received(&lost, after: "3") == ":\n\n")
    var again = try publisher(Self.records + bad + next + whole + next)
    #expect(
      received(&again, after: "3") == ":\n\nevent: data\nid: 6\ndata: {\"n\":6}\n\n"
        + received(&again, after: "6").dropFirst(3))
    #expect(received(&again, after: "6").contains("id: 5\n"))
  }

  /// Several events with one id: a document is safe, and plain events are repeated rather than lost.
  @Test func idsThatStandTwice() throws {
    let twice = Self.records + #"{"event":"merge","id":"3","data":{"n":3}}"#
    var document = try publisher(twice)
    #expect(received(&document, after: "3") == ":\n\nid: 3\nevent: data\ndata: {\"n\":3}\n\n")
    var plain = try publisher(twice, plain: true)
    #expect(received(&plain, after: "3") == ":\n\nevent: merge\nid: 3\ndata: {\"n\":3}\n\n")
  }

  @Test func eventsWithoutIDs() throws {
    let records = #"{"event":"data","data":[1]}{"event":"x","data":"a\rb\r\nc\n"}"#
    var document = try publisher(records)
    #expect(received(&document) == ":\n\nid: \nevent: data\ndata: [1]\n\n")
    var plain = try publisher(records, plain: true)
    #expect(received(&plain) == ":\n\n")
    // The client's own id must not stay when events have none.
    #expect(received(&plain, after: "elsewhere") == ":\n\nid\n\n")
    var added = try publisher(records, plain: true) { $0.addsIDs = true }
    let text = received(&added, after: "elsewhere")
    #expect(text.hasSuffix("\ndata: a\ndata: b\ndata: c\ndata: \n\n"))
    let first = try #require(text.split(separator: "\n").first { $0.hasPrefix("id: ") }).dropFirst(4)
    #expect(received(&added, after: String(first)).hasPrefix(":\n\nevent: x\n"))
  }

  @Test func whatNoStreamCanCarry() {
    for record in [
      #"{"event":"a\nb","data":1}"#, #"{"event":"a","id":"\u0000","data":1}"#, #"{"event":"a","id":"\r","data":1}"#,
      #"{"event":"a"}"#, #"{"event":1,"data":1}"#, "[]",
    ] {
      #expect(throws: ToolFailure.self, "\(record)") { try publisher(record, plain: true) }
      #expect(throws: Never.self, "\(record)") { try publisher(record, plain: true) { $0.errorAction = .skip } }
    }
  }
}
