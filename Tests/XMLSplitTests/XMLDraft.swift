import TestSupport

/// Random XML documents: their meaning does not matter, only that they use all of the syntax.
struct XMLDraft {
  private var random: SeededGenerator
  private(set) var text = ""

  /// A document; its prefixes are declared, and it refers only to entities that need no declaration.
  init(seed: Int) {
    random = SeededGenerator(seed: UInt64(seed))
    if pick(3) == 0 { text += "<?xml version='1.0' encoding=\"UTF-8\"?>" }
    miscellany()
    if pick(4) == 0 { text += "<!DOCTYPE r [<!-- <r> --><?r <r>?><!ENTITY e '<r/>'>]>\n" }
    element("r", depth: 5, declarations: " xmlns:p=\"urn:p\" xmlns:q='urn:q'")
    miscellany()
  }

  private static let names = [
    "a", "b", "status", "p:status", "statusx", "_", "A-1.b", "\u{E9}t\u{E9}", "p:a", "q:\u{4E2D}",
  ]
  private static let texts = [
    "x", " ", "\n  ", "]", "]]", "&amp;", "&lt;", "&gt;", "&#10;", "&#x20;", "&#13;", "\r\n", "\r", "\t", "\u{E9}",
    "\u{1F600}", "&#x1F600;", "0", "null", "\\", "\"", "'", "&quot;",
    "a longer text that goes on for more than one word",
  ]
  private static let values = [
    "", "x", ">", "/>", "&lt;b>", " ", "\n", "\r\n", "\r", "\t", "&#10;", "&apos;", "&quot;", "\u{E9}", "\u{1F600}",
    "--", "]]>",
    "a=b",
  ]

  private mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func pick(_ list: [String]) -> String { list[pick(list.count)] }

  private mutating func element(_ name: String, depth: Int, declarations: String = "") {
    text += "<" + name + declarations
    var names: Set<String> = []
    for _ in 0..<(pick(3) * pick(3)) where names.count < 4 {
      let attribute = pick(Self.names)
      // Two prefixes may make two names equal.
      guard names.insert(attribute).inserted else { continue }
      let quote = pick(["\"", "'"])
      text += pick([" ", "\n", " \t "]) + attribute + pick(["=", " = ", "=\r\n"]) + quote
      for _ in 0..<pick(4) { text += pick(Self.values) }
      text += quote
    }
    text += pick(["", "", " ", "\n"])
    if pick(5) == 0 { return text += "/>" }
    text += ">"
    for _ in 0..<pick(6) { content(depth) }
    text += "</" + name + pick(["", "", " ", "\r\n"]) + ">"
  }

  private mutating func content(_ depth: Int) {
    switch pick(8) {
    case 0, 1, 2: for _ in 0...pick(4) { text += pick(Self.texts) }
    case 3: text += "<![CDATA[" + pick(["", "<a>", "]]", "]", "&amp;", " ", "\r\n", "</r>", "x]]&gt;"]) + "]]>"
    case 4: instruction()
    default: if depth > 0 { element(pick(Self.names), depth: depth - 1) }
    }
  }

  private mutating func instruction() {
    text += pick(["<!-- </r> -->", "<!---->", "<!-- > - -->", "<?x?>", "<?xm <r> ?>", "<?p ? >?>"])
  }

  private mutating func miscellany() {
    for _ in 0..<pick(3) {
      instruction()
      text += pick(["", "\n", "\r\n "])
    }
  }
}
