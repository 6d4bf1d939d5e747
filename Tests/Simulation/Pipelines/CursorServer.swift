// A server that is asked for what comes after a value, as the protocols of CouchDB, Kubernetes, Matrix and others do it. It
// cuts, refuses, holds requests, and forgets what is old.

import FeedCore

/// How a server is asked for what comes next, and how it says that it has forgotten it.
struct CursorProtocol: Sendable {
  /// The part of the request with the value. The name is what comes before the value in the text of that part.
  enum Place: Sendable {
    case query(String)
    case header(String)
    case body(String)
  }

  enum Refusal: Sendable {
    /// HTTP 410.
    case status
    /// HTTP 200, and a line or body that says so.
    case body
    /// Nothing is ever forgotten.
    case never
  }

  let name: String
  /// Of the tool.
  let options: [String]
  let place: Place
  let refusal: Refusal
  var isPoll = false
  /// What is added to a number when it is sent.
  var shift = 0
  /// Whether the item of the value comes again.
  var isInclusive = false
  /// Whether a second value goes along, so that only the tool itself can keep both.
  var hasEpoch = false

  var isSSE: Bool { name == "sse" }
  var tool: Tool { isSSE ? .sseCat : .httpCat }

  private static let (stream, poll) = (["--records", "--stream"], ["--records", "--as", "json", "--every", "0"])

  static let all = [
    Self(name: "couchdb", options: stream + ["--next", "since=/seq"], place: .query("since="), refusal: .status),
    Self(
      name: "docker", options: stream + ["--next", "since=/time"], place: .query("since="), refusal: .never,
      isInclusive: true),
    Self(
      name: "kubernetes",
      options: stream + [
        "--next", "resourceVersion=/object/metadata/resourceVersion", "--gone-match", "/object/code=410",
      ],
      place: .query("resourceVersion="), refusal: .body),
    Self(
      name: "etcd",
      options: stream + [
        "--json", #"{"create_request":{"key":"AA=="}}"#, "--gone-match", "/result/canceled=true", "--next",
        "body:/create_request/start_revision=last:/kv/mod_revision+1", "--items", "/result/events",
      ],
      place: .body(#""start_revision":"#), refusal: .body, shift: 1),
    Self(
      name: "stream-header", options: stream + ["--next", "header:X-After=/time"], place: .header("x-after"),
      refusal: .status),
    Self(
      name: "two-values", options: stream + ["--next", "since=/seq", "--next", "header:X-Epoch=/epoch"],
      place: .query("since="), refusal: .status, hasEpoch: true),
    Self(
      name: "matrix", options: poll + ["--next", "since=/next_batch"], place: .query("since="), refusal: .status,
      isPoll: true),
    Self(
      name: "consul", options: poll + ["--next", "index=header:X-Consul-Index"], place: .query("index="),
      refusal: .status, isPoll: true),
    Self(
      name: "telegram", options: poll + ["--items", "/result", "--next", "offset=last:/update_id+1"],
      place: .query("offset="), refusal: .body, isPoll: true, shift: 1),
    Self(
      name: "poll-header", options: poll + ["--next", "header:X-After=/last"], place: .header("x-after"),
      refusal: .status, isPoll: true),
    Self(
      name: "poll-body", options: poll + ["--json", #"{"wait":30}"#, "--next", "body:/after=/last"],
      place: .body(#""after":"#), refusal: .status, isPoll: true),
    Self(name: "sse", options: [], place: .header("last-event-id"), refusal: .never),
  ].map { $0.refusingBodies() }

  /// With the option that recognizes such a body.
  private func refusingBodies() -> Self {
    guard case .body = refusal, !options.contains("--gone-match") else { return self }
    return Self(
      name: name, options: options + ["--gone-match", "/result/canceled=true"], place: place, refusal: refusal,
      isPoll: isPoll, shift: shift, isInclusive: isInclusive, hasEpoch: hasEpoch)
  }

  /// The value that is sent to get what comes after an item.
  func value(after number: Int) -> String {
    name == "couchdb" || name == "two-values" ? "\(number)-g1AA" : name == "matrix" ? "s\(number)" : "\(number + shift)"
  }

  /// The number of the item that a value comes after; nil if it is none.
  func number(_ value: some Sequence<UInt8>) -> Int? {
    var scan = Scan(Array(value).drop { !(0x30...0x39).contains($0) })
    return scan.number().map { $0 - shift }
  }

  /// The value in a request.
  func number(in exchange: HTTPExchangeOfWorld) -> Int? {
    let (name, text): (String, [UInt8]) =
      switch place {
      case .query(let name): (name, Array(exchange.url.utf8))
      case .body(let name): (name, exchange.body)
      case .header(let name): ("", Array((exchange.value(name) ?? "").utf8))
      }
    guard let start = firstRange(of: Array(name.utf8), in: text) else { return nil }
    return number(text[start...].prefix { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "&") })
  }

  // MARK: Items

  /// A line of a stream, with the members of all protocols.
  func line(_ number: Int) -> [UInt8] {
    if isSSE { return Array("id: \(number)\ndata: {\"n\":[\(number)]}\n\n".utf8) }
    return Array(
      (#"{"seq":"\#(number)-g1AA","time":\#(number),"epoch":"e1","object":{"metadata":{"resourceVersion":"\#(number)"}},"#
        + #""result":{"events":[{"kv":{"mod_revision":"\#(number)"}}]},"n":[\#(number)]}"# + "\n").utf8)
  }

  /// The body of a poll.
  func body(_ numbers: Range<Int>) -> [UInt8] {
    let list = numbers.map(String.init).joined(separator: ",")
    let updates = numbers.map { "{\"update_id\":\($0)}" }.joined(separator: ",")
    let last = numbers.upperBound - 1
    return Array(#"{"next_batch":"s\#(last)","last":\#(last),"result":[\#(updates)],"n":[\#(list)]}"#.utf8)
  }

  static let gone = Array((#"{"object":{"code":410},"result":{"canceled":true}}"# + "\n").utf8)

  /// The numbers of all items in a record; nil if it is none of ours.
  static func numbers(_ record: some Collection<UInt8>) -> [Int]? {
    let bytes = Array(record)
    guard bytes.starts(with: #"{"event":"#.utf8), bytes.last == UInt8(ascii: "}"),
      let start = firstRange(of: Array("\"n\":[".utf8), in: bytes)
    else { return nil }
    var scan = Scan(bytes[start...])
    var found: [Int] = []
    while let number = scan.number() {
      found.append(number)
      if !scan.pass(",") { break }
    }
    return scan.pass("]") ? found : nil
  }
}

/// - Returns: the index after the first place of some bytes.
func firstRange(of part: [UInt8], in bytes: [UInt8]) -> Int? {
  guard part.count <= bytes.count else { return nil }
  return (0...(bytes.count - part.count)).first { bytes[$0...].starts(with: part) }.map { $0 + part.count }
}

final class CursorServer {
  private unowned let world: World
  let proto: CursorProtocol
  /// The items are numbers from 1.
  private(set) var count = 0
  /// The last item that is forgotten.
  private var floor = 0
  /// The items that a client has not got before they were forgotten.
  private(set) var gaps: Set<Int> = []
  var mayForget = false
  var isCalm = false
  private(set) var cuts = 0
  private(set) var refusals = 0
  private let faultiness: Int
  private let batch: Int
  /// Who waits for the next item: streams with the last item that was sent, and polls that are held.
  private var waiting: [(exchange: HTTPExchangeOfWorld, process: SimulatedProcess, last: Int)] = []

  init(_ world: World, _ proto: CursorProtocol) {
    self.world = world
    self.proto = proto
    faultiness = world.choices.below(3)
    batch = world.choices.below(4) + 1
    world.serve = { [unowned self] in serve($0) }
  }

  private func isFaulty(_ times: Int) -> Bool {
    !isCalm && faultiness > 0 && world.choices.once(in: max(2, times / faultiness))
  }

  /// Makes items every now and then, and forgets old ones.
  func schedule(_ count: Int, over seconds: Double) {
    for _ in 0..<count {
      world.after(seconds * Double(world.choices.below(1000)) / 1000) { [self] in
        self.count += 1
        world.note("server: item \(self.count)")
        let ready = waiting
        waiting = []
        for (exchange, process, last) in ready where exchange.isOpen && !process.isDead {
          proto.isPoll ? respond(exchange, process, after: last) : send(exchange, process, after: last)
        }
      }
    }
    if case .never = proto.refusal { return }
    guard mayForget, !isCalm else { return }
    for _ in 0..<world.choices.below(4) {
      world.after(seconds * Double(world.choices.below(1000)) / 1000) { [self] in
        floor += world.choices.below(self.count - floor + 1)
        world.note("server: forgets all up to \(floor)")
      }
    }
  }

  private func serve(_ exchange: HTTPExchangeOfWorld) {
    guard let process = world.process else { return }
    let value = proto.number(in: exchange)
    world.note("request after \(value.map(String.init) ?? "nothing")")
    if proto.hasEpoch, value != nil, exchange.value("x-epoch") != "e1" {
      return world.fail("a request has a value, and not the other")
    }
    if let value, value > count { return world.fail("a request for what comes after \(value) of \(count)") }
    if isFaulty(6) { return refuse(exchange) }
    let delay = [0, 0.002, 0.05][world.choices.below(3)]
    world.after(delay) { [self] in
      guard exchange.isOpen, !process.isDead else { return }
      if let value, value < floor {
        gaps.formUnion((value + 1)..<(floor + 1))
        if !Fault.isPlanted("quiet-gap") { return forgotten(exchange, value) }
      }
      if value == nil { gaps.formUnion(1..<(floor + 1)) }
      var first = max(value ?? 0, floor)
      if value != nil, proto.isInclusive { first = max(first - 1, 0) }
      if Fault.isPlanted("skipped-item"), value != nil { first = min(first + 1, count) }
      if proto.isPoll { return respond(exchange, process, after: first) }
      // With chunks, an end is a proper one, also within a line.
      let chunks = world.choices.once(in: 2) ? ["Transfer-Encoding: chunked"] : []
      exchange.head(200, ["Content-Type: \(proto.isSSE ? "text/event-stream" : "application/json")"] + chunks)
      // A line without an item: it must not change the value.
      if !proto.isSSE { exchange.send((#"{"result":{"header":{"revision":"\#(count)"}},"n":[]}"# + "\n").utf8) }
      send(exchange, process, after: first)
    }
  }

  /// The client has a value that is too old.
  private func forgotten(_ exchange: HTTPExchangeOfWorld, _ value: Int) {
    refusals += 1
    world.note("server: has forgotten \(value + 1) to \(floor)")
    if case .body = proto.refusal {
      exchange.head(200, ["Content-Type: application/json", "Content-Length: \(CursorProtocol.gone.count)"])
      exchange.send(CursorProtocol.gone)
    } else {
      exchange.head(410, ["Content-Length: 0"])
    }
    exchange.end()
  }

  private func refuse(_ exchange: HTTPExchangeOfWorld) {
    let response = world.choices.below(5)
    cuts += 1
    world.after(0.01) {
      switch response {
      case 0: exchange.end(.refused)
      case 1: exchange.head(503, ["Retry-After: 1", "Content-Length: 0"])
      case 2: exchange.head(429, ["Content-Length: 0"])
      case 3: exchange.head(500, ["Content-Length: 0"])
      default: exchange.end(.timedOut)
      }
      exchange.end()
    }
  }

  private func stop(_ exchange: HTTPExchangeOfWorld) {
    cuts += 1
    if world.choices.once(in: 2) {
      exchange.end(.reset)
    } else {
      exchange.end()
    }
  }

  // MARK: Streams

  /// Sends what there is, and waits for more.
  private func send(_ exchange: HTTPExchangeOfWorld, _ process: SimulatedProcess, after last: Int) {
    for number in (last + 1)..<max(count + 1, last + 1) {
      if isFaulty(10) {
        // A part of the line, and all of it without its end.
        let line = proto.line(number)
        exchange.send(line[..<world.choices.below(line.count)])
        return stop(exchange)
      }
      let line = proto.line(number)
      let cut = world.choices.once(in: 6) ? world.choices.below(line.count) : 0
      exchange.send(line[..<cut])
      exchange.send(line[cut...])
    }
    if isFaulty(6) { return stop(exchange) }
    waiting.append((exchange, process, max(last, count)))
  }

  // MARK: Polls

  /// Answers a poll, or holds it.
  private func respond(_ exchange: HTTPExchangeOfWorld, _ process: SimulatedProcess, after last: Int) {
    if last >= count {
      waiting.append((exchange, process, last))
      // Some servers do not hold requests.
      return world.after([30, 0.05][world.choices.below(2)]) { [self] in
        guard let index = waiting.firstIndex(where: { $0.exchange === exchange }) else { return }
        waiting.remove(at: index)
        answer(exchange, (last + 1)..<(last + 1))
      }
    }
    answer(exchange, (last + 1)..<(min(count, last + batch) + 1))
  }

  private func answer(_ exchange: HTTPExchangeOfWorld, _ numbers: Range<Int>) {
    let body = proto.body(numbers)
    let index = "X-Consul-Index: \(numbers.upperBound - 1)"
    exchange.head(200, ["Content-Type: application/json", "Content-Length: \(body.count)", index])
    if isFaulty(5) {
      exchange.send(body[..<world.choices.below(body.count)])
      cuts += 1
      return exchange.end(.cut)
    }
    exchange.send(body)
    exchange.end()
  }
}
