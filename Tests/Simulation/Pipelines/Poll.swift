// http-cat --every --checkpoint, and a server whose body changes, which fails, lies about its type and cuts its responses.
//
// Promises: each change that a poll saw is printed once. It is printed before the next request, and it comes again only if
// http-cat died after it was printed and before the next request. What fails changes nothing: no part of a response is
// printed, and the body that was known before is still known. Requests keep the interval, and a wait that the server has
// asked for.

import FeedCore

final class PolledServer {
  private unowned let world: World
  private(set) var version = 0
  var isCalm = false
  private let faultiness: Int
  private let hasTags: Bool
  /// The versions that went out whole with status 200, in order.
  private(set) var answered: [Int] = []
  /// The times of the requests, and the earliest for the next one.
  private(set) var lastRequest = -Double.infinity
  private(set) var allowed = -Double.infinity
  /// The end of the last wait that was asked for, also of a process that has died.
  private(set) var asked = -Double.infinity
  let interval: Double
  /// Called before each request is answered.
  var judge: () -> Void = {}

  init(_ world: World) {
    self.world = world
    faultiness = world.choices.below(3)
    hasTags = world.choices.once(in: 2)
    interval = [2, 0.5, 10][world.choices.below(3)]
    world.serve = { [unowned self] in serve($0) }
  }

  static func text(_ version: Int) -> String { "{\"v\":\(version)}" }

  func number(_ line: [UInt8]) -> Int? {
    var scan = Scan(line)
    guard scan.pass("{\"v\":"), let number = scan.number(), scan.pass("}"), scan.rest.isEmpty, number <= version else {
      return nil
    }
    return number
  }

  func schedule(_ count: Int, over seconds: Double) {
    for _ in 0..<count {
      world.after(seconds * Double(world.choices.below(1000)) / 1000) { [self] in
        version += 1
        world.note("server: version \(version)")
      }
    }
  }

  func forgetTimes() { (lastRequest, allowed) = (-.infinity, -.infinity) }

  private func isFaulty(_ times: Int) -> Bool {
    !isCalm && faultiness > 0 && world.choices.once(in: times / faultiness)
  }

  private func serve(_ exchange: HTTPExchangeOfWorld) {
    judge()
    let condition = exchange.value("if-none-match")
    world.note("request, if not \(condition ?? "any")")
    if world.now < allowed - 0.001 { return world.fail("a request came \(allowed - world.now) s before its time") }
    if world.now < lastRequest + interval - 0.001, !hasFailed {
      return world.fail("a request came \(world.now - lastRequest) s after the one before it")
    }
    hasFailed = false
    lastRequest = world.now
    let delay = [0, 0.05, 0.3][world.choices.below(3)]
    world.after(delay) { [self] in response(exchange, condition) }
  }

  /// Whether the last response was a failure; then the wait is another one.
  private var hasFailed = false

  private func response(_ exchange: HTTPExchangeOfWorld, _ condition: String?) {
    // Who has died hears nothing, such as how long to wait.
    guard exchange.isOpen else { return }
    if isFaulty(4) {
      hasFailed = true
      return fail(exchange)
    }
    let tag = "\"t\(version)\""
    var fields = ["Content-Type: application/json"]
    if hasTags { fields.append("ETag: \(tag)") }
    if hasTags, condition == tag {
      exchange.head(304, fields)
      return exchange.end()
    }
    let body = Array(Self.text(version).utf8)
    exchange.head(200, fields + ["Content-Length: \(body.count)"])
    let cut = world.choices.below(body.count)
    exchange.send(body[..<cut])
    let sent = version
    world.after(0.01) { [self] in
      guard exchange.isOpen else { return }
      exchange.send(body[cut...])
      exchange.end()
      world.note("server: sent version \(sent)")
      answered.append(sent)
    }
  }

  private func fail(_ exchange: HTTPExchangeOfWorld) {
    let body = Array(Self.text(version).utf8)
    switch world.choices.below(6) {
    case 0: exchange.end(.refused)
    case 1:
      let wait = [1, 7, 100][world.choices.below(3)]
      exchange.head(503, ["Retry-After: \(wait)", "Content-Length: 0"])
      exchange.end()
      allowed = world.now + Double(wait)
      asked = allowed
    case 2:
      exchange.head(500, ["Content-Type: application/json", "Content-Length: \(body.count)"])
      exchange.send(body)
      exchange.end()
    case 3:
      // The response breaks.
      exchange.head(200, ["Content-Type: application/json", "Content-Length: \(body.count)"])
      exchange.send(body[..<world.choices.below(body.count)])
      exchange.end(.cut)
    case 4:
      // Half of a body, as if it were whole.
      let part = body[..<(body.count - 1)]
      exchange.head(200, ["Content-Type: application/json", "Content-Length: \(part.count)"])
      exchange.send(part)
      exchange.end()
    default: break  // no response
    }
  }
}

struct Poll {
  private let world: World
  private let server: PolledServer
  private static let state = Array("state".utf8)

  static func play(_ world: World) {
    let poll = Poll(world: world, server: PolledServer(world))
    poll.playAll()
  }

  private func playAll() {
    let rounds = world.choices.below(5) + 1
    // The version that was printed last, and whether a request came after that.
    var known: Int?
    var isSettled = false
    for round in 0...rounds where world.failure == nil {
      let isLast = round == rounds
      server.isCalm = isLast
      let wait = max(0, server.asked - world.now)
      server.forgetTimes()
      // Often nothing changes any more: what was forgotten then stays forgotten.
      let count = world.choices.below(isLast ? 2 : 3) == 0 ? 0 : world.choices.below(8)
      server.schedule(count, over: 10 * server.interval)
      let output = Channel()
      let first = server.answered.count
      var seen = 0
      var hasBegun = false
      /// What has been printed and answered so far must agree.
      func judge(isRequest: Bool) {
        let lines = output.lines
        for line in lines[seen...] {
          guard let number = server.number(line) else { return world.fail("no body of the server: \(text(line))") }
          if number == known, seen > 0 || isSettled { return world.fail("version \(number) was printed twice") }
          if let known, number < known { return world.fail("version \(number) was printed after \(known)") }
          if !server.answered[first...].contains(number) {
            return world.fail("version \(number) was printed and not sent")
          }
          (known, isSettled) = (number, false)
          seen += 1
        }
        guard isRequest else { return }
        if hasBegun, let last = server.answered[first...].last, known != last {
          return world.fail("version \(last) was seen and not printed before the next request")
        }
        // What an earlier process printed and did not save may come again, in each process until one has printed it.
        if seen > 0 { isSettled = true }
        hasBegun = true
      }
      server.judge = { judge(isRequest: true) }
      // Long enough for the changes, a wait that was asked for before, and two more polls.
      var life = Life(seconds: 12 * server.interval + wait)
      if !isLast { life = .chosen(&world.choices, calls: 200, effects: 60, seconds: 20 * server.interval) }
      let options = ["--every", "\(server.interval)", "--as", "json", "--checkpoint", "state"]
      let ending = world.run(.httpCat, options + ["http://h/document"], output: output, life)
      if ending != .died { return world.fail("http-cat ended by itself: \(ending)") }
      guard world.failure == nil else { return }
      judge(isRequest: false)
      for number in server.answered[first...].dropLast() where number > (known ?? -1) {
        world.fail("version \(number) was seen and not printed")
      }
      world.advance(to: world.now + 0.05)
      if !isLast, world.choices.once(in: 8) { world.cutPower() }
    }
    guard world.failure == nil else { return }
    if known != server.version { world.fail("the last version was not printed") }
  }
}
