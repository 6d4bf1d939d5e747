import TestSupport
import Testing

@testable import FeedCore
@testable import deliver

/// Cuts do not change the batches.
@Suite struct BatchReaderTests {
  private struct Found: Equatable {
    var batches: [[String]] = []
    var safe: [String?] = []
    var failure: String?
    var hasDropped = false
  }

  /// All batches, if each piece comes in time for its batch.
  private func batches(_ words: String, _ pieces: [[UInt8]]) throws -> Found {
    let input = Pieces(pieces)
    var reader = try BatchReader(try given(words + " --batch-time 1000000"), input.streams)
    var found = Found()
    do throws(ToolFailure) {
      while true {
        switch try reader.next(isDue: false) {
        case .batch(let batch):
          let ends = batch.records.map { String(decoding: $0.text, as: UTF8.self) }
          #expect(ends.map { $0 + "\n" }.joined() == String(decoding: batch.text, as: UTF8.self))
          found.batches.append(ends)
          found.safe.append(batch.lastSafe(after: batch.count).map { String(decoding: $0.id, as: UTF8.self) })
        case .wanted: try reader.read()
        case .end:
          found.hasDropped = reader.hasDropped
          return found
        }
      }
    } catch {
      found.failure = error.diagnostic.text
      return found
    }
  }

  static func record(_ id: String, _ data: String = "1") -> String {
    id.isEmpty ? #"{"event":"e","data":\#(data)}"# : #"{"event":"e","id":"\#(id)","data":\#(data)}"#
  }

  /// Options, an input, its batches, and the id that a checkpoint may have after each batch.
  static let table: [(words: String, input: String, batches: [[String]], safe: [String?])] = {
    let (a, b, c) = (record("a"), record("b"), record("c"))
    return [
      ("", "", [], []),
      ("", "x\n", [["x"]], [nil]),
      ("--batch 2", "x\ny\nz\n", [["x", "y"], ["z"]], [nil, nil]),
      ("--batch 2", "x\n\n\r\nz\n", [["x", ""], ["\r", "z"]], [nil, nil]),
      ("--batch 1", "x\ny\n", [["x"], ["y"]], [nil, nil]),
      // A line end counts; a batch may have as many bytes as the limit, and none more.
      ("--batch-bytes 6", "ab\ncd\nef\n", [["ab", "cd"], ["ef"]], [nil, nil]),
      ("--batch-bytes 5", "ab\ncd\nef\n", [["ab"], ["cd"], ["ef"]], [nil, nil, nil]),
      ("--batch-bytes 3", "abcdefgh\na\nb\n", [["abcdefgh"], ["a"], ["b"]], [nil, nil, nil]),
      ("--batch-bytes 4", "a\nabcdefgh\na\nb\n", [["a"], ["abcdefgh"], ["a", "b"]], [nil, nil, nil]),
      ("--records-in", "\(a)\n{\"note\":\"x\"}\n \t\n\n{\"comment\":\"\"}\n\(b)\n", [[a, b]], ["b"]),
      ("--records-in --batch 2", "\(a)\n\(b)\n\(c)\n", [[a, b], [c]], ["b", "c"]),
      // Records with one id stay together, and count as one.
      ("--records-in --batch 2", "\(a)\n\(b)\n\(b)\n\(b)\n\(c)\n", [[a, b, b, b], [c]], ["b", "c"]),
      ("--records-in --batch 2", "\(a)\n\(a)\n\(b)\n", [[a, a], [b]], ["a", "b"]),
      // But not with a batch size of one, nor above the size limit; then the checkpoint stays before them.
      ("--records-in --batch 1", "\(a)\n\(b)\n\(b)\n\(c)\n", [[a], [b], [b], [c]], ["a", nil, "b", "c"]),
      (
        "--records-in --batch 2 --batch-bytes \(2 * a.utf8.count + 2)", "\(a)\n\(b)\n\(b)\n\(c)\n",
        [[a, b], [b, c]], ["a", "c"]
      ),
      ("--raw --records-in", record("a", "\"x\"") + "\n" + record("b", "{ }") + "\n", [["x", "{ }"]], ["b"]),
      // A last line without a line end counts if it is complete.
      ("--records-in", "\(a)\n\(b)", [[a, b]], ["b"]),
      ("", "x\n{\"a\":1}", [["x", "{\"a\":1}"]], [nil]),
      ("", "x\n12", [["x", "12"]], [nil]),
    ]
  }()

  @Test(arguments: table.indices)
  func cutAnywhere(_ index: Int) throws {
    let (words, input, expected, safe) = Self.table[index]
    let bytes = Array(input.utf8)
    // When a batch is full, the next record may not have come. So ids are compared only for the whole input.
    let whole = try batches(words, [bytes])
    #expect(whole == Found(batches: expected, safe: safe), "\(words)")
    for cut in bytes.indices.dropFirst() {
      let found = try batches(words, [Array(bytes[..<cut]), Array(bytes[cut...])])
      #expect(found.batches.joined().elementsEqual(expected.joined()), "cut at \(cut): \(found)")
      if words != "--records-in --batch 2" { #expect(found.batches == expected, "cut at \(cut)") }
    }
    let found = try batches(words, bytes.map { [$0] })
    #expect(found.batches == expected, "byte by byte")
  }

  @Test func aLastLineThatIsCutIsDropped() throws {
    for (words, line) in [("", "abc"), ("", "{\"a\":"), ("--records-in", Self.record("a").dropLast(1) + "")] {
      for pieces in [[Array(line.utf8)], Array(line.utf8).map { [$0] }] {
        let found = try batches(words, pieces)
        #expect(found.batches.isEmpty && found.hasDropped && found.failure == nil, "\(line)")
      }
    }
    #expect(try !batches("--records-in", [Array("{\"note\":\"x\"}".utf8)]).hasDropped)
    #expect(try !batches("--records-in", [Array(" \t".utf8)]).hasDropped)
  }

  @Test func whatIsNoRecordEndsIt() throws {
    let good = Self.record("a")
    for (line, words) in [
      ("x", "expected"), ("{\"a\":1}", "not an event record"), ("[1]", "found an array"), ("1", "found a number"),
    ] {
      let input = Array("\(good)\n\(line)\n\(good)\n".utf8)
      for pieces in [[input], input.map { [$0] }] {
        let found = try batches("--records-in", pieces)
        #expect(found.batches == [[good]], "\(line)")
        #expect(found.failure?.contains(words) ?? false, "\(line): \(found)")
      }
    }
    #expect(try batches("--records-in --raw", [Array("{\"event\":\"x\"}\n".utf8)]).failure != nil)
  }

  @Test func aLineIsNoLongerThanTheLimit() throws {
    for (line, isGood) in [("12345", true), ("123456", false)] {
      for ending in ["\n", ""] {
        let input = Array("a\n\(line)\(ending)".utf8)
        for pieces in [[input], input.map { [$0] }] {
          let found = try batches("--max-size 5", pieces)
          #expect((found.failure == nil) == isGood, "\(line): \(found)")
          #expect(found.batches.first?.first == "a" && found.batches.joined().count == (isGood ? 2 : 1))
        }
      }
    }
  }

  /// The next record to compare with may be one that already began the next batch.
  @Test(arguments: ["--batch 2", "--batch 1", "--batch-bytes 5"])
  func oneMoreIsTheNextOne(_ words: String) throws {
    let input = Pieces([Array("1\n2\n3\n4\n5\n6\n".utf8)])
    var reader = try BatchReader(try given(words), input.streams)
    try reader.read()
    guard case .batch(let first) = try reader.next(isDue: false) else { throw Missing() }
    var lines = first.records.map(\.line)
    for _ in 0..<2 {
      let record = reader.nextRecord()
      lines.append(try #require(record).line)
    }
    while case .batch(let batch) = try reader.next(isDue: true) {
      lines += batch.records.map(\.line)
      if lines.count == 6 { break }
    }
    #expect(lines == (1...6).map { Array("\($0)".utf8) })
  }

  /// A line is read at a glance, or not at all, and that changes nothing.
  private func compare(_ line: [UInt8], _ rest: String = "") throws {
    for isRaw in [false, true] {
      let text = line + Array(rest.utf8)
      guard let parts = RecordGlance.record(in: text.span, 0..<line.count, isRaw: isRaw) else { continue }
      let record = try #require(try Record(parsing: line, number: 1, isRaw: isRaw), "\(line)")
      #expect(record.id == Array(text[parts.id]) && record.data == parts.data.map { Array(text[$0]) }, "\(line)")
      #expect(record.seq.isEmpty, "\(line)")
    }
  }

  private static let lines = [
    #"{"event":"e","id":"7","data":{"a":[1,-2.5,{}],"b":null}}"#, #"{"data": [true, "\"", "é"], "event":"","id":"1"} "#,
    #"{"event":"e","id":"1","id":"","seq":3,"data":"\\"}"#, #"{"\u0069d":"1","event":"e"}"#, #"{"note":"live"}"#,
    #"{"event":"e","id":1}"#, #"{"event":"e","data":{"event":1,"id":2}}"#, #"{"event":"e"}"#, "", "{}", "[1]",
  ]

  @Test(arguments: lines)
  func aGlanceIsAsGood(_ line: String) throws {
    let line = Array(line.utf8)
    for rest in ["", "\n", "\n}\n", "\n{\"event\":\"e\",\"id\":\"9\",\"data\":0}\n"] { try compare(line, rest) }
    for place in line.indices {
      try compare(Array(line[..<place]), "\n{\"event\":\"e\"}\n")
      for byte in "{}[]:,\"\\ \t0-.etid\u{1}".utf8 + [0xC3, 0x80] {
        try compare(Array(line[..<place]) + [byte] + line[place...], "\n\n\n\n\n\n\n\n")
        try compare(Array(line[..<place]) + [byte] + line[(place + 1)...])
      }
    }
  }

  @Test func aGlanceKnowsWhatIsUsual() {
    let line = Array(Self.lines[0].utf8)
    let parts = RecordGlance.record(in: (line + line).span, 0..<line.count, isRaw: true)
    #expect(parts == .init(id: 19..<20, data: 29..<(line.count - 1)))
  }

  struct Missing: Error {}

  /// The ids of a batch, the id after it, how many are finished, and the id that a checkpoint may have.
  static let ids: [(ids: String, next: String?, safe: [String?])] = [
    ("a", nil, [nil, "a"]), ("a", "a", [nil, nil]), ("a", "b", [nil, "a"]), ("a", "", [nil, "a"]),
    ("ab", nil, [nil, "a", "b"]), ("ab", "b", [nil, "a", "a"]), ("aab", nil, [nil, nil, "a", "b"]),
    ("abb", "b", [nil, "a", "a", "a"]), ("-", nil, [nil, nil]), ("--", "a", [nil, nil, nil]),
    ("a-", nil, [nil, "a", "a"]), ("-a", nil, [nil, nil, "a"]), ("a-b", nil, [nil, "a", "a", "b"]),
    // A record without an id between two with one id changes nothing.
    ("a-a", nil, [nil, nil, nil, "a"]), ("a-", "a", [nil, nil, nil]), ("aba", nil, [nil, "a", "b", "a"]),
  ]

  @Test(arguments: ids.indices)
  func theCheckpointIsBeforeWhatIsNotDone(_ index: Int) throws {
    let (ids, next, expected) = Self.ids[index]
    var batch = Batch()
    for (number, id) in ids.enumerated() {
      let line = Array(Self.record(id == "-" ? "" : String(id)).utf8)
      batch.append(try #require(try Record(parsing: line, number: number + 1, isRaw: false)))
    }
    batch.nextID = next.map { Array($0.utf8) }
    let found = (0...ids.count).map { batch.lastSafe(after: $0).map { String(decoding: $0.id, as: UTF8.self) } }
    #expect(found == expected, "\(ids)")
  }
}
