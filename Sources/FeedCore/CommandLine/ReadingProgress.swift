/// The progress of a long reading of files, on the status line of the terminal.
///
/// It is for somebody who waits. So it is shown only if nothing else can write to the terminal: standard output is a
/// file, and no input is a pipe, whose writer may show its own progress.
package struct ReadingProgress: Sendable {
  /// Seconds before the first line, and between two lines.
  private static let patience = 1.0
  private static let pause = 0.25

  private let streams: StandardStreams
  private let isShown: Bool
  /// The total number of bytes; nil if a file has no size.
  private let total: Int?
  private var count = 0
  private let start: Double
  /// The time at which the next line is due.
  private var due: Double

  /// - Parameter files: all files that will be read.
  package init(_ streams: StandardStreams, of files: [InputFile]) {
    self.streams = streams
    let sizes = streams.showsStatus ? files.map { $0.size(streams) } : []
    isShown = streams.showsStatus && !zip(files, sizes).contains { $0.isStream && $1 == nil }
    total = Self.sum(sizes)
    start = isShown ? Clock.monotonic() : 0
    due = start + Self.patience
  }

  /// The sum; nil if a size is not known, or if it is too large: files with holes can claim any size.
  static func sum(_ sizes: [Int?]) -> Int? {
    sizes.reduce(0) { sum, size in
      guard let sum, let size else { return nil }
      let (more, isTooLarge) = sum.addingReportingOverflow(size)
      return isTooLarge ? nil : more
    }
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

  /// Everything has been read, and the next phase cannot be counted. Shows this at once if the input is large.
  /// - Parameters:
  ///   - phase: what the tool does now.
  ///   - large: the number of bytes from which the phase takes long.
  package func enter(_ phase: String, large: Int) {
    if isShown, count >= large { streams.show(status: phase) }
  }

  /// `1.2 GB of 4.0 GB, 30 %, 251 MB/s`; without the total if it is unknown or was wrong.
  static func text(_ count: Int, of total: Int?, seconds: Double) -> String {
    let rate = amount(Int(Double(count) / max(seconds, 0.001))) + "/s"
    guard let total, total >= count, total > 0 else { return "\(amount(count)), \(rate)" }
    return "\(amount(count)) of \(amount(total)), \(Int(Double(count) / Double(total) * 100)) %, \(rate)"
  }

  /// A number of bytes in two or three digits.
  static func amount(_ bytes: Int) -> String {
    var value = Double(bytes)
    var units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"][...]
    // A value that would be rounded to 1000 is 1.0 of the next unit.
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    let tenths = Int((value * 10).rounded())
    let digits = tenths < 100 && bytes >= 1000 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
    return "\(digits) \(units[units.startIndex])"
  }
}
