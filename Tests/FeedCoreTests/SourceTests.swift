import TestSupport
import Testing

@testable import FeedCore

/// `--by`: which member names a document, its names, and the checkpoint of many documents.
@Suite struct SourceTests {
  private func index(_ pointer: String = "/source", limit: Int = 3) throws -> SourceIndex {
    SourceIndex(
      by: try #require(SourcePointer(try JSONPointer(Array(pointer.utf8)))), limit: limit,
      options: ("--by", "--max-sources"))
  }

  private func value(_ text: String) throws -> JSONValue { try JSONDocument(parsing: Array(text.utf8)).root }

  @Test(arguments: ["/source", "/a~1b", "/~0", "/0", "/é"])
  func aMemberNamesDocuments(_ pointer: String) throws {
    #expect(try index(pointer).pointer.text == Array(pointer.utf8))
  }

  @Test(arguments: ["", "/a/b", "/event", "/id", "/data", "/time", "/mark"])
  func aMemberWithAnotherMeaningDoesNot(_ pointer: String) throws {
    #expect(SourcePointer(try JSONPointer(Array(pointer.utf8))) == nil)
  }

  @Test func sourcesAreNumberedAsTheyCome() throws {
    var index = try index()
    let records = [#""a""#, #""\u0061""#, "17", #""17""#, #""A""#, "17", #""a""#]
    let numbers = try records.map { try index.number(of: value(#"{"source":\#($0)}"#)) }
    #expect(numbers == [0, 0, 1, 1, 2, 1, 0])
    let members = [#","source":"a""#, #","source":17"#, #","source":"A""#]
    #expect(index.sources.map { String(decoding: $0.member, as: UTF8.self) } == members)
    #expect(throws: FormatError.self) { try index.number(of: value(#"{"source":"b"}"#)) }
    #expect(index.sources.count == 3)
  }

  @Test(arguments: ["{}", #"{"source":null}"#, #"{"source":[]}"#, #"{"source":{}}"#, #"{"source":""}"#])
  func aRecordMayHaveNoName(_ record: String) throws {
    var index = try index()
    #expect(throws: FormatError.self) { try index.number(of: value(record)) }
    #expect(index.sources.isEmpty)
  }

  /// Written and read again; and cut at every byte, it is the documents before the cut, or an error.
  @Test func aCheckpointMayBeCutAnywhere() throws {
    let folder = try ScratchFolder()
    let path = Array((folder.path + "/state").utf8)
    var index = try index()
    let names = [#""a""#, #""\ud800\u0000""#, "true"]
    for name in names { _ = try index.number(of: value(#"{"source":\#(name)}"#)) }
    let documents = try [#"{"n":[1.0]}"#, #""x""#, "null"].map { JSONTree(try value($0)) }
    let saved = documents.map { Checkpoint(id: [49], document: $0, extra: ["mark": [55]]) }
    try Checkpoint.write(path, of: index, saved)
    let whole = try folder.read("state")
    #expect(
      whole == """
        {"note":"checkpoint","by":"/source"}
        {"event":"data","id":"1","source":"a","mark":7,"data":{"n":[1.0]}}
        {"event":"data","id":"1","source":"\\ud800\\u0000","mark":7,"data":"\\"x\\""}
        {"event":"data","id":"1","source":true,"mark":7,"data":"null"}

        """)
    var complete = 0
    for end in 0...whole.utf8.count {
      _ = try folder.write("state", String(whole.prefix(end)))
      var read: [Checkpoint] = []
      var sources = try self.index()
      do { try Checkpoint.read(path, into: &sources) { read.append($0) } } catch { continue }
      complete += 1
      #expect(read.count == sources.sources.count)
      for (checkpoint, document) in zip(read, documents) {
        #expect(checkpoint.id == [49] && checkpoint.extra["mark"] == [55])
        #expect(checkpoint.document?.untouched?.text == document.untouched?.text)
      }
    }
    // After each line, and before its newline.
    #expect(complete == 8)
  }
}
