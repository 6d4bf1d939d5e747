import Foundation
import TestSupport
import Testing

@testable import FeedCore
@testable import xml_split

/// Documents in other encodings are read like the same documents in UTF-8.
@Suite struct EncodingTests {
  /// A document, and the same one in UTF-8.
  struct Sample: Sendable {
    let name: String
    /// Some letters, and their bytes.
    let letters: String
    let bytes: [UInt8]
    /// Whether elements are written in it, and not in UTF-8.
    var isKept = false
  }

  static let samples = [
    Sample(name: "EUC-KR", letters: "한글", bytes: [0xC7, 0xD1, 0xB1, 0xDB]),
    Sample(name: "windows-949", letters: "똠", bytes: [0x8C, 0x63]),
    Sample(name: "GB2312", letters: "汉字", bytes: [0xBA, 0xBA, 0xD7, 0xD6]),
    Sample(name: "GBK", letters: "俓", bytes: [0x82, 0x5C]),
    Sample(name: "GB18030", letters: "é\u{20000}", bytes: [0xA8, 0xA6, 0x95, 0x32, 0x82, 0x36]),
    Sample(name: "Shift_JIS", letters: "ソ表ｱ", bytes: [0x83, 0x5C, 0x95, 0x5C, 0xB1]),
    Sample(name: "EUC-JP", letters: "日ｱ丂", bytes: [0xC6, 0xFC, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1]),
    Sample(name: "Big5", letters: "功許", bytes: [0xA5, 0x5C, 0xB3, 0x5C]),
    // One character becomes two.
    Sample(name: "Big5-HKSCS", letters: "Ê\u{304}", bytes: [0x88, 0x62]),
    Sample(name: "TIS-620", letters: "ไทย", bytes: [0xE4, 0xB7, 0xC2], isKept: true),
    Sample(name: "KOI8-R", letters: "Иж", bytes: [0xE9, 0xD6], isKept: true),
    Sample(name: "windows-1251", letters: "яж", bytes: [0xFF, 0xE6], isKept: true),
    Sample(name: "ISO-8859-1", letters: "éÿ", bytes: [0xE9, 0xFF], isKept: true),
    Sample(name: "ISO-8859-15", letters: "éŠ", bytes: [0xE9, 0xA6], isKept: true),
    Sample(name: "UTF-8", letters: "éÿ日", bytes: Array("éÿ日".utf8), isKept: true),
  ]

  /// A document with the letters in names, values, text and the rest.
  static func document(_ letters: String, end: String = "") -> String {
    "<!DOCTYPE r [<!ENTITY e\(letters) '<\(letters)/>'><!--\(letters)-->]>\n<r \(letters)='\(letters)'><!--\(letters)-->"
      + element(letters) + "\n<?p\(letters) \(letters)?>\(letters)</r>\(end)"
  }

  static func element(_ letters: String) -> String {
    "<\(letters) a\(letters)='\(letters)&amp;'>\(letters)<![CDATA[]\(letters)]]></\(letters)>"
  }

  static func encoded(_ text: String, _ sample: Sample) -> [UInt8] {
    // The letters are one after another in the text, and nothing else is not ASCII.
    var bytes: [UInt8] = []
    for part in text.components(separatedBy: sample.letters) {
      if !bytes.isEmpty { bytes += sample.bytes }
      bytes += Array(part.utf8)
    }
    return bytes
  }

  static func declared(_ name: String) -> [UInt8] { Array("<?xml version='1.0' encoding='\(name)'?>".utf8) }

  static func json(_ letters: String) -> String {
    "{\"\(letters)\":{\"@a\(letters)\":\"\(letters)&\",\"#text\":\"\(letters)]\(letters)\"}}\n"
  }

  /// What the input has become, whatever pieces it comes in.
  private func run(
    _ arguments: [String], _ input: [UInt8], _ place: String, pieces: [Int] = [1, 3, 300]
  ) -> SplitRun {
    let whole = SplitRun(arguments, input)
    for piece in pieces {
      let run = SplitRun(arguments, input, piece: piece)
      let isSame = run.output == whole.output && run.error == whole.error && run.status == whole.status
      #expect(isSame, "\(place) in pieces of \(piece): \(run.error), at once: \(whole.error)")
    }
    return whole
  }

  @Test(arguments: samples.indices)
  func everythingIsConverted(_ number: Int) {
    let sample = Self.samples[number]
    let letters = sample.letters
    let bytes = Self.declared(sample.name) + Self.encoded(Self.document(letters), sample)
    let json = run(["-j", "/r/\(letters)[@a\(letters)='\(letters)&']"], bytes, sample.name)
    #expect(String(decoding: json.output, as: UTF8.self) == Self.json(letters), "\(sample.name): \(json.error)")
    let text = Self.element(letters)
    let verbatim = run(["-0", "/r/*"], bytes, sample.name)
    let expected = sample.isKept ? Self.encoded(text, sample) : Array(text.utf8)
    #expect(verbatim.output == expected + [0], "\(sample.name): \(verbatim.error)")
  }

  /// An input that ends anywhere is an error with a place in it.
  @Test(arguments: samples.indices)
  func anInputThatEndsInside(_ number: Int) {
    let sample = Self.samples[number]
    let bytes = Self.declared(sample.name) + Self.encoded(Self.document(sample.letters), sample)
    for end in Dice.some(40..<bytes.count) {
      let cut = run(["-j", "/r"], Array(bytes[..<end]), "\(sample.name) up to \(end)", pieces: [1])
      #expect(cut.status == 2 && cut.output.isEmpty && cut.error.hasPrefix("xml-split: -:"), "\(sample.name): \(end)")
    }
  }

  /// Each document has its own encoding, or none, after a form feed.
  @Test func documentsOneAfterAnother() {
    var random = SeededGenerator(seed: 1)
    for round in 0..<20 {
      var input: [UInt8] = []
      var expected = ""
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        guard let sample = Self.samples.randomElement(using: &random) else { continue }
        let ends = ["", "\n", "<!--\(sample.letters)-->", " <?p \(sample.letters)?>\r\n"]
        if !input.isEmpty { input.append(0xC) }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let text = Self.encoded(Self.document(sample.letters, end: ends.randomElement(using: &random) ?? ""), sample)
          if sample.name == "UTF-8", Bool.random(using: &random) {
            // Without a declaration, and after a mark.
            input += (Bool.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []) + text
          } else {
            input += Self.declared(sample.name) + text
          }
          expected += Self.json(sample.letters)
        }
      }
      let result = run(["-j", "/r/*"], input, "round \(round)")
      #expect(String(decoding: result.output, as: UTF8.self) == expected, "round \(round): \(result.error)")
    }
  }

  /// Thousands of them in each chunk: nothing is read again and again.
  @Test func tinyDocuments() {
    let count = 20_000
    let input = [[UInt8]](repeating: Self.declared("EUC-KR") + Array("<a/>".utf8), count: count).joined()
    let output = SplitRun(["a"], Array(input)).output
    #expect(output == Array([[UInt8]](repeating: Array("<a/>\n".utf8), count: count).joined()))
  }

  /// Every character of every encoding that python knows is the same character in JSON, except those that
  /// Fixtures/xml/encodings.txt counts: python and glibc do not agree on them.
  @Test(.enabled(if: Oracle.expat != nil, "there is no python3"))
  func everyCharacter() throws {
    let folder = Repository.path("Tests/Fixtures/xml")
    let script = "python3 \(Command.quote(folder + "/encodings.py")) \"$(command -v xml-split)\""
    let result = try Command.shell(script)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    let expected = try String(contentsOfFile: folder + "/encodings.txt", encoding: .utf8)
    let lines = expected.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count >= 49)
    for (line, found) in zip(lines, result.text.split(separator: "\n")) { #expect(line == found) }
    #expect(lines.count == result.text.split(separator: "\n").count)
  }
}
