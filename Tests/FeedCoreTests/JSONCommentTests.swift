import TestSupport
import Testing

@testable import FeedCore

@Suite struct JSONCommentTests {
  /// Cut at every byte, a text is either a document that is printed as it is, or an error with a place in it.
  @Test func cutAtEveryByte() {
    let whole = "// a\n{ /* b **/ \"k//\" : [1, /*/ ,] */ 2,\r\n],\"s\":\"\\\"/*\" , // ]\n}\n/* end */ //"
    for count in 0...whole.utf8.count {
      let text = Array(whole.utf8.prefix(count))
      let blanked = JSONComments.blanked(text)
      #expect(blanked.count == count)
      #expect(zip(text, blanked).allSatisfy { $0 == $1 || $1 == UInt8(ascii: " ") && !$0.isLineEnd })
      do {
        let document = try JSONDocument(parsing: text, hasComments: true)
        #expect(written(JSONTree(document.root), of: document) == text)
      } catch {
        let found = CommentRule.accepted.explained(error, in: text).error
        #expect((0...count).contains(found.offset))
      }
    }
  }

  /// Random edits of a random text: without comments, the result is that of the text without comments. Comments of
  /// what was not edited are still there, once, and still belong to it.
  @Test func agreesWithAModel() throws {
    var random = SeededGenerator(seed: 19)
    for _ in 0..<400 {
      var draft = CommentedDraft { Int.random(in: 0..<$0, using: &random) }
      let text = Array(draft.document().utf8)
      let document = try JSONDocument(parsing: text, hasComments: true)
      var tree = JSONTree(document.root)
      var plain = try JSONTree(JSONDocument(parsing: JSONComments.blanked(text)).root)
      #expect(written(tree, of: document) == text)
      var touched: Set<String> = []
      for step in 0..<Int.random(in: 1...5, using: &random) {
        let places = Self.places(in: try JSONDocument(parsing: Array(compact(plain).utf8)))
        let edit = Int.random(in: 0..<4, using: &random)
        guard let place = places.randomElement(using: &random) else { continue }
        // Everything in a value that goes away is touched; a member that is only replaced keeps its own comments.
        let inside = places.filter { $0.pointer.tokens.starts(with: place.pointer.tokens) }
        switch edit {
        case 0, 1:
          touched.formUnion(inside.map(\.name))
          let value = try tree.remove(at: place.pointer)
          let plainValue = try plain.remove(at: place.pointer)
          if edit == 1 {
            // Moved, with all that is in it.
            touched.subtract(inside.dropFirst().map(\.name))
            let target = JSONPointer(tokens: [Array("moved\(step)".utf8)])
            _ = try tree.add(value, at: target)
            _ = try plain.add(plainValue, at: target)
          }
        case 2:
          touched.formUnion(inside.dropFirst().map(\.name))
          if place.isElement { touched.insert(place.name) }
          touched.insert("in " + place.name)
          let value = JSONTree(JSONDocument(known: Array("{\"new\":[\"\(step)\"]}".utf8)).root)
          _ = try tree.replace(at: place.pointer, with: value)
          _ = try plain.replace(at: place.pointer, with: value)
        default:
          var target = place.pointer
          if !place.isElement { target = target.prefix(target.tokens.count - 1).appending("new\(step)".utf8) }
          let value = JSONTree(JSONDocument(known: Array("[\"\(step)\"]".utf8)).root)
          _ = try tree.add(value, at: target)
          _ = try plain.add(value, at: target)
        }
      }
      let result = written(tree, of: document)
      let comment = Comment(rawValue: String(decoding: text + result, as: UTF8.self))
      let found = try #require(try? JSONDocument(parsing: result, hasComments: true), comment)
      #expect(compact(JSONTree(found.root)) == compact(plain), comment)
      for (name, owner) in draft.comments where !touched.contains(owner) {
        if name.hasPrefix("free"), touched.contains("in " + owner) { continue }
        #expect(Self.belongs(name, to: owner, in: found), comment)
      }
    }
  }

  // MARK: What is in a document

  struct Place {
    let pointer: JSONPointer
    /// The name of a member, the text of an element.
    let name: String
    let isElement: Bool
  }

  /// All values but the whole document.
  static func places(in document: JSONDocument) -> [Place] {
    var places: [Place] = []
    var open = [(pointer: JSONPointer(), value: document.root)]
    while let (pointer, value) = open.popLast() {
      for (index, child) in value.children.enumerated() {
        let name = child.key?.string ?? child.value.text
        let token = child.key?.string ?? Array("\(index)".utf8)
        let inner = pointer.appending(token)
        places.append(
          Place(pointer: inner, name: String(decoding: name, as: UTF8.self), isElement: child.key == nil))
        open.append((inner, child.value))
      }
    }
    return places
  }

  /// Whether the comment is in the document once, and stands beside the value or in it.
  static func belongs(_ name: String, to owner: String, in document: JSONDocument) -> Bool {
    let text = document.text
    let marks = text.indices.filter { text[$0...].starts(with: name.utf8) }
    guard marks.count == 1, let mark = marks.first else { return false }
    var open = [document.root]
    while let value = open.popLast() {
      for child in value.children {
        open.append(child.value)
        let found = child.key?.string ?? child.value.text
        guard found.elementsEqual(owner.utf8) else { continue }
        let (start, end) = (child.key?.range.lowerBound ?? child.value.range.lowerBound, child.value.range.upperBound)
        if mark < start {
          let between = text[mark..<start].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
          return name.hasPrefix("above") && between.dropLast().allSatisfy { $0.contains { !$0.isWhiteSpace } }
        }
        if mark < end { return name.hasPrefix("free") }
        return name.hasPrefix("line") && !text[end..<mark].contains(UInt8(ascii: "\n"))
      }
    }
    return owner == "root" && name.hasPrefix("free")
  }

  private func written(_ tree: JSONTree, of document: JSONDocument) -> [UInt8] {
    var output = ByteWriter()
    JSONVerbatimWriter(of: document).write(tree, to: &output)
    return output.take()
  }
}

/// A random text with comments that name the value they belong to.
private struct CommentedDraft {
  let pick: (Int) -> Int
  private(set) var comments: [(name: String, owner: String)] = []
  private var count = 0

  init(_ pick: @escaping (Int) -> Int) { self.pick = pick }

  mutating func document() -> String {
    "// before\n" + container("{", "}", of: "root", depth: 3, "\n") + " /* after */\n"
  }

  private mutating func comment(_ kind: String, _ owner: String, isLine: Bool) -> String {
    count += 1
    let name = "\(kind) \(owner).\(count)."
    comments.append((name, owner))
    return isLine ? "// \(name)" : "/* \(name) */"
  }

  private mutating func maybe(
    _ kind: String, _ owner: String, _ before: String = "", _ after: String = "", isLine: Bool
  )
    -> String
  { pick(3) == 0 ? before + comment(kind, owner, isLine: isLine) + after : "" }

  private mutating func container(
    _ open: String, _ close: String, of owner: String, depth: Int, _ outer: String, isOneLine: Bool = false
  ) -> String {
    let isOneLine = isOneLine || pick(3) == 0
    let children = pick(4)
    let line = outer + "  "
    var text = open
    if !isOneLine { text += maybe("free", owner, " ", isLine: true) }
    for index in 0..<children {
      count += 1
      let (key, name) = open == "{" ? ("\"k\(count)\": ", "k\(count)") : ("", "\(count)")
      if isOneLine {
        text += " " + maybe("above", name, "", " ", isLine: false)
      } else {
        if pick(4) == 0 { text += line + comment("free", owner, isLine: pick(2) == 0) + "\n" }
        text += line + maybe("above", name, "", line, isLine: pick(2) == 0)
      }
      let isScalar = depth == 0 || key.isEmpty || pick(2) == 0
      let brackets = pick(2) == 0 ? ("{", "}") : ("[", "]")
      text +=
        key
        + (isScalar
          ? (key.isEmpty ? name : "\(count)")
          : container(brackets.0, brackets.1, of: name, depth: depth - 1, line, isOneLine: isOneLine))
      text += maybe("line", name, " ", isLine: false)
      if index + 1 < children || pick(3) == 0 { text += "," }
      if !isOneLine { text += maybe("line", name, " ", isLine: true) }
    }
    if !isOneLine { return text + maybe("free", owner, line, isLine: true) + outer + close }
    return text + " " + close
  }
}
