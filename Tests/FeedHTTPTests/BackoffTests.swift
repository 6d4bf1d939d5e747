import Testing

@testable import FeedHTTP

struct BackoffTests {
  @Test func theSpanDoublesUpToTheLongest() {
    var most = Backoff(base: 3) { 1 }
    #expect((0..<6).map { _ in most.fail() } == [6, 12, 24, 30, 30, 30])
    #expect(most.failures == 6)
    most.succeed()
    #expect(most.fail() == 6)
  }

  @Test func theBaseIsAlwaysWaited() {
    var least = Backoff(base: 3) { 0 }
    #expect((0..<6).map { _ in least.fail() } == [3, 3, 3, 3, 3, 3])
    var long = Backoff(base: 100) { 1 }
    #expect(long.fail() == 100)
  }

  @Test func aBaseOfNothingStillBacksOff() {
    var backoff = Backoff(base: 0) { 1 }
    #expect((0..<200).map { _ in backoff.fail() }.last == 30)
  }
}
