import TestSupport
import Testing

@testable import FeedCore

func tree(_ text: String) throws -> JSONTree { JSONTree(try JSONDocument(parsing: Array(text.utf8)).root) }

func compact(_ tree: JSONTree) -> String {
  var writer = ByteWriter()
  JSONWriter.writeCompact(tree, to: &writer)
  return String(decoding: writer.take(), as: UTF8.self)
}

@Suite struct JSONValueTests {
  @Test func equality() throws {
    for (number, line) in try Fixtures.lines("json/equal.txt", atLeast: 40) {
      guard let sign = line.firstRange(of: " = ") ?? line.firstRange(of: " ! ") else {
        Issue.record("equal.txt:\(number): no sign")
        continue
      }
      let left = try tree(String(line[..<sign.lowerBound]))
      let right = try tree(String(line[sign.upperBound...]))
      let expected = line[sign] == " = "
      #expect(JSONTree.equal(left, right) == expected, "equal.txt:\(number): \(line)")
      #expect(JSONTree.equal(right, left) == expected, "equal.txt:\(number): \(line), turned around")
      // An opened container equals the original.
      var opened = left
      _ = opened.own()
      #expect(JSONTree.equal(opened, right) == expected, "equal.txt:\(number): \(line), opened")
    }
  }

  @Test(arguments: [
    ("", nil), ("/a", "[1,{\"b\":2},[]]"), ("/a/0", "1"), ("/a/1/b", "2"), ("/a/2", "[]"), ("/a/3", nil), ("/a/-", nil),
    ("/a/01", nil), ("/a/x", nil), ("/a/2/0", nil), ("/a/0/0", nil), ("/x", nil), ("/0", nil), ("/twice", "2"),
    ("/e\n", "3"), ("/e", nil), ("/", "4"), ("/q\"", "5"), ("/q", nil), ("/é", "6"), ("/m~1n/k", "7"),
  ])
  func whatAPointerNames(_ pointer: String, _ text: String?) throws {
    let all = #"{"a":[1,{"b":2},[]],"twice":1,"e\n":3,"":4,"twice":2,"q\"":5,"\u00e9":6,"m/n":{"k":7}}"#
    let root = try JSONDocument(parsing: Array(all.utf8)).root
    let found = try root.value(at: JSONPointer(Array(pointer.utf8)))
    #expect(found.map { String(decoding: $0.text, as: UTF8.self) } == (pointer.isEmpty ? all : text))
  }

  /// `"q":"` contains the whole name and the quote after it, but is another name.
  @Test func aNameDoesNotGoOnPastItsQuote() throws {
    let root = try JSONDocument(parsing: Array(#"{"q":"x","r":1}"#.utf8)).root
    #expect(root.member(#"q":"x"#) == nil)
    #expect(root.member("q")?.string == Array("x".utf8))
  }

  @Test func wideObjectsInAnyOrder() throws {
    let names = (0..<1000).map { "\"k\($0)\":\($0)" }
    let left = try tree("{" + names.joined(separator: ",") + "}")
    let right = try tree("{" + names.reversed().joined(separator: ",") + "}")
    let other = try tree("{" + (names.dropLast() + ["\"k999\":0"]).reversed().joined(separator: ",") + "}")
    #expect(JSONTree.equal(left, right))
    #expect(!JSONTree.equal(left, other))
  }

  @Test(arguments: [
    ("1", "2", -1), ("2", "1", 1), ("1", "1.0", 0), ("-1", "1", -1), ("-2", "-1", -1), ("0", "-0", 0), ("0", "-1", 1),
    ("10", "9", 1), ("1e2", "99.9", 1), ("0.09", "0.1", -1), ("1e99999999999999999999", "1e99999999999999999998", 1),
    ("-1e99999999999999999999", "1", -1), ("1e-99999999999999999999", "0", 1), ("123", "12.3e1", 0),
    ("9007199254740993", "9007199254740992", 1),
  ])
  func numbersInOrder(_ left: String, _ right: String, _ order: Int) throws {
    let a = try #require(JSONNumber(text: Array(left.utf8)))
    let b = try #require(JSONNumber(text: Array(right.utf8)))
    #expect(JSONNumber.compare(a, b) == order)
    #expect(JSONNumber.compare(b, a) == -order)
  }

  @Test func pointers() throws {
    for text in ["", "/", "/a", "/a/b", "/a~1b/m~0n", "//", "/ /é"] {
      #expect(try JSONPointer(Array(text.utf8)).text == Array(text.utf8))
    }
    #expect(try JSONPointer(Array("/~01".utf8)).tokens.map(Array.init) == [Array("~1".utf8)])
    #expect(throws: JSONPointer.SyntaxProblem.noSlash) { try JSONPointer(Array("a".utf8)) }
    for text in ["/~", "/~2", "/a~"] {
      #expect(throws: JSONPointer.SyntaxProblem.badEscape) { try JSONPointer(Array(text.utf8)) }
    }
    for (token, index) in [("0", 0), ("10", 10)] { #expect(JSONPointer.index(Array(token.utf8)[...]) == index) }
    for token in ["", "01", "-1", "+1", "1e0", " 1", "1 ", "-", "١", "9999999999999999999"] {
      #expect(JSONPointer.index(Array(token.utf8)[...]) == nil, "\(token)")
    }
  }

  @Test func stringsRoundTrip() throws {
    for text in ["", "a", "\"\\/", "\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}", "é😀\u{2028}", "0123456\"89"] {
      var writer = ByteWriter()
      JSONString.write(Array(text.utf8).span, to: &writer)
      let value = try JSONDocument(parsing: writer.take()).root
      #expect(value.string == Array(text.utf8))
    }
  }
}
