// --text: the differences for people. One hunk for each changed container, named by its pointer in the old document.
// Its lines have - for removed and + for added values, with some unchanged ones around them.
//
//     @ /results
//       [0] {"id":1,"title":"one"}
//     - [1] {"id":2,"title":"two"}
//       [2] {"id":3,"title":"three"}
//     + [3] {"id":4,"title":"four"}

import FeedCore

struct TextView {
  private enum Mark: String {
    case heading = "@ "
    case gone = "- "
    case come = "+ "
    case same = "  "

    var color: Rendition? {
      switch self {
      case .heading: .cyan
      case .gone: .red
      case .come: .green
      case .same: nil
      }
    }
  }

  /// Unchanged values beside a change are cut to this many bytes.
  private static let contextWidth = 72

  private let differ: Differ
  private let names: [String]
  private let isColored: Bool
  private var output = ByteWriter()

  /// - Parameter names: the names of the two files.
  init(_ differ: Differ, names: [String], isColored: Bool) {
    self.differ = differ
    self.names = names
    self.isColored = isColored
  }

  func text() -> [UInt8] {
    var view = self
    if differ.changes.isEmpty { return [] }
    view.line(nil, "--- \(quoted(names[0].utf8))")
    view.line(nil, "+++ \(quoted(names[1].utf8))")
    var groups: [Int: [Change]] = [:]
    for change in differ.changes { groups[change.parent, default: []].append(change) }
    for (parent, changes) in groups.sorted(by: { $0.key < $1.key }) { view.writeHunk(parent, changes) }
    return view.output.take()
  }

  private mutating func writeHunk(_ parent: Int, _ changes: [Change]) {
    let pointer = parent == Paths.none ? [] : differ.oldPointer(parent).text
    line(.heading, pointer.isEmpty ? "\"\"" : String(decoding: pointer, as: UTF8.self))
    if parent == Paths.none {
      for change in changes {
        line(.gone, "", differ.old, change.old)
        line(.come, "", differ.new, change.new)
      }
    } else if differ.old.document.kind(differ.paths[parent].old) == .object {
      writeMembers(of: differ.paths[parent], changes)
    } else {
      writeItems(of: differ.paths[parent], changes)
    }
  }

  // MARK: Objects

  private mutating func writeMembers(of object: Paths.Node, _ changes: [Change]) {
    if let name = differ.old.identifyingMember(object.old) {
      line(.same, text(differ.old, name) + ": ", differ.old, name + 1, isContext: true)
    }
    // Removed and changed members in the order of the old object, then added ones.
    for change in changes.sorted(by: { ($0.old < 0 ? 1 : 0, $0.old) < ($1.old < 0 ? 1 : 0, $1.old) }) {
      let label =
        switch change.token {
        case .oldName(let name): text(differ.old, name) + ": "
        case .newName(let name): text(differ.new, name) + ": "
        case .root, .index: ""
        }
      if change.old >= 0 { line(.gone, label, differ.old, change.old) }
      if change.new >= 0 { line(.come, label, differ.new, change.new) }
    }
  }

  // MARK: Arrays

  /// Visits both arrays in parallel.
  private mutating func writeItems(of array: Paths.Node, _ changes: [Change]) {
    let olds = differ.old.items(array.old)
    let news = differ.new.items(array.new)
    var gone: [Int: Change] = [:]
    var come: [Int: Change] = [:]
    for change in changes {
      if change.kind != .add { gone[change.oldIndex] = change }
      if change.kind != .remove { come[change.newIndex] = change }
    }
    var (old, new) = (0, 0)
    // The last line of context that may still be printed, and whether the last line was a change.
    var before: Int?
    var isAfterChange = false
    var hasGap = false
    while old < olds.count || new < news.count {
      let (left, right) = (gone[old], come[new])
      guard left != nil || right != nil else {
        if isAfterChange {
          if old < olds.count { context(old, olds[old]) }
        } else {
          hasGap = hasGap || before != nil
          before = old < olds.count ? old : nil
        }
        isAfterChange = false
        old += 1
        new += 1
        continue
      }
      if hasGap { line(.same, "...") }
      if let before { context(before, olds[before]) }
      (before, hasGap, isAfterChange) = (nil, false, true)
      if let left {
        old += 1
        if left.kind == .move {
          line(.gone, "[\(left.oldIndex)] to [\(left.newIndex)]")
          continue
        }
        line(.gone, "[\(left.oldIndex)] ", differ.old, left.old)
        if left.kind == .remove { continue }
      }
      guard let right = come[new] else { continue }
      new += 1
      let origin = right.kind == .move ? "from [\(right.oldIndex)] " : ""
      line(.come, "[\(right.newIndex)] " + origin, differ.new, right.new)
    }
  }

  private mutating func context(_ index: Int, _ item: Int) {
    line(.same, "[\(index)] ", differ.old, item, isContext: true)
  }

  // MARK: Lines

  private mutating func line(_ mark: Mark, _ label: String, _ side: Side, _ value: Int, isContext: Bool = false) {
    var text = side.value(value).text
    if isContext, text.count > Self.contextWidth {
      text = text.wholeCharacters(upTo: Self.contextWidth) + Array("...".utf8)
    }
    line(mark, label + String(decoding: text, as: UTF8.self))
  }

  /// Writes a line that cannot control a terminal.
  private mutating func line(_ mark: Mark?, _ text: String) {
    let line = Array((mark?.rawValue ?? "").utf8) + printable(text.utf8)
    if isColored, let color = mark?.color { output.append(color.applied(to: line)) } else { output.append(line) }
    output.endLine()
  }

  private func text(_ side: Side, _ value: Int) -> String { String(decoding: side.value(value).text, as: UTF8.self) }
}
