// http-cat --next | deliver --checkpoint, with a stream or long polls, and sse-cat in its place; and http-cat with a
// checkpoint of its own. The server cuts, refuses and forgets; the tools die, and the power fails.
//
// Promises: each item reaches the sink, but those that the server has forgotten, and for the first time in order. In one
// run no item comes twice, and none is left out without a report: a message, the note `gap`, and status 1 at the end. A
// checkpoint covers only what the sink has.

import FeedCore

/// What the histories of a protocol had, for people.
struct NextTally {
  var (items, histories, cuts, kills, refusals, forgotten, reports) = (0, 0, 0, 0, 0, 0, 0)

  nonisolated(unsafe) static var all: [String: NextTally] = [:]

  static var lines: [String] {
    all.sorted { $0.key < $1.key }.map { name, sum in
      "  \(name): \(sum.histories) histories, \(sum.items) items, \(sum.cuts) cuts, \(sum.kills) kills, "
        + "\(sum.refusals) refused values, \(sum.forgotten) items forgotten, \(sum.reports) gaps reported"
    }
  }
}

struct Next {
  private let world: World
  private let proto: CursorProtocol
  private let server: CursorServer
  private var tally = NextTally()
  /// The items that a run alone has printed.
  private var printed: Set<Int> = []
  private let hasNotes: Bool
  private static let state = Array("state".utf8)

  static func play(_ world: World) {
    var next = Next(world)
    let isAlone = next.proto.hasEpoch || !next.proto.isSSE && world.choices.once(in: 3)
    if isAlone { next.playAlone() } else { next.playBoth() }
    next.addUp()
  }

  private init(_ world: World) {
    self.world = world
    proto = CursorProtocol.all[world.choices.below(CursorProtocol.all.count)]
    server = CursorServer(world, proto)
    hasNotes = world.choices.once(in: 2)
  }

  private func addUp() {
    var sum = NextTally.all[proto.name] ?? NextTally()
    sum.histories += 1
    sum.items += server.count
    sum.cuts += server.cuts
    sum.refusals += server.refusals
    sum.forgotten += server.gaps.count
    sum.kills += tally.kills
    sum.reports += tally.reports
    NextTally.all[proto.name] = sum
  }

  // MARK: The source

  /// Begins a round: items, and whether old ones may be forgotten. A client that knows nothing could not report that.
  private func begin(isLast: Bool) {
    server.isCalm = isLast
    server.mayForget = saved != nil
    server.schedule(world.choices.below(isLast ? 4 : 12), over: 3)
  }

  /// One life of the source.
  private mutating func runSource(_ place: [String], isLast: Bool) -> Channel {
    let (output, errors) = (Channel(), Channel())
    let known = saved
    var life = Life(seconds: 300)
    var options = proto.options + place + (hasNotes ? ["--notes"] : [])
    if isLast {
      options += ["--max-time", "60"]
    } else {
      life = .chosen(&world.choices, calls: 300, effects: 60, seconds: 8)
    }
    let url = proto.name == "telegram" ? "http://h/updates?timeout=30" : "http://h/feed"
    let ending = world.run(proto.tool, options + [url], output: output, errors: errors, life)
    if ending == .died { tally.kills += 1 }
    let reports = judge(output, errors, after: known)
    tally.reports += reports
    guard world.failure == nil else { return output }
    let wanted = isLast ? World.Ending.exited(reports > 0 ? 1 : 0) : .died
    if ending != wanted { world.fail("\(proto.name): the source ended with \(ending), and not with \(wanted)") }
    return output
  }

  /// Each item comes once and in order, after the one that was known. What is left out has been reported before.
  /// - Returns: the number of reports.
  private mutating func judge(_ output: Channel, _ errors: Channel, after known: Int?) -> Int {
    let reports = Self.moments(of: "something is missing", in: errors)
    var (last, lastTime, isNoted, end) = (known ?? 0, -Double.infinity, false, 0)
    for line in output.lines {
      end += line.count + 1
      if line.starts(with: #"{"note":"#.utf8) {
        isNoted = isNoted || firstRange(of: Array(#""note":"gap""#.utf8), in: line) != nil
        continue
      }
      guard let numbers = CursorProtocol.numbers(line) else {
        world.fail("\(proto.name): no record of the server: \(text(line))")
        return 0
      }
      let time = output.times.first { $0.end >= end }?.time ?? world.now
      for number in numbers {
        printed.insert(number)
        // A value that comes again at each connection.
        if proto.isInclusive, number == last { continue }
        if number <= last {
          world.fail("\(proto.name): item \(number) came after \(last)")
          return 0
        }
        if number > last + 1 {
          if let lost = ((last + 1)..<number).first(where: { !server.gaps.contains($0) }) {
            world.fail("\(proto.name): item \(lost) was left out before \(number)")
          }
          if !(reports.contains { $0 > lastTime && $0 <= time }) {
            world.fail("\(proto.name): no report says that \(last + 1) to \(number - 1) are missing")
          }
          if hasNotes, !isNoted { world.fail("\(proto.name): no note says that something is missing before \(number)") }
          isNoted = false
        }
        (last, lastTime) = (number, time)
      }
    }
    return reports.count
  }

  /// When a text was written, each time.
  private static func moments(of text: String, in errors: Channel) -> [Double] {
    var (found, start): ([Double], Int) = ([], 0)
    for (end, time) in errors.times {
      if firstRange(of: Array(text.utf8), in: Array(errors.bytes[start..<end])) != nil { found.append(time) }
      start = end
    }
    return found
  }

  /// The number of the last item that the checkpoint covers.
  private var saved: Int? {
    guard let file = world.disk[Self.state] else { return nil }
    let members = proto.hasEpoch ? #""values":{"since":""# : #""id":""#
    guard file.bytes.starts(with: #"{"event":"data","#.utf8),
      let start = firstRange(of: Array(members.utf8), in: file.bytes)
    else { return nil }
    return proto.number(file.bytes[start...].prefix { $0 != UInt8(ascii: "\"") })
  }

  private func fail(_ lost: [Int], _ words: String) {
    guard world.failure == nil, !lost.isEmpty else { return }
    world.fail("\(proto.name): \(words) \(lost)")
  }

  // MARK: With deliver

  private mutating func playBoth() {
    let sink = Sink(world, count: 0, refused: [], numbers: { CursorProtocol.numbers($0) })
    var options = ["--checkpoint", "state", "--batch", "\([100, 1, 2, 5][world.choices.below(4)])"]
    options += ["--timeout", "20", "--grace", "2", "--max-backoff", "\([5, 1][world.choices.below(2)])"]
    options += ["--batch-time", ["0.5", "0", "2"][world.choices.below(3)]]
    let isInFront = Fault.isPlanted("in-front") && !proto.isSSE
    if isInFront { options.removeFirst(2) }
    let rounds = world.choices.below(5) + 1
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      sink.isCalm = isLast
      begin(isLast: isLast)
      let start = world.now
      let pipe = runSource([isInFront ? "--checkpoint" : "--resume-from", "state"], isLast: isLast)
      let end = world.now
      guard world.failure == nil else { return }

      // deliver has lived at the same time.
      world.rewind(to: start)
      sink.excused = server.gaps
      let arrived = isLast || !world.choices.once(in: 3) ? pipe.bytes.count : world.choices.below(pipe.bytes.count + 1)
      let input = Channel()
      let isEnded = isLast || world.choices.once(in: 2)
      world.pass(pipe, to: input, limit: arrived, from: start, isEnded: isEnded)
      let life = isLast ? Life(seconds: 3600) : Life.chosen(&world.choices, calls: 400, effects: 80, seconds: 20)
      let ending = world.run(.deliver, options + ["--", "sink"], input: input, output: Channel(), life)
      if ending == .died { tally.kills += 1 }
      if isLast, ending != .exited(0) { world.fail("\(proto.name): deliver ended with \(ending)") }
      world.advance(to: max(end, world.now) + 0.05)
      if ending == .died, !isLast, world.choices.once(in: 8) {
        for (_, child) in world.children.sorted(by: { $0.key < $1.key }) { child.signal(9) }
        world.advance(to: world.now + 0.01)
        world.cutPower()
      }
      judge(saved ?? 0, sink.taken, "the checkpoint covers")
    }
    if world.failure == nil { judge(server.count, sink.taken, "the sink never got") }
  }

  private func judge(_ last: Int, _ found: Set<Int>, _ words: String) {
    fail((1..<max(last + 1, 1)).filter { !found.contains($0) && !server.gaps.contains($0) }, words)
  }

  // MARK: Alone

  private mutating func playAlone() {
    let rounds = world.choices.below(5) + 1
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      begin(isLast: isLast)
      _ = runSource(["--checkpoint", "state"], isLast: isLast)
      guard world.failure == nil else { return }
      world.advance(to: world.now + 0.05)
      if !isLast, world.choices.once(in: 8) { world.cutPower() }
      judge(saved ?? 0, printed, "the checkpoint covers, and nobody has printed,")
    }
    if world.failure == nil { judge(server.count, printed, "never printed:") }
  }
}
