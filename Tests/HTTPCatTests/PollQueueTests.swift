import TestSupport
import Testing

@testable import http_cat

/// Which resource is requested next, compared with a model that checks all of them.
@Suite struct PollQueueTests {
  private struct Model {
    var waiting: [(index: Int, origin: String, due: Double)] = []
    var busy: Set<String> = []
    var notBefore: [String: Double] = [:]

    func moment(_ place: Int) -> Double? {
      let (_, origin, due) = waiting[place]
      return busy.contains(origin) ? nil : max(due, notBefore[origin] ?? 0)
    }

    var nextRequestTime: Double? { waiting.indices.compactMap(moment).min() }
  }

  @Test(arguments: 0..<200)
  func theQueueKnowsWhatAScanWouldFind(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var queue = PollQueue()
    var model = Model()
    var now = 0.0
    var taken: [(index: Int, origin: String)] = []
    let origins = (0..<Int.random(in: 1...5, using: &random)).map { "http://\($0):80" }
    for index in 0..<Int.random(in: 1...20, using: &random) {
      taken.append((index, origins[index % origins.count]))
    }
    for step in 0..<300 {
      let origin = origins.randomElement(using: &random) ?? ""
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        guard !taken.isEmpty else { continue }
        let (index, origin) = taken.remove(at: Int.random(in: 0..<taken.count, using: &random))
        let due = now + Double(Int.random(in: 0...8, using: &random))
        queue.add(index, to: origin, due: due)
        model.waiting.append((index, origin, due))
      case 2, 3:
        let expected = model.nextRequestTime
        let found = queue.next(now)
        #expect((found != nil) == (expected.map { $0 <= now } ?? false), "step \(step)")
        guard let found, let place = model.waiting.firstIndex(where: { $0.index == found }) else { continue }
        #expect(model.moment(place) == expected, "step \(step)")
        let origin = model.waiting.remove(at: place).origin
        taken.append((found, origin))
        queue.begin(origin, now, pause: 1)
        model.busy.insert(origin)
        model.notBefore[origin] = max(now + 1, model.notBefore[origin] ?? 0)
      case 4:
        queue.end(origin)
        model.busy.remove(origin)
        if step % 7 == 0 {
          queue.hold(origin, until: now + 5)
          model.notBefore[origin] = max(now + 5, model.notBefore[origin] ?? 0)
        }
      default: now += Double(Int.random(in: 0...2, using: &random))
      }
      #expect(queue.nextRequestTime() == model.nextRequestTime, "step \(step)")
      #expect(queue.isEmpty == model.waiting.isEmpty, "step \(step)")
      guard step == 150 else { continue }
      queue.removeAll(now)
      model.notBefore = model.notBefore.filter { model.busy.contains($0.key) || $0.value > now }
      for (index, origin, due) in model.waiting { queue.add(index, to: origin, due: due) }
    }
  }

  @Test func anOriginHasOneRequestAtATime() {
    var queue = PollQueue()
    queue.add(0, to: "a", due: 5)
    queue.add(1, to: "a", due: 5)
    queue.add(2, to: "b", due: 6)
    #expect(queue.next(4) == nil && queue.nextRequestTime() == 5)
    #expect(queue.next(5) != nil)
    queue.begin("a", 5, pause: 1)
    #expect(queue.nextRequestTime() == 6 && queue.next(6) == 2)
    queue.begin("b", 6, pause: 1)
    #expect(queue.next(100) == nil && queue.nextRequestTime() == nil && !queue.isEmpty)
    // A second after the first request to this server.
    queue.end("a")
    #expect(queue.next(5.5) == nil && queue.nextRequestTime() == 6)
    queue.hold("a", until: 100)
    #expect(queue.nextRequestTime() == 100 && queue.next(99) == nil && queue.next(100) != nil && queue.isEmpty)
  }

  @Test func aListThatChangesForgetsNoServer() {
    var queue = PollQueue()
    queue.begin("a", 5, pause: 1)
    queue.hold("b", until: 100)
    queue.add(0, to: "c", due: 5)
    queue.removeAll(7)
    #expect(queue.isEmpty && queue.nextRequestTime() == nil)
    queue.add(0, to: "a", due: 5)
    queue.add(1, to: "b", due: 5)
    #expect(queue.nextRequestTime() == 100)
    queue.end("a")
    #expect(queue.nextRequestTime() == 6)
  }
}
