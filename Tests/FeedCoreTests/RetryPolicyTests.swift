import Testing

@testable import FeedCore

@Suite struct RetryPolicyTests {
  /// The waits of consecutive failed attempts.
  private func waits(_ policy: inout RetryPolicy, _ count: Int, asked: Double = 0) -> [Double] {
    (0..<count).compactMap { _ in
      guard case .wait(let seconds, _) = policy.fail(asked: asked) else { return nil }
      return seconds
    }
  }

  @Test func theSpanDoublesUpToTheLongest() {
    var most = RetryPolicy(base: 3, .spread(longest: 30)) { 1 }
    #expect(waits(&most, 6) == [6, 12, 24, 30, 30, 30])
    most.succeed()
    #expect(waits(&most, 1) == [6])
    var short = RetryPolicy(base: 0.5, .spread(longest: 60)) { 1 }
    #expect(waits(&short, 9) == [1, 2, 4, 8, 16, 32, 60, 60, 60])
  }

  @Test func theBaseIsAlwaysWaited() {
    var least = RetryPolicy(base: 3, .spread(longest: 30)) { 0 }
    #expect(waits(&least, 6) == [3, 3, 3, 3, 3, 3])
    var long = RetryPolicy(base: 100, .spread(longest: 30)) { 1 }
    #expect(waits(&long, 1) == [100])
  }

  @Test func aBaseOfNothingStillBacksOff() {
    var policy = RetryPolicy(base: 0, .spread(longest: 30)) { 1 }
    #expect(waits(&policy, 200).last == 30)
  }

  @Test func whatTheServerAsksForIsWaited() {
    var policy = RetryPolicy(base: 0.5, .spread(longest: 60)) { 1 }
    #expect(waits(&policy, 2, asked: 30) == [30, 30])
    #expect(waits(&policy, 4) == [4, 8, 16, 32].map { $0 })
  }

  @Test func itGivesUpAfterTheLastRetry() {
    var policy = RetryPolicy(base: 1, .spread(longest: 30), retries: 2) { 0 }
    #expect(policy.fail() == .wait(seconds: 1, isReported: false))
    #expect(policy.fail() == .wait(seconds: 1, isReported: true))
    #expect(policy.fail() == .giveUp)
    #expect(policy.gaveUp == "; gave up after 3 attempts")
    var none = RetryPolicy(base: 1, .spread(longest: 30), retries: 0) { 0 }
    #expect(none.fail() == .giveUp && none.gaveUp == "")
  }

  /// A broken connection counts for the wait, but not as an attempt.
  @Test func aLossIsNoAttempt() {
    var policy = RetryPolicy(base: 1, .spread(longest: 30), retries: 1) { 1 }
    #expect(policy.lose() == .wait(seconds: 2, isReported: false))
    #expect(policy.fail() == .wait(seconds: 4, isReported: true))
    #expect(policy.fail() == .giveUp)
  }

  /// A single failure is not reported, unless the wait is very long.
  @Test func theSecondFailureInARowIsTold() {
    var policy = RetryPolicy(base: 1, .spread(longest: 30)) { 0 }
    #expect(policy.fail() == .wait(seconds: 1, isReported: false))
    policy.succeed()
    #expect(policy.fail() == .wait(seconds: 1, isReported: true))
    policy.recover()
    #expect(policy.fail() == .wait(seconds: 1, isReported: false))
    policy.recover()
    #expect(policy.fail(asked: 3601) == .wait(seconds: 3601, isReported: true))
  }

  @Test(arguments: [
    (0, "; retrying at once"), (0.01, "; retrying in 0.1 s"), (3, "; retrying in 3 s"), (2.25, "; retrying in 2.3 s"),
  ])
  func words(_ seconds: Double, _ expected: String) {
    #expect(RetryPolicy.words("retrying", in: seconds) == expected)
  }
}
