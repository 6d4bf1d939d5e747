// The IDs that a tool gives its events itself. An ID never names two things, not even in the next run: a reader comes
// back with the last ID that it has seen, and must not get the changes of another document.

/// IDs that grow: whole numbers, by default the time in microseconds since 1970.
///
/// A run needs to know nothing of the one before it: time has passed since, so its IDs are greater. This holds while
/// the clock is not set back, and below a million IDs a second.
package struct EventIDs: Sendable {
  /// Whole numbers that every JSON reader represents exactly (RFC 8259 §6).
  package static let range = 0...(1 << 53)
  /// The greatest number that is taken for a time, in the year 2255. It leaves room for IDs above it.
  private static let latest = (1 << 53) - (1 << 40)
  /// The longest random distance to an earlier ID: 268 seconds.
  private static let distances = 1...(1 << 28)

  private var last: Int
  private let isCounted: Bool

  /// IDs by the clock.
  package init() {
    last = 0
    isCounted = false
  }

  /// First the given number, then one more each time. The user must see to it that no other run gives them.
  package init(countingFrom first: Int) {
    last = first - 1
    isCounted = true
  }

  /// Gives only greater IDs than one of an earlier run, which a checkpoint has.
  ///
  /// A run that was killed may have given greater ones than that. The clock has passed them, unless it was set back.
  /// If it was, the IDs continue at a random distance.
  /// - Parameters:
  ///   - id: begins with a number, or is ignored.
  ///   - now: in microseconds since 1970.
  package mutating func resume(after id: [UInt8], at now: Int64 = Clock.now()) {
    guard let number = Int(decimal: id.prefix { $0.isDigit }), number <= Self.latest else { return }
    last = max(last, number < now ? number : number + Int.random(in: Self.distances))
  }

  /// - Parameter now: in microseconds since 1970.
  package mutating func next(at now: Int64 = Clock.now()) -> [UInt8] {
    last = isCounted ? last + 1 : max(last + 1, min(Int(now), Self.latest))
    return Array(String(last).utf8)
  }
}
