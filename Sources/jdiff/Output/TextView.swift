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

  /// What says which documents are compared.
  var title: [String]
  var isColored = false
  /// How many unchanged members or items are shown before and after a change.
  var context = 1

  private var painter: Painter { Painter(isColored: isColored) }

  /// Writes all changes; nothing if there are none.
  func write(_ differ: Differ, to output: inout ByteWriter) throws(ToolFailure) {
    if differ.changes.isEmpty { return }
    writeTitle(to: &output)
    var groups: [Int: [Change]] = [:]
    for change in differ.changes { groups[change.parent, default: []].append(change) }
    var headings = Headings(differ)
    for (path, changes) in groups.sorted(by: { $0.key < $1.key }) {
      let hunk = Hunk(differ: differ, path: path, changes: changes)
      let pointer = headings.pointer(to: path)
      write(hunk, headings, pointer, to: &output)
      try output.checkOutput()
    }
  }

  /// Writes a document that is only on one side.
  func write(_ kind: LineKind, whole document: JSONDocument, to output: inout ByteWriter) {
    writeTitle(to: &output)
    painter.write(.heading, Self.wholeDocument, to: &output)
    painter.write(kind, [], document.root, to: &output)
  }

  private func writeTitle(to output: inout ByteWriter) {
    for line in title {
      output.append(line)
      output.endLine()
    }
  }

  private static let wholeDocument = Array("whole document".utf8)
  private static let topLevel = Array("top level".utf8)
  private static let changesBelow = Array("changes below".utf8)

  // MARK: Hunks

  private func write(_ hunk: Hunk, _ headings: Headings, _ pointer: [UInt8], to output: inout ByteWriter) {
    let identity = identity(of: hunk, headings)
    painter.write(.heading, heading(hunk, pointer, identity), to: &output)
    for entry in hunk.entries(context: context) {
      switch entry {
      case nil: painter.write(.same, Array("...".utf8), to: &output)
      case .same(_, let value) where identity.contains(where: { isValue(value, of: $0, hunk.differ) }): break
      case .same(let label, let value):
        let label = hunk.isObject ? Painter.label(hunk.differ.old.value(label)) : Array("[\(label)] ".utf8)
        painter.write(.same, label + glimpse(of: value, hunk, headings), to: &output)
      case .gone(let number): write(hunk.changes[number], isNew: false, hunk, headings, to: &output)
      case .come(let number): write(hunk.changes[number], isNew: true, hunk, headings, to: &output)
      case .replaced(let number):
        write(hunk.changes[number], isNew: false, hunk, headings, to: &output)
        write(hunk.changes[number], isNew: true, hunk, headings, to: &output)
      }
    }
  }

  /// The names of the members that identify the array item around the hunk. One that changes is among the changes.
  private func identity(of hunk: Hunk, _ headings: Headings) -> [JSONValue] {
    if hunk.isWholeDocument { return [] }
    return headings.identities[hunk.path].filter { name in
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
  private func glimpse(of value: Int, _ hunk: Hunk, _ headings: Headings) -> [UInt8] {
    let old = hunk.differ.old
    let hasHunk = headings.haveHunk.contains(value)
    let text = hasHunk ? Self.changesBelow : ShownText.beginning(of: old.value(value), upTo: Self.contextWidth)
    guard hasHunk || old.size(value) > Self.contextWidth else { return text }
    // The beginning may show some already.
    let names = old.identifyingMembers(value, in: hunk.isObject ? nil : hunk.differ.paths[hunk.path].old).filter {
      hasHunk || $0.document.end($0.position + 1) - old.document.start(value) > Self.contextWidth
    }
    return names.isEmpty ? text : shown(names) + Array(" ".utf8) + text
  }

  // MARK: Changes

  /// Writes one side of a change.
  private func write(_ change: Change, isNew: Bool, _ hunk: Hunk, _ headings: Headings, to output: inout ByteWriter) {
    let (old, new) = (hunk.differ.old, hunk.differ.new)
    let label = label(change, isNew ? change.newIndex : change.oldIndex, hunk.differ)
    let kind = isNew ? LineKind.come : .gone
    if change.kind == .move {
      let place = isNew ? "moved from [\(change.oldIndex)]: " : "moved to [\(change.newIndex)]: "
      let text = label + Array(place.utf8) + glimpse(of: change.old, hunk, headings)
      painter.write(isNew ? .arrived : .left, text, to: &output)
    } else if let words = words(change, hunk.differ) {
      painter.write(kind, [LinePart(text: label)] + (isNew ? words.new : words.old), to: &output)
    } else {
      painter.write(kind, label, isNew ? whole(change.new, new) : whole(change.old, old), to: &output)
    }
  }

  private func label(_ change: Change, _ index: Int, _ differ: Differ) -> [UInt8] {
    switch change.token {
    case .root: []
    case .oldName(let name): Painter.label(differ.old.value(name))
    case .newName(let name): Painter.label(differ.new.value(name))
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

extension TextView {
  /// As the options say.
  init(title: [String], _ options: Options, on output: Descriptor) {
    let isColored = options.color == .always || (options.color == .auto && output.wantsColorOrFeedsPager)
    self.init(title: title, isColored: isColored, context: options.context)
  }
}
