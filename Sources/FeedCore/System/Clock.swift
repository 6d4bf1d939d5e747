/// The two clocks: one for durations, one for dates.
package enum Clock {
  /// Seconds since some fixed moment; never goes back, even if the date is changed.
  package static func monotonic() -> Double { read(CLOCK_MONOTONIC) }

  /// Microseconds since 1970-01-01T00:00:00Z.
  package static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
