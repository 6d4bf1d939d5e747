// How far a long reading of files is, on the status line of the terminal.
//
// It is for somebody who waits. So it is shown only where nothing else can come to the terminal: standard output is a
// file, and standard input is no pipe, in front of which there may be a program that shows its own progress.

package struct ReadingProgress: Sendable {
  /// Seconds before the first line, and between two.
  private static let patience = 1.0
  private static let pause = 0.25

  private let streams: StandardStreams
  private let isShown: Bool
  /// How many bytes there are in all; nil where a file has no size.
  private let total: Int?
  private var count = 0
  private let start: Double
  /// The moment from which on a new line is due.
  private var due: Double

  /// - Parameter files: all that will be read.
  package init(_ streams: StandardStreams, of files: [InputFile]) {
    self.streams = streams
    let isShown = streams.showsStatus && !files.contains { $0.isStandardInput && $0.size(streams) == nil }
    let sizes = isShown ? files.compactMap { $0.size(streams) } : []
    self.isShown = isShown
    total = sizes.count == files.count ? sizes.reduce(0, +) : nil
    start = isShown ? Clock.monotonic() : 0
    due = start + Self.patience
  }

  /// More bytes have been read.
  @inline(__always)
  package mutating func advance(by count: Int) {
    if isShown, count > 0 { show(count) }
  }

  private mutating func show(_ more: Int) {
    count += more
    let now = Clock.monotonic()
    guard now >= due else { return }
    due = now + Self.pause
    streams.show(status: Self.text(count, of: total, seconds: now - start))
  }

  /// All has been read, and what follows cannot be counted: that is shown at once, if there is much of it.
  /// - Parameters:
  ///   - phase: what is done now.
  ///   - large: from how many bytes on it takes long.
  package func enter(_ phase: String, large: Int) {
    if isShown, count >= large { streams.show(status: phase) }
  }

  /// `1.2 GB of 4.0 GB, 30 %, 251 MB/s`; without the whole where it is not known, or was wrong.
  static func text(_ count: Int, of total: Int?, seconds: Double) -> String {
    let rate = amount(Int(Double(count) / max(seconds, 0.001))) + "/s"
    guard let total, total >= count, total > 0 else { return "\(amount(count)), \(rate)" }
    return "\(amount(count)) of \(amount(total)), \(Int(Double(count) / Double(total) * 100)) %, \(rate)"
  }

  /// A number of bytes in two or three digits.
  static func amount(_ bytes: Int) -> String {
    var value = Double(bytes)
    var units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"][...]
    // What would be rounded to 1000 is 1.0 of the next unit.
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    let tenths = Int((value * 10).rounded())
    let digits = tenths < 100 && bytes >= 1000 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
    return "\(digits) \(units[units.startIndex])"
  }
}
