// A patched document in its author's own layout. Bytes that no operation touched are copied; a removal takes one comma
// and the white space around it; inserted values are laid out like their neighbours.
//
// Each opened container knows its former text, and each of its slots its place in that text. So the writer decides only
// about new parts. They get a sibling's separator, and stay on one line in a container on one line. Otherwise they get
// a line of their own with the document's indentation.

package struct JSONVerbatimWriter {
  private let document: JSONDocument
  private let layout: DocumentLayout

  /// Where a value is being written.
  private struct Context {
    /// The line end and the child's indentation, if the surrounding container has a line for each child.
    var lineStart: [UInt8]?
    /// In an array: whether each element is on one line, as in a list of records, so that a new one is too.
    var hasChildrenOnOneLine = false
    var afterComma: [UInt8]
    var afterColon: [UInt8]
  }

  /// A container that is being written.
  private struct Level {
    var slots: PersistentList<JSONNode.Slot>.Iterator
    let layout: ContainerLayout
    let isObject: Bool
    /// The context of the children.
    let context: Context
    /// The text that closes it after children were written.
    let end: [UInt8]
    var isFirst = true
  }

  /// - Parameter document: the document as it was read.
  package init(of document: JSONDocument) {
    self.document = document
    layout = DocumentLayout(of: document)
  }

  /// Writes `tree`, an edited form of the document, with the white space around the document.
  package func write(_ tree: JSONTree, to output: inout ByteWriter) {
    let root = document.root.range
    output.append(document.bytes, 0..<root.lowerBound)
    write(tree, at: 0, to: &output)
    output.append(document.bytes, root.upperBound..<document.bytes.count)
  }

  /// Writes a part of an edited form of the document, without the white space around it.
  package func write(part tree: JSONTree, to output: inout ByteWriter) {
    write(tree, at: tree.origin.document === document ? tree.origin.position : -1, to: &output)
  }

  private func write(_ tree: JSONTree, at place: Int, to output: inout ByteWriter) {
    let outside = Context(
      lineStart: layout.isMultiLine ? layout.lineEnd : nil, afterComma: layout.afterComma, afterColon: layout.afterColon
    )
    var levels: [Level] = []
    write(tree, at: place, outside, &levels, to: &output)
    while let top = levels.indices.last {
      if let slot = levels[top].slots.next() {
        if !slot.isRemoved { write(slot, &levels, to: &output) }
      } else {
        output.append(levels.removeLast().end)
      }
    }
  }

  private func write(_ slot: JSONNode.Slot, _ levels: inout [Level], to output: inout ByteWriter) {
    let level = levels[levels.count - 1]
    levels[levels.count - 1].isFirst = false
    let isOld = slot.place >= 0
    if level.isFirst {
      output.append(level.layout.isEmpty ? level.context.lineStart ?? [] : level.layout.lead)
    } else if isOld && !level.layout.isFirst(slot.place) {
      output.append(level.layout.before(slot.place))
    } else {
      output.append(newSeparator(level))
    }
    if let key = slot.key {
      output.append(key.document.bytes, key.range)
      if isOld {
        output.append(level.layout.colon(after: slot.place))
      } else {
        output.append(level.layout.colon ?? [UInt8(ascii: ":")] + layout.afterColon)
      }
    }
    let place = isOld ? (level.isObject ? slot.place + 1 : slot.place) : -1
    write(slot.value, at: place, level.context, &levels, to: &output)
  }

  /// Writes a scalar, or opens a level for a container whose children follow.
  /// - Parameter place: the tape position of the value that was here before; -1 if there was none.
  private func write(
    _ tree: JSONTree, at place: Int, _ context: Context, _ levels: inout [Level], to output: inout ByteWriter
  ) {
    let isInPlace = tree.origin.document === document && tree.origin.position == place
    if isInPlace, let node = tree.node {
      open(tree, node, context, &levels, to: &output)
    } else if isInPlace {
      output.append(document.bytes, tree.origin.range)
    } else if let value = tree.untouched, value.document === document, context.lineStart != nil {
      writeMoved(value, context, to: &output)
    } else {
      let lineStart = context.hasChildrenOnOneLine ? nil : context.lineStart
      let style = JSONStyle(
        lineStart: lineStart, unit: layout.unit, afterComma: lineStart == nil ? context.afterComma : [],
        afterColon: context.afterColon)
      JSONWriter.write(tree, in: style, to: &output)
    }
  }

  // MARK: Containers

  private func open(
    _ tree: JSONTree, _ node: JSONNode, _ around: Context, _ levels: inout [Level], to output: inout ByteWriter
  ) {
    let own = ContainerLayout(of: tree.origin)
    let isObject = tree.kind == .object
    let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    output.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    if node.count == 0 {
      if own.isEmpty { output.append(own.trail) }
      output.append(close)
      return
    }
    var inside = around
    inside.lineStart = childLineStart(own, around, tree.origin)
    inside.hasChildrenOnOneLine = !isObject && own.hasChildrenOnOneLine
    if inside.lineStart == nil, let separator = own.separator {
      inside.afterComma = Array(separator.drop { $0 != UInt8(ascii: ",") }.dropFirst())
    }
    if let colon = own.colon { inside.afterColon = Array(colon.drop { $0 != UInt8(ascii: ":") }.dropFirst()) }
    let end = own.isEmpty ? (inside.lineStart == nil ? [] : around.lineStart ?? layout.lineEnd) : own.trail
    levels.append(
      Level(slots: node.slots.makeIterator(), layout: own, isObject: isObject, context: inside, end: end + [close])
    )
  }

  /// The line end and indentation for the children of a container; nil if they share a line.
  private func childLineStart(_ own: ContainerLayout, _ around: Context, _ container: JSONValue) -> [UInt8]? {
    if !own.isEmpty { return own.isMultiLine ? layout.lineEnd + DocumentLayout.lastLine(own.lead) : nil }
    guard let outer = around.lineStart else { return own.isMultiLine ? layout.lineEnd + layout.unit : nil }
    return outer + layout.unit
  }

  /// A comma for an inserted value: a sibling's if there is one, else one that fits the container's lines.
  private func newSeparator(_ level: Level) -> [UInt8] {
    if let separator = level.layout.separator { return separator }
    if let lineStart = level.context.lineStart {
      return [UInt8(ascii: ",")] + (level.layout.isEmpty ? lineStart : level.layout.lead)
    }
    return [UInt8(ascii: ",")] + level.context.afterComma
  }

  // MARK: Values from elsewhere in the document

  /// Copies a value with its own line breaks, indented for its new place.
  private func writeMoved(_ value: JSONValue, _ context: Context, to output: inout ByteWriter) {
    let bytes = document.bytes
    guard firstIndex(of: UInt8(ascii: "\n"), in: bytes.span, value.range) != nil else {
      return output.append(bytes, value.range)
    }
    let old = DocumentLayout.indentation(at: value.range.lowerBound, in: bytes)
    let new = DocumentLayout.lastLine(context.lineStart ?? [])
    var start = value.range.lowerBound
    while let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes.span, start..<value.range.upperBound) {
      output.append(bytes, start..<(end + 1))
      start = end + 1
      if bytes[start..<value.range.upperBound].starts(with: old) {
        output.append(new)
        start += old.count
      }
    }
    output.append(bytes, start..<value.range.upperBound)
  }
}
