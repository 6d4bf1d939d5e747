// All that a history is about: the time, what is going to happen, the disk, and the process that is running. One process
// runs at a time. When it waits, the time goes on to the next event; so nobody ever waits, and all is in one order.

import FeedCore

final class World {
  var choices: Choices
  /// For what must not count as a choice: the random numbers of the tools.
  private var numbers: Numbers
  /// In seconds.
  private(set) var now = 1000.0
  private var events: [(time: Double, number: Int, action: () -> Void)] = []
  private var eventCount = 0
  private(set) var isInEvent = false
  var disk = Disk()
  var process: SimulatedProcess?
  private var processCount: Int32 = 100
  /// What has happened, for people.
  private(set) var log: [String] = []
  private(set) var steps = 0
  let isVerbose: Bool
  /// The promise that was broken, if one was.
  private(set) var failure: String?
  /// The servers that tools send requests to; each changes its response as time goes on.
  var serve: (HTTPExchangeOfWorld) -> Void = { _ in }
  /// What deliver runs.
  var spawn: (ChildOfWorld) -> Void = { _ in }
  var children: [Int32: ChildOfWorld] = [:]
  var listener: Listener?

  init(_ choices: Choices, noise: UInt64, isVerbose: Bool) {
    self.choices = choices
    self.isVerbose = isVerbose
    numbers = Numbers(noise)
  }

  // MARK: Time

  /// 2026-01-01, when the clock of the machine was 0.
  private static let epoch: Int64 = 1_767_225_600_000_000

  var date: Int64 { Self.epoch + Int64(now * 1_000_000) }

  func random() -> Double { Double(numbers.next() >> 11) / Double(1 << 53) }

  /// Has something happen after some seconds.
  func after(_ seconds: Double, _ action: @escaping () -> Void) {
    let entry = (now + seconds, eventCount, action)
    eventCount += 1
    let index = events.lastIndex { $0.time <= entry.0 }.map { $0 + 1 } ?? 0
    events.insert(entry, at: index)
  }

  /// A system call takes some time, so that a loop comes to its end.
  func spend(_ seconds: Double) { now += seconds }

  /// Goes back to the time at which another process of a pipeline was started. Nothing that has happened happens again.
  func rewind(to time: Double) { now = time }

  /// Goes on to a time, with all that happens until then.
  func advance(to time: Double) {
    settle(until: time)
    now = max(now, time)
  }

  /// Does what is due.
  func settle() { settle(until: now) }

  private func settle(until time: Double) {
    guard !isInEvent else { return }
    while let next = events.first, next.time <= time {
      events.removeFirst()
      now = max(now, next.time)
      isInEvent = true
      next.action()
      isInEvent = false
    }
  }

  /// Waits until something is so.
  /// - Parameter deadline: nil for ever.
  /// - Returns: false if the time is up, or the process is dead.
  func wait(until deadline: Double?, _ isSo: () -> Bool) -> Bool {
    guard let process else { return false }
    while !process.isDead {
      settle()
      if process.isDead { return false }
      if isSo() { return true }
      let end = min(deadline ?? .infinity, process.killTime)
      if let next = events.first, next.time <= end {
        now = max(now, next.time)
      } else {
        now = max(now, end)
        if end < process.killTime { return false }
        process.die("time")
      }
    }
    return false
  }

  // MARK: Judging

  /// Writes down what has happened.
  func note(_ text: @autoclosure () -> String) {
    steps += 1
    if isVerbose { log.append("\((now * 1000).rounded() / 1000) \(text())") }
  }

  /// A promise is broken. The history ends here.
  func fail(_ text: String) {
    guard failure == nil else { return }
    // One line, whatever it quotes.
    failure = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    note("BROKEN: \(text)")
    process?.die("judged")
  }

  // MARK: Processes

  func newProcess(_ name: String, _ life: Life) -> SimulatedProcess {
    processCount += 1
    return SimulatedProcess(name, processCount, life, self)
  }

  func newIdentifier() -> Int32 {
    processCount += 1
    return processCount
  }

  /// The power fails while nothing runs any more.
  func cutPower() {
    note("the power is cut")
    disk.cutPower(&choices)
  }
}

/// How long a process lives.
struct Life {
  /// It dies in this system call.
  var call = Int.max
  /// It dies in this one of the calls that change something outside it.
  var effect = Int.max
  /// It is killed after this time.
  var seconds: Double

  /// Chooses one: to be killed after some time, or in some call.
  static func chosen(_ choices: inout Choices, calls: Int, effects: Int, seconds: Double) -> Life {
    var life = Life(seconds: seconds)
    switch choices.below(3) {
    case 0: life.seconds = seconds * Double(choices.below(1000) + 1) / 1000
    case 1: life.effect = choices.below(effects)
    default: life.call = choices.below(calls)
    }
    return life
  }
}

final class SimulatedProcess {
  let name: String
  let identifier: Int32
  private let life: Life
  private unowned let world: World
  let killTime: Double
  private(set) var calls = 0
  private(set) var effects = 0
  private(set) var isDead = false
  private(set) var death = ""
  var files: [Int32: OpenFile] = [:]
  private var nextNumber: Int32 = 3
  var handlers: [Int32: @convention(c) (Int32) -> Void] = [:]
  let startTime: Double
  /// Output that a planted fault holds back.
  var held: [UInt8] = []

  init(_ name: String, _ identifier: Int32, _ life: Life, _ world: World) {
    self.name = name
    self.identifier = identifier
    self.life = life
    self.world = world
    startTime = world.now
    killTime = world.now + life.seconds
  }

  func open(_ file: OpenFile) -> Int {
    defer { nextNumber += 1 }
    files[nextNumber] = file
    return Int(nextNumber)
  }

  func die(_ reason: String) {
    guard !isDead else { return }
    isDead = true
    death = reason
    world.note("\(name) dies (\(reason), call \(calls), effect \(effects))")
  }

  /// The most calls of one life, and of a process that is dead and unwinds.
  private static let mostCalls = 300_000

  enum Entry { case alive, dying, dead }

  /// A system call begins.
  /// - Returns: whether it is made; a call in which the process dies may be made in part.
  func enter(hasEffect: Bool) -> Entry {
    if world.isInEvent { return .alive }
    calls += 1
    guard calls < Self.mostCalls else {
      if isDead { fatalError("\(name) goes on although every call fails") }
      world.fail("\(name) makes system calls without end")
      return .dead
    }
    if isDead { return .dead }
    world.spend(0.00002)
    if world.now >= killTime {
      die("time")
      return .dying
    }
    if hasEffect { effects += 1 }
    if calls > life.call || hasEffect && effects > life.effect {
      die(hasEffect ? "in a call that changes something" : "in a call")
      return .dying
    }
    return .alive
  }
}
