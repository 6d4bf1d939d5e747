import FeedCore
import FeedHTTP
import TestSupport
import Testing

@testable import ws_cat

/// The binary messages of Tests/Fixtures/ws/inflate.txt.
@Suite struct MessageCodingTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let line: String
    let coding: MessageCoding
    let message: [UInt8]
    let result: String

    var testDescription: String { line }

    init?(_ line: String) {
      let sides = line.split(separator: " => ", maxSplits: 1).map(String.init)
      let words = sides[0].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2, words.count == 2, let coding = MessageCoding(rawValue: words[0]) else { return nil }
      self.line = line
      self.coding = coding
      message = FrameTests.Case.bytes(words[1])
      result = sides[1]
    }

    static let all: [Row] = (try? Fixtures.lines("ws/inflate.txt").compactMap { _, line in Row(line) }) ?? []
  }

  @Test func thereAreRows() throws {
    #expect(Row.all.count > 50)
    #expect(try Row.all.count == Fixtures.lines("ws/inflate.txt").count)
  }

  @Test(arguments: Row.all)
  func isUnpacked(_ row: Row) {
    #expect(Self.shown(row.message, row.coding, limit: 32) == row.result)
  }

  /// However much comes out, the limit does not matter below it.
  @Test(arguments: Row.all.filter { !$0.result.hasPrefix("!") })
  func limits(_ row: Row) throws {
    #expect(Self.shown(row.message, row.coding, limit: .max) == row.result)
    guard let text = try row.coding.unpacked(row.message, limit: 32), !text.isEmpty else { return }
    #expect(Self.shown(row.message, row.coding, limit: text.count) == row.result)
    let tooLong = "! a message longer than \(text.count - 1) bytes (--max-size)"
    #expect(Self.shown(row.message, row.coding, limit: text.count - 1) == tooLong)
  }

  private static func shown(_ message: [UInt8], _ coding: MessageCoding, limit: Int) -> String {
    do throws(HTTPError) {
      guard let text = try coding.unpacked(message, limit: limit) else { return "as it came" }
      guard text.isUTF8 else { return "= " + text.map { format($0) }.joined() }
      return text.isEmpty ? "nothing" : String(decoding: text, as: UTF8.self)
    } catch {
      return "! " + error.message
    }
  }

  private static func format(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
