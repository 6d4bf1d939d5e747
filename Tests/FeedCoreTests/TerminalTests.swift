import Testing

@testable import FeedCore

@Suite struct TerminalTests {
  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"), (9949, "9.9 kB"), (9950, "10 kB"),
    (999_499, "999 kB"), (999_500, "1.0 MB"), (30_000_000, "30 MB"), (1_234_000_000, "1.2 GB"), (.max, "9.2 EB"),
  ])
  func amounts(_ bytes: Int, _ text: String) {
    #expect(ReadingProgress.amount(bytes) == text)
  }

  @Test func howFarAReadingIs() {
    func text(_ count: Int, _ total: Int?, _ seconds: Double) -> String {
      ReadingProgress.text(count, of: total, seconds: seconds)
    }
    #expect(text(1_200_000_000, 4_000_000_000, 4.78) == "1.2 GB of 4.0 GB, 30 %, 251 MB/s")
    // Not 100 before the end.
    #expect(text(999, 1000, 1) == "999 B of 1.0 kB, 99 %, 999 B/s")
    #expect(text(1000, 1000, 2) == "1.0 kB of 1.0 kB, 100 %, 500 B/s")
    // A file that grows, and one whose size nobody knows.
    #expect(text(1001, 1000, 1) == "1.0 kB, 1.0 kB/s")
    #expect(text(5000, nil, 2) == "5.0 kB, 2.5 kB/s")
    #expect(text(5000, 0, 0) == "5.0 kB, 5.0 MB/s")
  }

  @Test func theSizeOfAllFiles() {
    #expect(ReadingProgress.sum([1, 2]) == 3)
    #expect(ReadingProgress.sum([1, nil, 2]) == nil)
    #expect(ReadingProgress.sum([.max, 1, 2]) == nil)
  }

  @Test func theStylesOfAMessage() {
    let place = TextPlace(line: 3, column: 2, excerpt: Array("é\u{1B}x".utf8))
    let message = Diagnostic("found '\u{1B}[31m'", source: "a\u{1B}b", place: place, record: "event 4")
    func text(_ style: Diagnostic.Style) -> String {
      String(decoding: message.rendered(by: "tool", style), as: UTF8.self)
    }
    let head = "tool: a\\x1bb:3:2: event 4:"
    let words = " found '\\x1b[31m'\n"
    #expect(text(.plain) == head + words)
    #expect(text(.excerpt).hasPrefix(head + words + "  ") && text(.excerpt).hasSuffix(" ^\n"))
    #expect(text(.colored).hasPrefix("\u{1B}[1m\(head)\u{1B}[0m\(words)  "))
    #expect(text(.colored).hasSuffix(" \u{1B}[1;32m^\u{1B}[0m\n"))
    let short = Diagnostic("no")
    #expect(short.rendered(by: "tool", .colored) == Array("\u{1B}[1mtool:\u{1B}[0m no\n".utf8))
  }
}
