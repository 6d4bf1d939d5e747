import Testing

@testable import FeedCore

@Suite struct RecordStampTests {
  private func end(_ stamp: RecordStamp) -> String {
    var writer = ByteWriter()
    writer.append("{\"event\":\"a\",\"data\":1")
    writer.endRecord(stamp)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  @Test func onlyWhatWasAskedForIsAdded() {
    #expect(end(RecordStamp()) == "{\"event\":\"a\",\"data\":1}\n")
    let name = Array("a\"\n".utf8)
    #expect(end(RecordStamp(hasTime: false, source: name)) == #"{"event":"a","data":1,"source":"a\"\n"}"# + "\n")
  }

  @Test func theTimeComesFirst() throws {
    let before = CivilTime(microseconds: Clock.now()).text
    let line = end(RecordStamp(hasTime: true, source: Array("x".utf8)))
    let record = try JSONDocument(parsing: Array(line.utf8)).root
    let names = record.children.compactMap { $0.key?.string }.map { String(decoding: $0, as: UTF8.self) }
    #expect(names == ["event", "data", "time", "source"])
    let time = try #require(record.member(Array("time".utf8))?.string)
    #expect(!time.lexicographicallyPrecedes(before) && time.count == before.count)
    #expect(EventRecord.isUnmistakable(record))
  }

  @Test func aNoteHasTheNameAndKeepsItsTime() {
    let note = RecordStamp(hasTime: true, source: [0x61]).stamped(Note(.open, url: "u", time: 7))
    #expect(note == Note(.open, url: "u", time: 7, source: [0x61]))
  }
}
