import Testing

@testable import FeedCore

struct CivilTimeTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
    (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"), (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
    (1_795_218_305_123_456, "2026-11-20T23:45:05.123456Z"), (-11_644_473_600_000_000, "1601-01-01T00:00:00.000000Z"),
  ])
  func dates(_ microseconds: Int64, _ text: String) {
    let time = CivilTime(microseconds: microseconds)
    #expect(String(decoding: time.text, as: UTF8.self) == text)
    #expect(Int64(time.seconds) * 1_000_000 + Int64(time.microsecond) == microseconds)
  }
}
