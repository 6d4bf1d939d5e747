// Laws for the three-way merge of any three documents. The fuzzer uses the same laws (Tests/Fuzz/MergeTarget.swift).

@testable import FeedCore

struct MergeLaws {
  struct Broken: Error, CustomStringConvertible { let description: String }

  /// A merge of three texts.
  struct Merged {
    let tree: JSONTree
    let conflicts: [MergeConflict]
    let text: [UInt8]

    init(_ base: [UInt8]?, _ ours: [UInt8], _ theirs: [UInt8], _ choice: ThreeWayMerge.Choice = .ours) throws {
      let documents = try [ours, theirs].map { try JSONDocument(parsing: $0) }
      var merge = try ThreeWayMerge(
        base: base.map { try JSONDocument(parsing: $0) }, ours: documents[0], theirs: documents[1], choice: choice)
      tree = merge.run()
      conflicts = Array(merge.conflicts)
      if choice == .both, !conflicts.isEmpty {
        let marks = ConflictMarks(documents[0], documents[1], merge.regions)
        text = merge.isWholeConflict ? marks.wholeText : marks.text(tree)
      } else {
        var writer = ByteWriter()
        JSONVerbatimWriter(of: documents[0], and: documents[1]).write(tree, to: &writer)
        text = writer.take()
      }
    }
  }

  /// - Parameter pick: chooses a side of each conflict.
  /// - Throws: Broken.
  func check(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], _ pick: (Int) -> Int) throws {
    func hold(_ holds: Bool, _ what: @autoclosure () -> String) throws {
      if holds { return }
      throw Broken(description: "\(what()): base \(shown(base)) ours \(shown(ours)) theirs \(shown(theirs))")
    }
    for side in [ours, theirs] {
      for (name, other) in try [
        ("b b x", Merged(base, base, side)), ("b x b", Merged(base, side, base)), ("b x x", Merged(base, side, side)),
        ("- x x", Merged(nil, side, side)),
      ] {
        try hold(other.conflicts.isEmpty && isSame(other.text, side), "\(name) gives \(shown(other.text))")
        if name != "b b x" { try hold(other.text == side, "the layout of \(name): \(shown(other.text))") }
      }
    }

    let merged = try Merged(base, ours, theirs)
    let marked = try Merged(base, ours, theirs, .both)
    let turned = try Merged(base, theirs, ours)
    try hold(merged.conflicts.map(\.message) == marked.conflicts.map(\.message), "other conflicts with marks")
    try hold(merged.conflicts.isEmpty == turned.conflicts.isEmpty, "conflicts, but not the other way round")
    if merged.conflicts.isEmpty {
      try hold(isSame(merged.text, turned.text, asSets: true), "the other way round: \(shown(turned.text))")
      try hold(marked.text == merged.text, "marks without a conflict")
      if ![base, ours, theirs].contains(where: hasAnonymousItems) {
        let again = try Merged(base, merged.text, theirs)
        // An item that lost its identity may now be taken for another one: a conflict, but not a silent change.
        try hold(
          !again.conflicts.isEmpty || isSame(again.text, merged.text),
          "THEIRS again: \(shown(merged.text)) \(shown(again.text))")
      }
      try hold(isComplete(merged.text, base, ours, theirs), "not complete: \(shown(merged.text))")
      return
    }
    try hold(isComplete(Self.unmarked(marked.text), base, ours, theirs), "a value is lost: \(shown(marked.text))")
    for (choice, side) in [(ThreeWayMerge.Choice.ours, 0), (.theirs, 1)] {
      let chosen = try Merged(base, ours, theirs, choice)
      let text = Self.chosen(marked.text) { side }
      try hold(isJSON(text) && isSame(text, chosen.text), "side \(side): \(shown(text)) \(shown(chosen.text))")
    }
    try hold(isJSON(Self.chosen(marked.text) { pick(2) }), "mixed: \(shown(marked.text))")
  }

  /// A text in one of three layouts: on one line, indented, or with a line for each child of the root.
  static func text(_ compact: [UInt8], layout: Int) -> [UInt8] {
    guard layout > 0, let root = try? JSONDocument(parsing: compact).root else { return compact }
    var writer = ByteWriter()
    if layout == 1 || !root.kind.isContainer {
      JSONWriter.write(JSONTree(root), in: .indented(2), to: &writer)
      return writer.take()
    }
    writer.append(compact[0])
    for (number, child) in root.children.enumerated() {
      writer.append(number == 0 ? "\n  " : ",\n  ")
      if let key = child.key { writer.append(key.text + Array(": ".utf8)) }
      writer.append(child.value.text)
    }
    writer.append("\n")
    writer.append(compact[compact.count - 1])
    return writer.take()
  }

  // MARK: Judging

  private func isJSON(_ text: [UInt8]) -> Bool { (try? JSONDocument(parsing: text)) != nil }

  private func isSame(_ one: [UInt8], _ other: [UInt8], asSets: Bool = false) -> Bool {
    guard let one = try? JSONDocument(parsing: one), let other = try? JSONDocument(parsing: other) else { return false }
    if !asSets { return JSONTree.equal(JSONTree(one.root), JSONTree(other.root)) }
    return digest(one) == digest(other)
  }

  /// A digest for which the order of elements does not count.
  private func digest(_ document: JSONDocument) -> UInt64 {
    let arrays = document.tape.indices.filter { TapeWord.valueKind(document.tape[$0]) == .array }
    return JSONDigests.of(document.root, sets: Set(arrays))[0]
  }

  /// Whether an array has an item without an identity of its own. A new one may later be taken for one that was there
  /// before.
  private func hasAnonymousItems(_ text: [UInt8]) -> Bool {
    guard let document = try? JSONDocument(parsing: text) else { return false }
    let side = Side(document)
    return document.tape.indices.contains { position in
      guard TapeWord.valueKind(document.tape[position]) == .array else { return false }
      let items = side.items(position)
      return Set(items.compactMap { ItemIdentity.usual.value(of: $0, side) }).count < items.count
    }
  }

  /// Whether every scalar and name that a side has added is there. This does not depend on how the merge is done.
  private func isComplete(_ result: [UInt8], _ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8]) -> Bool {
    let (result, base) = (Self.scalars(result), Self.scalars(base))
    for side in [ours, theirs].map(Self.scalars) {
      for (scalar, _) in side where base[scalar] == nil {
        if result[scalar] == nil { return false }
      }
    }
    return true
  }

  private static func scalars(_ text: [UInt8]) -> [UInt64: Int] {
    guard let document = try? JSONDocument(parsing: text) else { return [:] }
    var counts: [UInt64: Int] = [:]
    var pending = [document.root]
    while let value = pending.popLast() {
      for child in value.children {
        if let key = child.key { counts[JSONDigests.ofScalar(key), default: 0] += 1 }
        pending.append(child.value)
      }
      if !value.kind.isContainer { counts[JSONDigests.ofScalar(value), default: 0] += 1 }
    }
    return counts
  }

  // MARK: Marked text

  /// The text with one side of each conflict.
  static func chosen(_ text: [UInt8], _ side: () -> Int) -> [UInt8] {
    var (result, now, kept): ([UInt8], Int?, Int) = ([], nil, 0)
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.starts(with: "<<<<<<< OURS".utf8) {
        (now, kept) = (0, side())
      } else if now != nil, line.starts(with: "=======".utf8) {
        now = 1
      } else if line.starts(with: ">>>>>>> THEIRS".utf8) {
        now = nil
      } else if now == nil || now == kept {
        result += line + [UInt8(ascii: "\n")]
      }
    }
    return result.dropLast()
  }

  /// All scalars of the marked text, in an array.
  private static func unmarked(_ text: [UInt8]) -> [UInt8] {
    let sides = [0, 1].map { side in chosen(text) { side } }
    return Array("[".utf8) + sides[0] + Array(",".utf8) + sides[1] + Array("]".utf8)
  }

  private func shown(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
