import TestSupport
import Testing

@testable import FeedCore

@Suite struct JSONTreeTests {
  @Test func oldTreesStayValid() throws {
    let before = try tree(#"{"a":[1,{"b":2}],"c":3}"#)
    var after = before
    _ = try after.replace(at: JSONPointer(Array("/a/1/b".utf8)), with: tree("[true]"))
    _ = try after.remove(at: JSONPointer(Array("/c".utf8)))
    _ = try after.add(tree("0"), at: JSONPointer(Array("/a/0".utf8)))
    #expect(compact(before) == #"{"a":[1,{"b":2}],"c":3}"#)
    #expect(compact(after) == #"{"a":[0,1,{"b":[true]}]}"#)
  }

  /// A long random series of edits to a wide object and a long array, compared with a simple model.
  @Test func agreesWithAModel() throws {
    var random = SeededGenerator(seed: 7)
    var document = try tree(#"{"object":{},"array":[]}"#)
    var members: [(String, Int)] = []
    var elements: [Int] = []
    for step in 0..<4000 {
      let value = try tree("\(step)")
      let name = "k\(Int.random(in: 0..<60, using: &random))"
      let member = JSONPointer(tokens: [Array("object".utf8), Array(name.utf8)])
      if let index = members.firstIndex(where: { $0.0 == name }), Bool.random(using: &random) {
        _ = try document.remove(at: member)
        members.remove(at: index)
      } else {
        _ = try document.add(value, at: member)
        if let index = members.firstIndex(where: { $0.0 == name }) {
          members[index].1 = step
        } else {
          members.append((name, step))
        }
      }
      let place = Int.random(in: 0...elements.count, using: &random)
      let element = JSONPointer(tokens: [Array("array".utf8), Array("\(place)".utf8)])
      if place < elements.count, Int.random(in: 0..<3, using: &random) == 0 {
        _ = try document.remove(at: element)
        elements.remove(at: place)
      } else {
        _ = try document.add(value, at: element)
        elements.insert(step, at: place)
      }
      if step % 97 == 0 || step == 3999 {
        let object = members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
        #expect(
          compact(document)
            == "{\"object\":{\(object)},\"array\":[\(elements.map(String.init).joined(separator: ","))]}")
      }
    }
  }

  /// The size that limits patches is the size of the text.
  @Test func sizesAreExact() throws {
    var document = try tree(#"{"a":[],"b":{}}"#)
    for (path, value) in [
      ("/a/-", "1"), ("/a/0", "[2]"), ("/b/x", "\"y\""), ("/b/z", "{}"), ("/a/0/0", "[3]"), ("/b/x", "0"),
    ] {
      _ = try document.add(tree(value), at: JSONPointer(Array(path.utf8)))
      #expect(document.size == compact(document).utf8.count)
    }
    for path in ["/a/0/1", "/a/0", "/b/x", "/a/0", "/b/z", "/a"] {
      _ = try document.remove(at: JSONPointer(Array(path.utf8)))
      #expect(document.size == compact(document).utf8.count)
    }
  }

  /// A patch that only replaces is applied in place. When it fails, all is put back, also what it replaced twice.
  @Test func failedPatchesLeaveNothing() throws {
    let text = #"{"a":[1,{"b":{"c":2}}],"d":"e"}"#
    let steps = [
      ("/a/1/b/c", "3"), ("/d", "[]"), ("/a/1/b", #"{"c":[4]}"#), ("/a/1/b/c/0", "{}"), ("/a", "[5,[6]]"),
      ("/a/1/0", "7"), ("", #"{"a":[8]}"#), ("/a/0", "9"), ("", "0"),
    ].map { #"{"op":"replace","path":"\#($0)","value":\#($1)}"# }
    var document = try tree(text)
    for count in 0...steps.count {
      let right = steps.prefix(count).joined(separator: ",")
      let failing = (count == 0 ? "" : right + ",") + #"{"op":"test","path":"/none","value":0}"#
      let patch = try JSONPatch(JSONDocument(parsing: Array("[\(failing)]".utf8)).root)
      #expect(throws: PatchFailure.self) { try patch.apply(to: &document) }
      #expect(compact(document) == text && document.size == text.utf8.count)
    }
    try JSONPatch(JSONDocument(parsing: Array("[\(steps.joined(separator: ","))]".utf8)).root).apply(to: &document)
    #expect(compact(document) == "0")
  }

  /// Lists of slots, made of numbers and as read, agree with arrays, and old copies keep their slots.
  @Test(arguments: [0, 1, 24, 32, 33, 1000]) func listsAgreeWithArrays(start: Int) throws {
    var random = SeededGenerator(seed: 11)
    let read = try tree("[" + (0..<start).map(String.init).joined(separator: ",") + "]")
    for start in [SlotList(of: read.origin), SlotList(try (0..<start).map { try slot($0) })] {
      var list = start
      var model = Array(0..<start.count)
      var kept = [(list, model)]
      for step in 0..<2000 {
        let place = Int.random(in: 0...model.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
          list.insert(try slot(step), at: place)
          model.insert(step, at: place)
        case 2 where place < model.count:
          #expect(number(list.remove(at: place)) == model.remove(at: place))
        case 3 where place < model.count:
          let (leaf, inLeaf) = list.ownLeaf(holding: place)
          #expect(number(leaf[inLeaf]) == model[place])
          leaf.replace(at: inLeaf, with: try slot(step))
          model[place] = step
        default: break
        }
        if step % 50 == 0 {
          kept.append((list, model))
          for index in model.indices { #expect(number(list[index]) == model[index]) }
        }
      }
      for (list, model) in kept { #expect(list.map(number) == model && list.count == model.count) }
      while !model.isEmpty {
        list.remove(at: model.count - 1)
        model.removeLast()
      }
      #expect(Array(list).isEmpty && list.count == 0)
    }
  }

  private func slot(_ number: Int) throws -> JSONNode.Slot {
    JSONNode.Slot(key: nil, value: try tree("\(number)"), place: -1)
  }

  private func number(_ slot: JSONNode.Slot) -> Int { Int(decimal: slot.value.origin.text) ?? -1 }

  /// A path as deep as documents can be is opened, printed, compared and freed without recursion.
  @Test func deepPaths() throws {
    let depth = 10_000
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    var deep = try tree(text)
    let bottom = JSONPointer(tokens: Array(repeating: [UInt8(ascii: "0")], count: depth - 1))
    let before = deep
    _ = try deep.add(tree("1"), at: JSONPointer(tokens: bottom.tokens + [[UInt8(ascii: "-")]]))
    #expect(compact(deep) == String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth))
    #expect(!JSONTree.equal(deep, before))
    deep = before
  }

  @Test func indentedLikeJq() throws {
    var writer = ByteWriter()
    JSONWriter.write(try tree(#"{"a":[],"b":{},"c":[1,{"d":"x,}"}], "e" : null}"#), in: .indented(2), to: &writer)
    let expected = """
      {
        "a": [],
        "b": {},
        "c": [
          1,
          {
            "d": "x,}"
          }
        ],
        "e": null
      }
      """
    #expect(String(decoding: writer.take(), as: UTF8.self) == expected)
  }
}
