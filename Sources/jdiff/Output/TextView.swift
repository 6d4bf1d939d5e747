import FeedCore

/// --text: the differences for people. One hunk for each changed container, named by its pointer in the old document and
/// by what identifies the array item around it. Its lines have - for removed and + for added values, with some unchanged
/// ones around them.
///
///     @ /results
///       [0] {"id":1,"title":"one"}
///     - [1] {"id":2,"title":"two"}
///       [2] {"id":3,"title":"three"}
///     + [3] {"id":4,"title":"four"}
///     @ /results/2 (id 3)
///     - "title": "three"
///     + "title": "3"
struct TextView {
  /// Unchanged values beside a change are cut to this many bytes.
  private static let contextWidth = 72
  private static let identityWidth = 40

  /// The names of the two files.
  var names: [String]
  var isColored = false
  /// How many unchanged members or items are shown before and after a change.
  var context = 1

  private var painter: Painter { Painter(isColored: isColored) }
  private var lines: ValueLines { ValueLines(painter: painter) }

  /// Writes all changes; nothing if there are none.
  func write(_ differ: Differ, to output: inout ByteWriter) throws(ToolFailure) {
    if differ.changes.isEmpty { return }
    writeNames(to: &output)
    var groups: [Int: [Change]] = [:]
    for change in differ.changes { groups[change.parent, default: []].append(change) }
    let places = Places(differ)
    var headings = Headings()
    for (path, changes) in groups.sorted(by: { $0.key < $1.key }) {
      let hunk = Hunk(differ: differ, path: path, changes: changes)
      write(hunk, places, headings.pointer(to: path, differ), to: &output)
      try output.checkOutput()
    }
  }

  /// Writes a document that is only on one side.
  func write(_ kind: LineKind, whole document: JSONDocument, to output: inout ByteWriter) {
    writeNames(to: &output)
    painter.write(.heading, Self.wholeDocument, to: &output)
    lines.write(kind, [], document.root, to: &output)
  }

  private func writeNames(to output: inout ByteWriter) {
    for (sign, name) in zip(["--- ", "+++ "], names) {
      output.append(sign + quoted(name.utf8))
      output.endLine()
    }
  }

  private static let wholeDocument = Array("whole document".utf8)
  private static let topLevel = Array("top level".utf8)
  private static let changesBelow = Array("changes below".utf8)

  // MARK: Hunks

  private func write(_ hunk: Hunk, _ places: Places, _ pointer: [UInt8], to output: inout ByteWriter) {
    let identity = identity(of: hunk, places)
    painter.write(.heading, heading(hunk, pointer, identity), to: &output)
    for entry in hunk.entries(context: context) {
      switch entry {
      case nil: painter.write(.same, Array("...".utf8), to: &output)
      case .same(_, let value) where identity.contains(where: { isValue(value, of: $0, hunk.differ) }): break
      case .same(let label, let value):
        let label = hunk.isObject ? ValueLines.label(hunk.differ.old.value(label)) : Array("[\(label)] ".utf8)
        painter.write(.same, label + glimpse(of: value, hunk, places), to: &output)
      case .gone(let number): writeOld(hunk.changes[number], hunk, places, to: &output)
      case .come(let number): writeNew(hunk.changes[number], hunk, places, to: &output)
      case .replaced(let number):
        writeOld(hunk.changes[number], hunk, places, to: &output)
        writeNew(hunk.changes[number], hunk, places, to: &output)
      }
    }
  }

  /// The names of the members that identify the array item around the hunk. One that changes is among the changes.
  private func identity(of hunk: Hunk, _ places: Places) -> [JSONValue] {
    if hunk.isWholeDocument { return [] }
    return places.identity(around: hunk.path).filter { name in
      !hunk.changes.contains { isValue($0.old, of: name, hunk.differ) }
    }
  }

  /// Whether this is the value of the member with that name. The name may be on the tape of the whole document.
  private func isValue(_ value: Int, of name: JSONValue, _ differ: Differ) -> Bool {
    guard value >= 0 else { return false }
    return differ.old.document.start(value) == name.document.start(name.position + 1)
  }

  private func heading(_ hunk: Hunk, _ pointer: [UInt8], _ identity: [JSONValue]) -> [UInt8] {
    if hunk.isWholeDocument { return Self.wholeDocument }
    if pointer.isEmpty { return Self.topLevel }
    return pointer + (identity.isEmpty ? [] : Array(" ".utf8) + shown(identity))
  }

  /// `(id 42)`, or `(floor 2, room 7)`
  private func shown(_ identity: [JSONValue]) -> [UInt8] {
    let members = identity.map { name in
      let value = JSONValue(document: name.document, position: name.position + 1)
      return printable(JSONString.decoded(name)) + Array(" ".utf8)
        + ShownText.beginning(of: value, upTo: Self.identityWidth)
    }
    return Array("(".utf8) + members.joined(separator: Array(", ".utf8)) + Array(")".utf8)
  }

  /// What a child of the old container is, where it does not change.
  private func glimpse(of value: Int, _ hunk: Hunk, _ places: Places) -> [UInt8] {
    let old = hunk.differ.old
    let hasHunk = places.haveHunk.contains(value)
    let text = hasHunk ? Self.changesBelow : ShownText.beginning(of: old.value(value), upTo: Self.contextWidth)
    guard hasHunk || old.size(value) > Self.contextWidth else { return text }
    // The beginning may show some already.
    let names = old.identifyingMembers(value, in: hunk.isObject ? nil : hunk.differ.paths[hunk.path].old).filter {
      hasHunk || $0.document.end($0.position + 1) - old.document.start(value) > Self.contextWidth
    }
    return names.isEmpty ? text : shown(names) + Array(" ".utf8) + text
  }

  // MARK: Changes

  private func writeOld(_ change: Change, _ hunk: Hunk, _ places: Places, to output: inout ByteWriter) {
    let label = label(change, change.oldIndex, hunk.differ)
    if change.kind == .move {
      let place = Array("moved to [\(change.newIndex)]: ".utf8)
      painter.write(.left, label + place + glimpse(of: change.old, hunk, places), to: &output)
    } else if let words = words(change, hunk.differ) {
      painter.write(.gone, [LinePart(text: label)] + words.old, to: &output)
    } else {
      lines.write(.gone, label, whole(change.old, hunk.differ.old), to: &output)
    }
  }

  private func writeNew(_ change: Change, _ hunk: Hunk, _ places: Places, to output: inout ByteWriter) {
    let label = label(change, change.newIndex, hunk.differ)
    if change.kind == .move {
      let place = Array("moved from [\(change.oldIndex)]: ".utf8)
      painter.write(.arrived, label + place + glimpse(of: change.old, hunk, places), to: &output)
    } else if let words = words(change, hunk.differ) {
      painter.write(.come, [LinePart(text: label)] + words.new, to: &output)
    } else {
      lines.write(.come, label, whole(change.new, hunk.differ.new), to: &output)
    }
  }

  private func label(_ change: Change, _ index: Int, _ differ: Differ) -> [UInt8] {
    switch change.token {
    case .root: []
    case .oldName(let name): ValueLines.label(differ.old.value(name))
    case .newName(let name): ValueLines.label(differ.new.value(name))
    case .index: Array("[\(index)] ".utf8)
    }
  }

  /// Both strings, where a string is replaced by another.
  private func words(_ change: Change, _ differ: Differ) -> (old: [LinePart], new: [LinePart])? {
    guard change.kind == .replace else { return nil }
    let (old, new) = (differ.old.value(change.old), differ.new.value(change.new))
    return old.kind.isString && new.kind.isString ? WordDiff(old, new).pieces : nil
  }

  /// A value with everything in it, also what is ignored: it comes or goes as a whole.
  private func whole(_ position: Int, _ side: Side) -> JSONValue {
    let value = side.value(position)
    if side.document === side.whole || !value.kind.isContainer { return value }
    return JSONDocument(known: value.text).root
  }
}
