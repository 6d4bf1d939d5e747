import Foundation
import TestSupport
import Testing

/// A tool, with input that makes it print records of one size.
struct Writer: CustomTestStringConvertible, Sendable {
  let tool: String
  let command: String
  /// The text before the records, a record with `#` for its number and `@` for its filling, and the text after them.
  let head: String, record: String, tail: String

  var testDescription: String { command }

  /// A line for each tool that prints more than one record.
  static let all = [
    Writer("jpatch", "jpatch --each -e '[]'", #"{"n":#,"w":"@"}"# + "\n"),
    Writer("jdiff", "jdiff --follow --first-id 1", #"{"n":#,"w":"@#"}"# + "\n"),
    Writer("xml-split", "xml-split /r/e", "<e n='#'>@</e>\n", head: "<r>\n", tail: "</r>\n"),
    Writer("sse-cat", "sse-cat -", "id: #\ndata: @\n\n"),
    Writer(
      "paginate", "paginate --items /items --id-from /id", #"{"items":[{"id":#,"w":"@"}],"next":"/feed?page=#"}"# + "\n"
    ),
    Writer("ws-cat", "with-ws-echo ws-cat --close-after 0 {0}", "# @\n"),
    Writer(
      "http-cat", "with-http-echo http-cat --stream --no-reconnect --as lines --data-binary @- {0}", "# @\n"),
  ]

  private init(_ tool: String, _ command: String, _ record: String, head: String = "", tail: String = "") {
    (self.tool, self.command, self.head, self.record, self.tail) = (tool, command, head, record, tail)
  }

  /// - Parameter size: the size of the filling in bytes, a little less than that of the record.
  func input(_ filling: Character, size: Int, count: Int) -> String {
    let filled = record.replacingOccurrences(of: "@", with: String(repeating: filling, count: size))
    return head + (1...count).map { filled.replacingOccurrences(of: "#", with: "\($0)") }.joined() + tail
  }

  /// Whether the tool reads a network, and so must respect other writers of its pipe.
  var readsNetwork: Bool {
    let result = try? Command.shell("grep -rlq 'import FeedHTTP' \(Command.quote(Repository.path("Sources/" + tool)))")
    return result?.status == 0
  }
}

/// Writes end at records, so that several writers can share a file or a pipe.
@Suite struct FanInTests {
  /// The size of the filling and the number of records: each writer makes more than its buffer holds.
  static let sizes = [(150, 1500), (4950, 60), (99_900, 8)]
  static let pipeBuffer = 4096

  @Test func everyToolThatPrintsRecordsIsTried() {
    let live = Set(Sample.all.filter { $0.isLive && $0.prints }.map(\.tool))
    #expect(live.subtracting(Writer.all.map(\.tool)) == [])
    #expect(Writer.all.contains(where: \.readsNetwork) && !Writer.all.allSatisfy(\.readsNetwork))
  }

  @Test(arguments: Writer.all, sizes)
  func threeWritersOfOneFile(_ writer: Writer, _ size: (filling: Int, count: Int)) throws {
    try expectWhole(writer, size.filling, size.count, tail: ">>out")
  }

  @Test(arguments: Writer.all.filter(\.readsNetwork), [(150, 1500), (3900, 80)])
  func threeWritersOfOnePipe(_ writer: Writer, _ size: (filling: Int, count: Int)) throws {
    try expectWhole(writer, size.filling, size.count, tail: "", reader: "| cat >out")
  }

  private func expectWhole(
    _ writer: Writer, _ filling: Int, _ count: Int, tail: String, reader: String = ""
  ) throws {
    let scratch = try ScratchFolder()
    var expected: Set<Data> = []
    for letter in "abc" {
      try scratch.write("in-\(letter)", writer.input(letter, size: filling, count: count))
      let alone = try Command.shell("\(writer.command) <in-\(letter)", in: scratch.path)
      #expect(alone.status == 0 && alone.error.isEmpty)
      expected.formUnion(alone.output.split(separator: 10).map { Data($0) })
    }
    let start = "abc".map { "\(writer.command) <in-\($0) \(tail) &" }.joined(separator: " ")
    let result = try Command.shell("{ \(start) wait; } \(reader)", in: scratch.path)
    #expect(result.status == 0 && result.error.isEmpty)
    let lines = (FileManager.default.contents(atPath: scratch.file("out")) ?? Data()).split(separator: 10)
    let torn = lines.filter { !expected.contains(Data($0)) }
    #expect(torn.count == 0, "\(torn.count) of \(lines.count) lines are torn")
    #expect(lines.count >= 3 * count)
  }

  // MARK: How it works

  @Test(arguments: Writer.all, sizes)
  func writesToAFileEndAtRecords(_ writer: Writer, _ size: (filling: Int, count: Int)) throws {
    let parts = try writes(writer, size.filling, size.count, tail: ">>out")
    #expect(parts.count { $0.last != 10 } == 0, "of \(parts.count)")
  }

  @Test(arguments: Writer.all, sizes)
  func writesToAPipeEndAtRecords(_ writer: Writer, _ size: (filling: Int, count: Int)) throws {
    let parts = try writes(writer, size.filling, size.count, tail: "| cat >out")
    if writer.readsNetwork {
      // A longer record is alone in its write.
      let long = parts.filter { $0.count > Self.pipeBuffer && $0.dropLast().contains(10) }
      #expect(long.count == 0, "of \(parts.count)")
    }
    if size.filling < (writer.readsNetwork ? Self.pipeBuffer - 200 : 60_000) {
      #expect(parts.count { $0.last != 10 } == 0, "of \(parts.count)")
    }
  }

  /// The size of each write(2) to standard output, from the journal of Tests/Faults/journal.c.
  private func writes(_ writer: Writer, _ filling: Int, _ count: Int, tail: String) throws -> [Data] {
    guard let library = try Preload.library("journal") else { return [] }
    let scratch = try ScratchFolder()
    try scratch.write("in", writer.input("a", size: filling, count: count))
    let settings = Preload.environment(library, into: writer.tool, ["JOURNAL": scratch.file("journal")])
    let words = "env " + settings.map { Command.quote("\($0)=\($1)") }.joined(separator: " ")
    let command = Command.put(words, before: writer.tool, in: writer.command)
    let result = try Command.shell("\(command) <in \(tail)", in: scratch.path)
    #expect(result.status == 0 && result.error.isEmpty)
    let journal = FileManager.default.contents(atPath: scratch.file("journal")) ?? Data()
    var parts: [Data] = []
    var index = journal.startIndex
    while index < journal.endIndex, let end = journal[index...].firstIndex(of: 10) {
      let head = String(decoding: journal[index..<end], as: UTF8.self).split(separator: " ")
      index = end + 1
      guard let kind = head.first, kind == "P" || kind == "W", let size = Int(head.last ?? "") else { continue }
      if kind == "P" { parts.append(Data(journal[index..<(index + size)])) }
      index += size
    }
    #expect(parts.reduce(0) { $0 + $1.count } > count * filling)
    return parts
  }
}
