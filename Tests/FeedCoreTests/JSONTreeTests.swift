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

  /// A patch is applied in place. When it fails, all is put back: also what it changed twice, and the order of members.
  @Test(arguments: [
    [
      #"{"op":"replace","path":"/a/1/b/c","value":3}"#, #"{"op":"replace","path":"/d","value":[]}"#,
      #"{"op":"replace","path":"/a/1/b","value":{"c":[4]}}"#, #"{"op":"replace","path":"/a/1/b/c/0","value":{}}"#,
      #"{"op":"replace","path":"/a","value":[5,[6]]}"#, #"{"op":"replace","path":"/a/1/0","value":7}"#,
      #"{"op":"replace","path":"","value":{"a":[8]}}"#, #"{"op":"replace","path":"/a/0","value":9}"#,
      #"{"op":"replace","path":"","value":0}"#,
    ],
    [
      #"{"op":"add","path":"/a/0","value":0}"#, #"{"op":"add","path":"/a/-","value":[5]}"#,
      #"{"op":"remove","path":"/a/1"}"#,
      #"{"op":"add","path":"/new","value":{}}"#, #"{"op":"add","path":"/d","value":{"x":1}}"#,
      #"{"op":"copy","from":"/a","path":"/new/a"}"#, #"{"op":"move","from":"/new/a/0","path":"/a/2"}"#,
      #"{"op":"move","from":"/a/0","path":"/new/0"}"#, #"{"op":"remove","path":"/new/a/0"}"#,
      #"{"op":"remove","path":"/d"}"#,
      #"{"op":"add","path":"/d","value":2}"#, #"{"op":"remove","path":"/a/0"}"#,
      #"{"op":"move","from":"/new","path":"/a/0"}"#,
    ],
    [
      #"{"op":"move","from":"/a","path":"/z"}"#, #"{"op":"move","from":"/z","path":"/a"}"#,
      #"{"op":"remove","path":"/a"}"#,
      #"{"op":"add","path":"","value":[1]}"#, #"{"op":"remove","path":"/0"}"#,
    ],
  ])
  func failedPatchesLeaveNothing(_ steps: [String]) throws {
    let text = #"{"a":[1,{"b":{"c":2}}],"d":"e","f":[]}"#
    let failures = [
      #"{"op":"test","path":"/none","value":0}"#, #"{"op":"move","from":"/a/0","path":"/none/x"}"#,
      #"{"op":"move","from":"/f","path":"/none/x"}"#,
    ]
    // In a tree in which nothing is open, the old tree is put back.
    for isOpen in [false, true] {
      var document = try tree(text)
      if isOpen { _ = try document.replace(at: JSONPointer(Array("/a/1/b/c".utf8)), with: tree("2")) }
      for count in 0...steps.count {
        for failure in failures {
          let all = (steps.prefix(count) + [failure]).joined(separator: ",")
          let patch = try JSONPatch(JSONDocument(parsing: Array("[\(all)]".utf8)).root)
          #expect(throws: PatchFailure.self, "\(all)") { try patch.apply(to: &document) }
          #expect(compact(document) == text && document.size == text.utf8.count, "\(all)")
        }
      }
      try JSONPatch(JSONDocument(parsing: Array("[\(steps.joined(separator: ","))]".utf8)).root).apply(to: &document)
    }
  }

  /// Lists of slots, made of numbers and as read, agree with arrays, and old copies keep their slots.
  @Test(arguments: [0, 1, 24, 32, 33, 1000]) func listsAgreeWithArrays(start: Int) throws {
    var random = SeededGenerator(seed: 11)
    let read = try tree("[" + (0..<start).map(String.init).joined(separator: ",") + "]")
    for start in [SlotList(of: read.origin), SlotList(try (0..<start).map { try slot($0) }, of: read.origin)] {
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
          let old = list.replace(place, with: try slot(step).value)
          #expect(Int(decimal: old.origin.text) == model[place])
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
