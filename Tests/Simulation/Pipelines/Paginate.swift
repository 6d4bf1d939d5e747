// paginate --store, in both orders, with a feed that grows and a server that fails. The store is the real one, in SQLite,
// on the disk of the world.
//
// Promises: each item is printed once, or paginate knows that it does not know, and --redeliver prints it. So nothing is
// passed over, whatever is killed: between pages, between transactions, and within one. With the oldest first, items are
// printed in their order.

import FeedCore

final class PagedServer {
  private unowned let world: World
  private(set) var count = 0
  let isOldestFirst: Bool
  private let pageSize: Int
  var isCalm = false
  private let faultiness: Int

  init(_ world: World) {
    self.world = world
    isOldestFirst = world.choices.once(in: 2)
    pageSize = world.choices.below(5) + 1
    count = world.choices.below(20) + 1
    faultiness = world.choices.below(3)
    world.serve = { [unowned self] in serve($0) }
  }

  /// The item with a number, from 0.
  static func item(_ number: Int) -> String { "{\"id\":\"i\(number)\",\"n\":\(number)}" }

  static func number(_ line: [UInt8]) -> Int? {
    var scan = Scan(line)
    guard scan.pass("{\"id\":\"i"), let number = scan.number(), item(number).utf8.elementsEqual(line) else {
      return nil
    }
    return number
  }

  func grow(_ more: Int) { count += more }

  private func isFaulty(_ times: Int) -> Bool {
    !isCalm && faultiness > 0 && world.choices.once(in: times / faultiness)
  }

  private func serve(_ exchange: HTTPExchangeOfWorld) {
    if !isCalm, world.choices.once(in: 6) { grow(world.choices.below(4)) }
    let start = exchange.url.split(separator: "=").dropFirst().first.flatMap { Int($0) }
    world.note("request from \(start.map(String.init) ?? "the start") of \(count)")
    let body = Array(page(start).utf8)
    let fault = isFaulty(6) ? world.choices.below(4) + 1 : 0
    world.after(0.01) { [self] in
      switch fault {
      case 1: return exchange.end(.refused)
      case 2:
        exchange.head(503, ["Content-Length: 0"])
        return exchange.end()
      case 3:
        exchange.head(200, ["Content-Type: application/json", "Content-Length: \(body.count)"])
        exchange.send(body[..<world.choices.below(body.count)])
        return exchange.end(.cut)
      default: break
      }
      exchange.head(200, ["Content-Type: application/json", "Content-Length: \(body.count)"])
      exchange.send(body)
      exchange.end()
    }
  }

  private func page(_ start: Int?) -> String {
    let whole = wholePage(start)
    // The walk believes that the feed ends at a page which is not the last one.
    guard Fault.isPlanted("early-end"), start != nil, !isCalm else { return whole }
    return whole.prefix { $0 != "]" } + "]}"
  }

  private func wholePage(_ start: Int?) -> String {
    if isOldestFirst {
      let first = start ?? 0
      let end = min(first + pageSize, count)
      let items = first < end ? (first..<end).map(Self.item) : []
      return "{\"items\":[\(items.joined(separator: ","))]" + (end < count ? ",\"next\":\"/feed?from=\(end)\"}" : "}")
    }
    let end = start ?? count
    let first = max(0, end - pageSize)
    let items = (first..<end).reversed().map(Self.item)
    return "{\"items\":[\(items.joined(separator: ","))]" + (first > 0 ? ",\"next\":\"/feed?below=\(first)\"}" : "}")
  }
}

struct Paginate {
  private let world: World
  private let server: PagedServer
  private var printed: [Int: Int] = [:]
  /// Whether a power cut may have undone steps, so that items may come again.
  private var mayRepeat = false

  static func play(_ world: World) {
    var paginate = Paginate(world: world, server: PagedServer(world))
    paginate.playAll()
  }

  private init(world: World, server: PagedServer) {
    self.world = world
    self.server = server
  }

  private mutating func playAll() {
    let rounds = world.choices.below(5) + 1
    let isDurable = world.choices.once(in: 3)
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      server.isCalm = isLast
      let output = Channel()
      var options = isDurable ? ["--durable"] : []
      // With the newest first, who asks for a few gets no more later.
      let mayStop = !isLast && server.isOldestFirst
      if mayStop, world.choices.once(in: 5) { options += ["-n", "\(world.choices.below(5) + 1)"] }
      if mayStop, world.choices.once(in: 5) { options += ["--max-pages", "\(world.choices.below(3) + 1)"] }
      var life = Life(seconds: 3600)
      if !isLast { life = .chosen(&world.choices, calls: 800, effects: 120, seconds: 2) }
      let ending = run(options, output, life)
      take(output)
      if isLast, ending != .exited(0), world.failure == nil { world.fail("the last run ended with \(ending)") }
      if !isLast, ending == .died, world.choices.once(in: 6) {
        world.cutPower()
        if !isDurable { mayRepeat = true }
      }
      server.grow(world.choices.below(6))
      if isLast { continue }
      world.advance(to: world.now + 1)
    }
    guard world.failure == nil else { return }
    finish()
  }

  private func run(_ options: [String], _ output: Channel, _ life: Life) -> World.Ending {
    let order = server.isOldestFirst ? "oldest-first" : "newest-first"
    let feed = ["--store", "store.db", "--items", "/items", "--id-from", "/id", "--next", "/next", "--order", order]
    return world.run(.paginate, feed + options + ["http://h/feed"], output: output, life)
  }

  private mutating func take(_ output: Channel, isAgain: Bool = false) {
    for line in output.lines {
      guard let number = PagedServer.number(line) else { return world.fail("no item of the feed: \(text(line))") }
      if printed[number] != nil, !isAgain, !mayRepeat { return world.fail("item \(number) was printed twice") }
      printed[number, default: 0] += 1
    }
    let numbers = output.lines.compactMap { PagedServer.number($0) }
    if server.isOldestFirst, numbers != numbers.sorted() { world.fail("items came out of order: \(numbers)") }
  }

  /// What was never printed must be uncertain, and nothing else may be missing.
  private mutating func finish() {
    let output = Channel()
    let ending = run(["--redeliver"], output, Life(seconds: 3600))
    guard case .exited(let status) = ending, status <= 1 else { return world.fail("--redeliver ended with \(ending)") }
    take(output, isAgain: true)
    // The feed may have grown after the last run, and --redeliver may print that too.
    let last = Channel()
    if run([], last, Life(seconds: 3600)) != .exited(0) { return world.fail("the run after --redeliver failed") }
    take(last)
    guard world.failure == nil else { return }
    let lost = (0..<server.count).filter { printed[$0] == nil }
    if !lost.isEmpty { world.fail("items \(lost) were never printed") }
  }
}
