// sse-cat | jpatch --follow --checkpoint, and sse-cat --checkpoint alone, with a server whose document changes.
//
// Promises: the document at the end is the server's. Each printed document is one that the server had, and they never go
// back in one run. Each change is printed at least once, unless the server sent a whole document in its place. A
// checkpoint has the document that belongs to its ID. All this holds whoever is killed, and when.

import FeedCore

/// A document that changes, and the events that say so.
final class ChangingDocument {
  struct Version {
    var items: [Int] = []
    let number: Int

    var text: String { "{\"v\":\(number),\"items\":[\(items.map(String.init).joined(separator: ","))]}" }
  }

  private(set) var versions: [Version] = [Version(number: 0)]
  /// The event that leads to each version; none leads to the first.
  private(set) var events: [String] = [""]
  private var nextItem = 1

  var last: Int { versions.count - 1 }

  static func id(_ number: Int) -> String { "e\(number)" }

  /// The number in an ID; nil if it is none of ours.
  static func number(_ id: String) -> Int? { id.hasPrefix("e") ? Int(id.dropFirst()) : nil }

  /// The number of the version that a text shows; nil if there never was one like it.
  func number(of text: some Collection<UInt8>) -> Int? {
    var scan = Scan(text)
    guard scan.pass("{\"v\":"), let number = scan.number(), number < versions.count,
      versions[number].text.utf8.elementsEqual(text)
    else { return nil }
    return number
  }

  func whole(_ number: Int) -> String {
    "event: data\nid: \(Self.id(number))\ndata: \(versions[number].text)\n\n"
  }

  /// Changes the document. Applied twice, or to another version, no change leads to a version that there is.
  func change(_ choices: inout Choices) {
    let number = versions.count
    var next = Version(items: versions[last].items, number: number)
    var event = "event: patch\nid: \(Self.id(number))\n"
    switch choices.below(4) {
    case 0:
      next.items.append(nextItem)
      event += "data: [{\"op\":\"add\",\"path\":\"/items/-\",\"value\":\(nextItem)},\n"
      event += "data: {\"op\":\"replace\",\"path\":\"/v\",\"value\":\(number)}]\n\n"
      nextItem += 1
    case 1 where !next.items.isEmpty:
      next.items.removeFirst()
      event +=
        "data: [{\"op\":\"remove\",\"path\":\"/items/0\"},{\"op\":\"replace\",\"path\":\"/v\",\"value\":\(number)}]\n\n"
    case 2:
      next.items = [nextItem]
      event = "event: merge\nid: \(Self.id(number))\ndata: {\"v\":\(number),\"items\":[\(nextItem)]}\n\n"
      nextItem += 1
    default:
      event += "data: [{\"op\":\"replace\",\"path\":\"/v\",\"value\":\(number)}]\n\n"
    }
    versions.append(next)
    events.append(event)
  }
}

/// A server of an event stream. It lies, breaks and refuses, until it is calm.
final class EventServer {
  private unowned let world: World
  let document = ChangingDocument()
  private var open: [HTTPExchangeOfWorld] = []
  /// How many events before the last can still be asked for.
  private let window: Int
  private let faultiness: Int
  var isCalm = false
  /// The changes that need not be printed, because a whole document was sent in their place.
  private(set) var excused: Set<Int> = []

  init(_ world: World) {
    self.world = world
    window = world.choices.below(3) == 0 ? 1000 : world.choices.below(6)
    faultiness = world.choices.below(3)
    world.serve = { [unowned self] in serve($0) }
  }

  func excuse(upTo number: Int) { excused.formUnion(0...max(number, 0)) }

  /// Changes the document every now and then.
  func schedule(_ count: Int, over seconds: Double) {
    for _ in 0..<count {
      world.after(seconds * Double(world.choices.below(1000)) / 1000) { [self] in
        document.change(&world.choices)
        world.note("server: change \(document.last)")
        for exchange in open where exchange.isOpen { send(document.events[document.last], exchange) }
      }
    }
  }

  private func isFaulty(_ times: Int) -> Bool {
    !isCalm && faultiness > 0 && world.choices.once(in: times / faultiness)
  }

  private func serve(_ exchange: HTTPExchangeOfWorld) {
    open.removeAll { !$0.isOpen }
    let last = exchange.value("last-event-id")
    world.note("request after '\(last ?? "")'")
    if isFaulty(8) { return refuse(exchange) }
    let delay = Double(world.choices.below(3)) / 100
    world.after(delay) { [self] in
      exchange.head(200, ["Content-Type: text/event-stream"])
      if world.choices.once(in: 8) { exchange.send(": hello\n\nretry: 50\n\n".utf8) }
      var known = last.flatMap(ChangingDocument.number)
      if Fault.isPlanted("late-id"), let number = known { known = number + 1 }
      if let known, known <= document.last, known >= document.last - window {
        for number in document.events.indices where number > known { send(document.events[number], exchange) }
      } else {
        world.note("server: whole document \(document.last)")
        excuse(upTo: document.last - 1)
        send(document.whole(document.last), exchange)
      }
      open.append(exchange)
      if isFaulty(3) { world.after(Double(world.choices.below(200)) / 100) { [self] in stop(exchange) } }
    }
  }

  private func refuse(_ exchange: HTTPExchangeOfWorld) {
    let response = world.choices.below(4)
    world.after(0.01) {
      switch response {
      case 0: exchange.end(.refused)
      case 1:
        exchange.head(503, ["Retry-After: 1", "Content-Length: 0"])
        exchange.end()
      case 2:
        exchange.head(429, ["Content-Length: 0"])
        exchange.end()
      default: exchange.end(.timedOut)
      }
    }
  }

  private func stop(_ exchange: HTTPExchangeOfWorld) {
    switch world.choices.below(2) {
    case 0: exchange.end()
    default: exchange.end(.reset)
    }
  }

  private func send(_ event: String, _ exchange: HTTPExchangeOfWorld) {
    guard exchange.isOpen else { return }
    let bytes = Array(event.utf8)
    guard world.choices.once(in: 4) else { return exchange.send(bytes) }
    // In two parts, between which the connection may break.
    let cut = world.choices.below(bytes.count)
    exchange.send(bytes[..<cut])
    if isFaulty(4) { return stop(exchange) }
    exchange.send(bytes[cut...])
  }
}

struct Follow {
  private let world: World
  private let server: EventServer
  /// The versions that were printed.
  private var printed: Set<Int> = []
  private static let state = Array("state".utf8)

  static func play(_ world: World) {
    var follow = Follow(world)
    if world.choices.once(in: 3) { follow.playAlone() } else { follow.playBoth() }
  }

  private init(_ world: World) {
    self.world = world
    server = EventServer(world)
  }

  private var document: ChangingDocument { server.document }

  // MARK: sse-cat | jpatch

  private mutating func playBoth() {
    let rounds = world.choices.below(5) + 1
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      server.isCalm = isLast
      server.schedule(world.choices.below(isLast ? 3 : 12), over: 3)
      let start = world.now
      let pipe = Channel()
      let life = isLast ? Life(seconds: 300) : Life.chosen(&world.choices, calls: 300, effects: 30, seconds: 5)
      let ending = world.run(.sseCat, ["--resume-from", "state", "http://h/feed"], output: pipe, life)
      if isLast, ending != .died { return world.fail("sse-cat ended by itself") }
      let end = world.now

      world.rewind(to: start)
      let arrived = isLast || !world.choices.once(in: 3) ? pipe.bytes.count : world.choices.below(pipe.bytes.count + 1)
      let (input, output) = (Channel(), Channel())
      let isEnded = world.choices.once(in: 2)
      world.pass(pipe, to: input, limit: arrived, from: start, isEnded: isEnded)
      let view = isLast ? Life(seconds: 600) : Life.chosen(&world.choices, calls: 200, effects: 60, seconds: 8)
      let options = ["--follow", "--checkpoint", "state"]
      let viewed = world.run(.jpatch, options, input: input, output: output, view)
      // A line that is torn by the death of its writer is malformed input.
      let isTorn = isEnded && arrived > 0 && pipe.bytes[arrived - 1] != UInt8(ascii: "\n")
      if case .exited(let status) = viewed, status > (isTorn ? 2 : 1) {
        world.fail("jpatch ended with status \(status)")
      }
      world.advance(to: max(end, world.now) + 0.05)
      judge(output)
      if !isLast, world.choices.once(in: 8) {
        world.cutPower()
        server.excuse(upTo: document.last)
      }
      judgeCheckpoint()
    }
    guard world.failure == nil else { return }
    if !printed.contains(document.last) { world.fail("the last document was not printed") }
  }

  private mutating func judge(_ output: Channel) {
    var last = -1
    for line in output.lines {
      guard let number = document.number(of: line) else {
        return world.fail("no document of the server: \(text(line))")
      }
      if number < last { return world.fail("document \(number) was printed after \(last)") }
      last = number
      printed.insert(number)
    }
  }

  /// The checkpoint must have a document with its ID, and everything before it must have been printed.
  private func judgeCheckpoint() {
    guard world.failure == nil, let file = world.disk[Self.state] else { return }
    var scan = Scan(file.bytes)
    guard scan.pass("{\"event\":\"data\",\"id\":\"e"), let number = scan.number(), scan.pass("\",\"data\":"),
      scan.drop(end: "}\n")
    else { return world.fail("the checkpoint is no checkpoint: \(text(file.bytes))") }
    guard document.number(of: scan.rest) == number else {
      return world.fail("the checkpoint's document does not belong to its ID: \(text(file.bytes))")
    }
    for version in 0...number where !printed.contains(version) && !server.excused.contains(version) {
      return world.fail("the checkpoint e\(number) covers change \(version), which was not printed")
    }
  }

  // MARK: sse-cat alone

  private mutating func playAlone() {
    let rounds = world.choices.below(5) + 1
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      server.isCalm = isLast
      server.schedule(world.choices.below(isLast ? 3 : 12), over: 3)
      let output = Channel()
      let life = isLast ? Life(seconds: 300) : Life.chosen(&world.choices, calls: 300, effects: 60, seconds: 5)
      let ending = world.run(.sseCat, ["--checkpoint", "state", "http://h/feed"], output: output, life)
      if isLast, ending != .died { return world.fail("sse-cat ended by itself") }
      world.advance(to: world.now + 0.05)
      judgeRecords(output)
      if !isLast, world.choices.once(in: 8) {
        world.cutPower()
        server.excuse(upTo: document.last)
      }
      judgeID()
    }
    guard world.failure == nil else { return }
    for version in 1..<max(document.versions.count, 1)
    where !printed.contains(version) && !server.excused.contains(version) {
      return world.fail("change \(version) was never printed")
    }
  }

  private mutating func judgeRecords(_ output: Channel) {
    var last = -1
    for line in output.lines {
      var scan = Scan(line)
      guard scan.pass("{\"event\":\"") else { return world.fail("no record of the server: \(text(line))") }
      let isWhole = scan.pass("data")
      guard isWhole || scan.pass("patch") || scan.pass("merge"), scan.pass("\",\"id\":\"e"), let number = scan.number(),
        scan.pass("\",\"data\":"), number < document.versions.count, line.last == UInt8(ascii: "}")
      else { return world.fail("no record of the server: \(text(line))") }
      if !isWhole, number <= last { return world.fail("change \(number) was printed after \(last)") }
      if !isWhole, last >= 0, number != last + 1 { return world.fail("change \(number) followed \(last)") }
      last = number
      printed.insert(number)
    }
  }

  private func judgeID() {
    guard world.failure == nil, let file = world.disk[Self.state] else { return }
    var scan = Scan(file.bytes)
    guard scan.pass("{\"event\":\"data\",\"id\":\"e"), let number = scan.number(), scan.pass("\",\"data\":null}\n"),
      scan.rest.isEmpty
    else { return world.fail("the checkpoint is no checkpoint: \(text(file.bytes))") }
    for version in 0...number where !printed.contains(version) && !server.excused.contains(version) {
      return world.fail("the checkpoint e\(number) covers change \(version), which was not printed")
    }
  }
}
