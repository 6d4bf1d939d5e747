import Testing

@testable import xml_split

/// A field gives all its matches in the order of the document, each once.
@Suite struct FieldTests {
  static let document = """
    <r id="0" xmlns:p="urn:p"><a id="1" x="2">3<b id="4" x="5">6</b></a><a id="7"><a id="8" p:x="9">10</a></a>11</r>
    """

  /// A path, and the texts of its matches.
  private static let paths: [(String, [String])] = [
    (".", ["361011"]), ("@id", ["0"]), ("a", ["36", "10"]), ("a|//b", ["36", "6", "10"]),
    ("//a", ["36", "10", "10"]), ("//a|a|//a/a", ["36", "10", "10"]), ("a/a|a//b|.", ["361011", "6", "10"]),
    ("//b/@x|a/@*|//a", ["36", "1", "2", "5", "10", "7", "10"]), ("//a/@{urn:p}x", ["9"]), ("@*", ["0"]),
    ("a[2]/a|a[1]", ["36", "10"]), ("//a[a][1]", ["10"]), ("//*[@x!='2']/@x", ["5"]), ("b", []),
    ("a/@id|a/@id|a/@x", ["1", "2", "7"]), ("//a[not(@x)]/@id|@id", ["0", "7", "8"]),
    ("a[text()='3']/b|a[text()]", ["36", "6"]),
  ]

  @Test(arguments: paths)
  func matches(_ path: String, _ values: [String]) throws {
    let bytes = Array(Self.document.utf8)
    var namespaces = Namespaces()
    namespaces.enter(try XMLTokenizer.tree(of: bytes, in: namespaces), 0, depth: 3)
    let tree = try XMLTokenizer.tree(of: bytes, in: namespaces)
    let field = try Field(Array(path.utf8))
    for limit in 0...values.count {
      var found: [String] = []
      field.forEachMatch(in: tree) {
        found.append(String(decoding: Field.value(of: $0, tree), as: UTF8.self))
        return found.count != limit
      }
      #expect(found == (limit == 0 ? values : Array(values.prefix(limit))), "until \(limit)")
    }
    #expect(field.hasMatch(in: tree) == !values.isEmpty)
    #expect(field.value(in: tree) == values.first.map { Array($0.utf8) })
  }
}
