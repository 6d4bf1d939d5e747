import Testing

@testable import FeedCore

/// A wait on a clock that only the test moves.
@Suite struct SilentWaitTests {
  private let streams = StandardStreams(program: "tool")

  @Test func aWaitIsReportedOnceAfterTenSeconds() {
    var wait = SilentWait()
    #expect(wait.dueTime == nil && wait.report(99) == nil)
    wait.begin(streams, 100)
    wait.begin(streams, 105)
    #expect(wait.dueTime == 110 && wait.report(109.9) == nil)
    #expect(wait.report(110) == SilentWait.Report(seconds: 10, isFirst: true))
    #expect(wait.dueTime == nil && wait.report(200) == nil)
  }

  @Test func onlyTheFirstLateOneInARowIsForEverybody() {
    var wait = SilentWait()
    var found: [Bool?] = []
    for (start, end) in [(0.0, 11.0), (20, 31), (40, 45), (50, 61)] {
      wait.begin(streams, start)
      found.append(wait.report(end)?.isFirst)
      wait.end()
    }
    #expect(found == [true, false, nil, true])
  }

  @Test func theWordsNameTheTime() {
    var patient = streams
    patient.patience = 0.5
    var wait = SilentWait()
    wait.begin(patient, 0)
    #expect(wait.report(0.5)?.words("no answer") == "no answer yet, after 0.5 s")
  }
}
