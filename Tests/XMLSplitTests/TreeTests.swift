import TestSupport
import Testing

@testable import xml_split

/// The tree of an element is made while it is read. It does not depend on how the input was cut, nor on the elements
/// around it.
@Suite struct TreeTests {
  static let drafts = (0..<150).map { Array(XMLDraft(seed: $0).text.utf8) }.filter { $0.count < 1500 }

  @Test(arguments: [["-j"], ["-j", "--ordered"], ["-f", ".,a,status/b,@_,//a"]])
  func cutsChangeNothing(_ form: [String]) {
    #expect(Self.drafts.count > 100)
    for (number, draft) in Dice.some(Self.drafts).enumerated() {
      for path in [["/r"], ["--nested", "//*"]] {
        let whole = SplitRun(form + path, draft)
        for piece in [1, 3, 16] {
          let pieces = SplitRun(form + path, draft, piece: piece)
          #expect(pieces.output == whole.output && pieces.error == whole.error, "\(number) in pieces of \(piece)")
        }
      }
    }
  }

  @Test(arguments: [["-j"], ["-j", "--ordered"], ["-f", ".,a,status/b,@_,//a"]])
  func innerElementsAreAsAlone(_ form: [String]) {
    var count = 0
    for draft in Self.drafts.prefix(Dice.rolls(100)) {
      let elements = SplitRun(["-0", "--no-inherit", "--nested", "//*"], draft).output.split(separator: 0)
      let lines = SplitRun(form + ["--nested", "//*"], draft).output.split(separator: UInt8(ascii: "\n"))
      #expect(elements.count == lines.count)
      for (element, line) in zip(elements, lines) {
        #expect(SplitRun(form + ["/*"], Array(element)).output == line + [UInt8(ascii: "\n")])
        count += 1
      }
    }
    #expect(count > Dice.rolls(300))
  }

  /// When the outermost element is too large, those inside it are still right, wherever the text was dropped.
  @Test(arguments: [1, 5, 64])
  func innerElementsOfALostOne(_ piece: Int) {
    let inner = (0..<200).map { "<e n='\($0)'><a>\($0)</a>x<a/></e>" }
    let input = Array(("<r k='v'>" + inner.joined(separator: "\n") + "</r>").utf8)
    let run = SplitRun(
      ["-j", "--nested", "--on-error", "skip", "--max-size", "60", "//*"], input, piece: piece)
    var expected = ""
    for number in 0..<200 {
      expected += "{\"a\":\"\(number)\"}\n{\"a\":null}\n"
      expected += "{\"e\":{\"@n\":\"\(number)\",\"a\":[\"\(number)\",null],\"#text\":\"x\"}}\n"
    }
    #expect(String(decoding: run.output, as: UTF8.self) == expected)
    #expect(run.error.hasPrefix("xml-split: -:1:1: an element of more than 60 bytes (--max-size)"), "\(run.error)")
  }

  /// Names are compared by words, also where the input has no whole word left.
  @Test(arguments: [2, 9, 40, 41, 60])
  func duplicateAttributes(_ count: Int) {
    for length in 1...12 {
      let names = (0..<count).map { String(repeating: "n", count: length) + (length > 2 ? "\($0)" : "x\($0)") }
      for last in [names[0], names[count / 2], names[count - 1]] {
        let tag = "<n " + names.map { $0 + "=\"\"" }.joined(separator: " ") + " " + last
        for end in ["=''/>", "='1'/>", "=''></n>"] {
          for piece in [Int.max, 1] {
            let run = SplitRun(["/n"], Array((tag + end).utf8), piece: piece)
            #expect(run.error.hasSuffix("attribute '\(last)' occurs twice\n"), "\(tag + end)")
          }
        }
        let other = SplitRun(["/n"], Array((tag + "y=''/>").utf8), piece: 1)
        #expect(other.status == 0, "\(tag)")
      }
    }
  }

  /// Many children of different names take time in proportion to their number, and equal ones find each other.
  @Test func manyNames() {
    let names = (0..<20_000).map { "name-number-\($0)" }
    let input = "<r>" + (names + names.reversed()).map { "<\($0)/>" }.joined() + "</r>"
    let expected = "{\"r\":{" + names.map { "\"\($0)\":[null,null]" }.joined(separator: ",") + "}}\n"
    #expect(String(decoding: SplitRun(["-j", "/r"], Array(input.utf8)).output, as: UTF8.self) == expected)
  }
}
