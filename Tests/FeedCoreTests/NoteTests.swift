import Testing

@testable import FeedCore

@Suite struct NoteTests {
  private func line(_ note: Note) -> String {
    var writer = ByteWriter()
    writer.append(note)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private let url = "http://x/"
  private let head = #""url":"http://x/","time":"2026-11-20T23:45:05.123456Z""#

  private func note(
    _ kind: Note.Kind, source: [UInt8]? = nil, code: Int? = nil, delay: Double? = nil, reason: String? = nil
  ) -> Note {
    Note(kind, url: url, time: 1_795_218_305_123_456, source: source, code: code, delay: delay, reason: reason)
  }

  @Test func aNoteHasOnlyTheMembersThatItNeeds() {
    #expect(line(note(.open)) == #"{"note":"open",\#(head)}"# + "\n")
    #expect(
      line(note(.closed, code: 1001, reason: "a \"b\"\n\u{1b}"))
        == #"{"note":"closed",\#(head),"code":1001,"reason":"a \"b\"\n\u001b"}"# + "\n")
    #expect(
      line(note(.retrying, source: Array("hn".utf8), delay: 3, reason: "lost"))
        == #"{"note":"retrying","source":"hn",\#(head),"delay":3,"reason":"lost"}"# + "\n")
  }

  @Test(
    arguments: [
      (0, "0"), (-1, "0"), (3, "3"), (0.1, "0.1"), (0.0004, "0"), (1.0005, "1.001"), (2.25, "2.25"), (59.9996, "60"),
      (86_400, "86400"), (.infinity, "1000000000000"),
    ] as [(Double, String)])
  func aDelayHasThreeDecimalsAtTheMost(_ seconds: Double, _ text: String) {
    #expect(line(note(.held, delay: seconds)) == #"{"note":"held",\#(head),"delay":\#(text)}"# + "\n")
  }

  @Test(arguments: Note.Kind.allCases) func everyReaderPassesOverIt(_ kind: Note.Kind) throws {
    let value = try JSONDocument(parsing: Array(line(note(kind, code: 1, delay: 1, reason: "x")).utf8)).root
    #expect(try EventRecord(value) == nil)
    #expect(EventRecord.isNote(value) && !EventRecord.isUnmistakable(value))
  }
}
