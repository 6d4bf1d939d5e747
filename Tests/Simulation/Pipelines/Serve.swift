// jdiff --follow | sse-serve, with clients that come, read slowly, leave in the middle of an event, and come back with the
// last ID that they have seen. Both programs are killed, and both begin again.
//
// Promises: each client has the server's document at the end. Its document is always one that the source had, and it never
// goes back. An ID never names two things, not even in the next run. A client whose ID is of another time gets the whole
// document, as its first event.

import FeedCore
import Glibc

/// The documents of the source.
final class Source {
  private let world: World
  private var items: [Int] = []
  private(set) var texts: [String] = ["{\"v\":0,\"items\":[]}"]

  init(_ world: World) { self.world = world }

  var last: Int { texts.count - 1 }

  func change() {
    switch world.choices.below(3) {
    case 0: items.append(texts.count)
    case 1: if !items.isEmpty { items.removeFirst() }
    default: break
    }
    texts.append("{\"v\":\(texts.count),\"items\":[\(items.map(String.init).joined(separator: ","))]}")
  }

  func number(of text: [UInt8]) -> Int? {
    var scan = Scan(text)
    guard scan.pass("{\"v\":"), let number = scan.number(), number < texts.count,
      texts[number].utf8.elementsEqual(text)
    else { return nil }
    return number
  }
}

/// What is true of all clients together.
final class Witness {
  let world: World
  let source: Source
  /// The document that each ID stands for.
  private var meanings: [String: Int] = [:]
  /// The IDs that the running pipeline gives. With a checkpoint, the first is one of the run before.
  var current: Set<String> = []
  /// Whether documents may go back after a restart: jdiff begins with the document of its checkpoint.
  var hasCheckpoint = false
  /// The round that is being played. What was to happen in an earlier one does not happen any more.
  var round = 0

  init(_ world: World, _ source: Source) {
    self.world = world
    self.source = source
  }

  func see(_ id: String, _ number: Int) {
    if let known = meanings[id], known != number {
      world.fail("the ID \(id) names document \(known) and document \(number)")
    }
    meanings[id] = number
  }
}

/// A client, such as a browser with EventSource.
final class Client {
  private let name: String
  private let witness: Witness
  private var world: World { witness.world }
  private var connection: Connection?
  private var parser = EventStreamParser()
  private var stream = DocumentStream()
  private var head: [UInt8] = []
  private var isOpen = false
  private var hasEvent = false
  /// The ID that it came back with, if the pipeline that runs has never given it.
  private var strangeID: String?
  private(set) var number = -1
  private let isSlow: Bool
  /// Whether the pipeline was started again since its last document.
  private var isAfterRestart = false

  init(_ name: String, _ witness: Witness) {
    self.name = name
    self.witness = witness
    isSlow = witness.world.choices.once(in: 3)
  }

  private var lastID: String { text(parser.lastEventID) }

  /// Connects, reads, leaves, or does nothing.
  func act(isCalm: Bool) {
    guard let connection else { return connect() }
    read(isSlow && !isCalm ? world.choices.below(200) : .max)
    if world.failure != nil { return }
    if connection.isClosed, connection.output.available == 0 { return leave("closed by the server") }
    if !isCalm, world.choices.once(in: 12) { leave("leaves") }
  }

  private func connect() {
    guard let listener = world.listener else { return }
    let connection = Connection()
    connection.output.room = isSlow ? 500 : 100_000
    let known = lastID
    var request = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
    // A server that takes an ID of another time for one of its own.
    let sent = Fault.isPlanted("stale-id") && !known.isEmpty ? witness.current.max() ?? known : known
    if !sent.isEmpty { request += "Last-Event-ID: \(sent)\r\n" }
    connection.input.append((request + "\r\n").utf8, at: world.now)
    listener.waiting.append(connection)
    self.connection = connection
    (head, isOpen, hasEvent) = ([], false, false)
    strangeID = known.isEmpty || witness.current.contains(known) ? nil : known
    parser.restart()
    world.note("\(name) connects after '\(known)'")
  }

  func leave(_ reason: String) {
    guard let connection else { return }
    world.note("\(name) \(reason)")
    connection.isBroken = true
    connection.output.hasReader = false
    self.connection = nil
  }

  func restart() {
    leave("lost the server")
    isAfterRestart = true
  }

  private func read(_ count: Int) {
    guard let connection else { return }
    var bytes = Array(connection.output.take(count))
    if !isOpen {
      head += bytes
      bytes = []
      guard let end = head.indices.first(where: { head[$0...].starts(with: "\r\n\r\n".utf8) }) else { return }
      bytes = Array(head[(end + 4)...])
      guard head.starts(with: "HTTP/1.1 200 ".utf8) else {
        if head.starts(with: "HTTP/1.1 503 ".utf8) { return leave("is refused") }
        return world.fail("\(name) got \(text(head.prefix(40)))")
      }
      isOpen = true
    }
    var index = 0
    do {
      while let item = try parser.next(bytes.span, from: &index) {
        if item == .event { take(parser.data(in: bytes.span)) }
      }
    } catch { world.fail("\(name) got no event stream") }
  }

  private func take(_ data: [UInt8]) {
    let (kind, id) = (text(parser.type), lastID)
    if let strangeID, !hasEvent, kind != "data" {
      return world.fail("\(name) came with the ID \(strangeID) of another time and got a '\(kind)'")
    }
    hasEvent = true
    let record = "{\"event\":\"\(kind)\",\"id\":\"\(id)\",\"data\":\(text(data))}"
    do {
      let parsed = try EventRecord(JSONDocument(parsing: Array(record.utf8), maxDepth: 100).root)
      guard let parsed else { return world.fail("\(name) got no record: \(record)") }
      _ = try stream.apply(parsed)
    } catch { return world.fail("\(name) cannot apply \(record) to document \(number)") }
    var writer = ByteWriter()
    if let document = stream.document { JSONWriter.writeCompact(document, to: &writer) }
    let document = writer.take()
    guard let found = witness.source.number(of: document) else {
      return world.fail("\(name) has a document that the source never had: \(text(document))")
    }
    world.note("\(name) has document \(found) by \(kind) \(id)")
    witness.see(id, found)
    if found < number, !(witness.hasCheckpoint && isAfterRestart) {
      return world.fail("the document of \(name) went back from \(number) to \(found)")
    }
    isAfterRestart = false
    number = found
  }
}

struct Serve {
  private let world: World
  private let source: Source
  private let witness: Witness
  private var clients: [Client] = []

  static func play(_ world: World) {
    let source = Source(world)
    var serve = Serve(world: world, source: source, witness: Witness(world, source))
    for index in 0..<(world.choices.below(3) + 1) { serve.clients.append(Client("client \(index)", serve.witness)) }
    serve.playAll()
  }

  private mutating func playAll() {
    let rounds = world.choices.below(4) + 1
    witness.hasCheckpoint = world.choices.once(in: 3)
    let full = [0, 3, 1][world.choices.below(3)]
    let replay = [nil, "1", "3", "0"][world.choices.below(4)]
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      witness.round = round
      playRound(isLast: isLast, full: full, replay: replay)
    }
    guard world.failure == nil else { return }
    for client in clients where client.number != source.last {
      world.fail("a client has document \(client.number), and the source \(source.last)")
    }
  }

  private mutating func playRound(isLast: Bool, full: Int, replay: String?) {
    let start = world.now
    // The source tells the document that it has when it starts, and then each change.
    let (input, records) = (Channel(), Channel())
    input.append((source.texts[source.last] + "\n").utf8, at: world.now)
    var delay = 0.0
    for _ in 0..<world.choices.below(isLast ? 4 : 12) {
      delay += [0.001, 0.05, 0.7][world.choices.below(3)]
      world.after(delay) { [source, world, witness, round = witness.round] in
        guard witness.round == round else { return }
        source.change()
        input.append((source.texts[source.last] + "\n").utf8, at: world.now)
      }
    }
    let seconds = delay + 2
    var life = Life(seconds: seconds)
    if !isLast { life = .chosen(&world.choices, calls: 150, effects: 30, seconds: seconds) }
    let options =
      ["--follow"] + (full > 0 ? ["--full-every", "\(full)"] : [])
      + (witness.hasCheckpoint ? ["--checkpoint", "diff"] : [])
    let ending = world.run(.jdiff, options, input: input, output: records, life)
    if case .exited(let status) = ending { return world.fail("jdiff ended with status \(status)") }
    let end = world.now

    world.rewind(to: start)
    let pipe = Channel()
    let arrived =
      isLast || !world.choices.once(in: 3) ? records.bytes.count : world.choices.below(records.bytes.count + 1)
    var sent = records
    if Fault.isPlanted("lost-change"), records.lines.count > 2 {
      sent = Channel()
      sent.append(records.lines.dropLast().flatMap { $0 + [UInt8(ascii: "\n")] }, at: start)
    }
    world.pass(sent, to: pipe, limit: min(arrived, sent.bytes.count), from: start, isEnded: false)
    witness.current = Set(records.lines.map(Self.id))
    for client in clients { act(client, times: isLast ? 40 : world.choices.below(20) + 1, isLast) }
    let length = isLast ? max(seconds, 6) + 6 : seconds
    var serving = Life(seconds: length)
    if !isLast { serving = .chosen(&world.choices, calls: 400, effects: 60, seconds: length) }
    let served = world.run(
      .sseServe, ["127.0.0.1:8080"] + (replay.map { ["--replay", $0] } ?? []), input: pipe, output: Channel(), serving)
    if case .exited(let status) = served { return world.fail("sse-serve ended with status \(status)") }
    for client in clients { client.restart() }
    world.advance(to: max(end, world.now) + 0.05)
    if !isLast, world.choices.once(in: 8) { world.cutPower() }
  }

  /// The ID of a record of jdiff.
  private static func id(_ line: [UInt8]) -> String {
    let marked = text(line).split(separator: "\"id\":\"", maxSplits: 1)
    return marked.count < 2 ? "" : String(marked[1].prefix { $0 != "\"" })
  }

  /// Has a client act every now and then; at the end of the last round, often enough to have everything.
  private func act(_ client: Client, times: Int, _ isLast: Bool) {
    var delay = 0.0
    for time in 0..<times {
      delay += isLast ? 0.3 : [0.01, 0.1, 0.5][world.choices.below(3)]
      world.after(delay) { [witness, round = witness.round] in
        if witness.round == round { client.act(isCalm: isLast && time > 10) }
      }
    }
  }
}
