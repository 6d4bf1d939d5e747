/// A patched document in its author's own layout. Bytes that no operation touched are copied; a removal takes one comma
/// and the white space around it; inserted values are laid out like their neighbours.
///
/// Each opened container knows its former text, and each of its slots its place in that text. So the writer decides only
/// about new parts. They get a sibling's separator, and stay on one line in a container on one line. Otherwise they get
/// a line of their own with the document's indentation.
///
/// In a document with comments, CommentedChildren makes the text between the children of such a container.
package struct JSONVerbatimWriter {
  private let document: JSONDocument
  private let text: [UInt8]
  private let layout: DocumentLayout
  /// Another document with the same habits: its values keep their own lines too.
  private let alike: JSONDocument?
  /// Keeps where children are written, if somebody wants to know.
  private let places: WrittenPlaces?

  /// Where a value is being written.
  private struct WritingPlace {
    /// The line end and the child's indentation, if the surrounding container has a line for each child.
    var lineStart: [UInt8]?
    /// In an array: whether each element is on one line, as in a list of records, so that a new one is too.
    var hasChildrenOnOneLine = false
    var afterComma: [UInt8]
    var afterColon: [UInt8]
    /// In a value that was moved: how its lines are indented again.
    var shift: IndentShift?
  }

  /// The indentation of a value as read, and as written.
  private typealias IndentShift = (old: [UInt8], new: [UInt8])

  /// Containers that were put in and then changed are written on one line from this depth on. Otherwise n nested ones
  /// would produce n² blanks.
  private static let deepestLine = 200

  /// A container that is being written.
  private struct Level {
    var slots: SlotList.Iterator
    let layout: ContainerLayout
    let isObject: Bool
    /// The context of the children.
    let context: WritingPlace
    /// The text between an inserted child and the one before it, and between its name and its value.
    let newSeparator: [UInt8]
    let newColon: [UInt8]
    /// The text that closes it after children were written; in a document with comments, only the bracket.
    let end: [UInt8]
    /// In a document with comments: the text between children.
    var commented: CommentedChildren?
    /// Whether no child has a place in the document.
    var isNew = false
    /// Whether neighbours that are as read can be copied at once.
    var hasRuns = false
    var isFirst = true
  }

  /// - Parameters:
  ///   - document: the document as it was read.
  ///   - other: a document from which values come. If it is indented like this one, they keep their own lines.
  ///   - places: learns where children are written.
  package init(of document: JSONDocument, and other: JSONDocument? = nil, places: WrittenPlaces? = nil) {
    self.document = document
    text = document.text
    self.places = places
    layout = DocumentLayout(of: document)
    let habits = other.map { DocumentLayout(of: $0) }
    alike =
      habits?.isMultiLine == true && habits?.unit == layout.unit && habits?.lineEnd == layout.lineEnd ? other : nil
  }

  /// Writes `tree`, an edited form of the document, with the white space around the document.
  package func write(_ tree: JSONTree, to output: inout ByteWriter) {
    let root = document.root.range
    output.append(text, 0..<root.lowerBound)
    write(tree, at: 0, to: &output)
    output.append(text, root.upperBound..<text.count)
  }

  /// Writes a part of an edited form of the document, without the white space around it.
  package func write(part tree: JSONTree, to output: inout ByteWriter) {
    write(tree, at: tree.origin.document === document ? tree.origin.position : -1, to: &output)
  }

  /// Writes a value and everything in it. A list of levels replaces recursion, so depth costs only memory.
  private func write(_ tree: JSONTree, at place: Int, to output: inout ByteWriter) {
    let outside = WritingPlace(
      lineStart: layout.isMultiLine ? layout.lineEnd : nil, afterComma: layout.afterComma, afterColon: layout.afterColon
    )
    var levels: [Level] = []
    write(tree, at: place, outside, &levels, to: &output)
    while let top = levels.indices.last {
      if levels[top].hasRuns, let run = levels[top].slots.nextRun() {
        writeStart(of: run.place, &levels[top], to: &output)
        output.append(text, run.range)
      } else if let slot = levels[top].slots.next() {
        write(slot, &levels, to: &output)
      } else {
        var level = levels.removeLast()
        if let trail = level.commented?.atEnd() { write(trail, level.context.shift, to: &output) }
        output.append(level.end)
      }
    }
  }

  /// Writes a child with what comes before it: its old surroundings if it has a place there, else new ones.
  private func write(_ slot: JSONNode.Slot, _ levels: inout [Level], to output: inout ByteWriter) {
    let top = levels.count - 1
    let isOld = slot.place >= 0 && !levels[top].isNew
    let before = output.count
    writeStart(of: isOld ? slot.place : -1, &levels[top], to: &output)
    let start = output.count
    if let key = slot.key {
      output.append(key.document.bytes, key.range)
      if isOld, levels[top].commented != nil {
        let colon = document.end(slot.place)..<document.start(slot.place + 1)
        write(text, colon, levels[top].context.shift, to: &output)
      } else if isOld {
        output.append(text, document.end(slot.place)..<document.start(slot.place + 1))
      } else {
        output.append(levels[top].newColon)
      }
    }
    if let scalar = slot.value.untouched, !scalar.kind.isContainer {
      output.append(scalar.document.bytes, scalar.range)
    } else {
      let place = isOld ? (levels[top].isObject ? slot.place + 1 : slot.place) : -1
      write(slot.value, at: place, levels[top].context, &levels, to: &output)
    }
    places?.note(slot.value, before..<start, end: output.count)
  }

  /// Writes what comes before a child: white space, and a comma unless it is the first one.
  /// - Parameter place: the child's tape position; -1 for an inserted one.
  private func writeStart(of place: Int, _ level: inout Level, to output: inout ByteWriter) {
    defer { level.isFirst = false }
    if level.commented != nil {
      let between =
        place >= 0
        ? level.commented?.before(place, separator: level.newSeparator)
        : level.commented?.beforeNew(separator: level.newSeparator)
      write(between ?? [], level.context.shift, to: &output)
    } else if level.isFirst {
      output.append(level.layout.isEmpty ? level.context.lineStart ?? [] : level.layout.lead)
    } else if place >= 0 && !level.layout.isFirst(place) {
      output.append(level.layout.separator(before: place))
    } else {
      output.append(level.newSeparator)
    }
  }

  /// Writes a scalar, or opens a level for a container whose children follow.
  /// - Parameter place: the tape position of the value that was here before; -1 if there was none.
  private func write(
    _ tree: JSONTree, at place: Int, _ context: WritingPlace, _ levels: inout [Level], to output: inout ByteWriter
  ) {
    let isOurs = tree.origin.document === document
    let isInPlace = isOurs && tree.origin.position == place
    if let node = tree.node, isInPlace || document.commented != nil {
      if isInPlace {
        open(tree, node, context, &levels, to: &output)
      } else if isOurs {
        var context = context
        context.shift = shift(of: tree.origin, to: context)
        open(tree, node, context, &levels, to: &output)
      } else {
        open(tree, node, context, isNew: true, &levels, to: &output)
      }
    } else if isInPlace {
      write(text, tree.origin.range, context.shift, to: &output)
    } else if let value = tree.untouched, value.position == 0, places?.isWanted(value) == true {
      output.append(value.document.bytes, value.range)
    } else if let value = tree.untouched, isOurs || value.document === alike,
      context.lineStart != nil || hasComments(value)
    {
      write(value.document.text, value.range, shift(of: value, to: context), to: &output)
    } else {
      let lineStart = context.hasChildrenOnOneLine ? nil : context.lineStart
      let style = JSONStyle(
        lineStart: lineStart, unit: layout.unit, afterComma: lineStart == nil ? context.afterComma : [],
        afterColon: context.afterColon)
      JSONWriter.write(tree, in: style, to: &output)
    }
  }

  /// Comments are the only difference between the two texts of a document.
  private func hasComments(_ value: JSONValue) -> Bool {
    guard let text = document.commented else { return false }
    let bytes = document.bytes
    return !sameBytes(text.span.extracting(value.range), bytes.span.extracting(value.range))
  }

  // MARK: Containers

  /// Opens a level for the children of a container.
  /// - Parameter isNew: whether it is a container of the patch that was changed after it was put in, so that its former
  ///   text does not matter. A value from the document may be in it, with its comments.
  private func open(
    _ tree: JSONTree, _ node: JSONNode, _ around: WritingPlace, isNew: Bool = false, _ levels: inout [Level],
    to output: inout ByteWriter
  ) {
    let own = ContainerLayout(of: isNew ? JSONTree.emptyObject.origin : tree.origin)
    let isObject = tree.kind == .object
    let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    var commented = document.commented == nil || own.isEmpty ? nil : CommentedChildren(of: tree.origin)
    output.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    let inner = isNew ? 0..<0 : (tree.origin.range.lowerBound + 1)..<(tree.origin.range.upperBound - 1)
    if node.count == 0 {
      if own.isEmpty {
        write(text, inner, around.shift, to: &output)
      } else if let comments = commented?.atEnd() {
        write(comments, around.shift, to: &output)
      }
      output.append(close)
      return
    }
    var inside = around
    let isOnOneLine = isNew && (around.hasChildrenOnOneLine || levels.count >= Self.deepestLine)
    inside.lineStart = isOnOneLine ? nil : childLineStart(own, around)
    if isNew { inside.shift = nil }
    inside.hasChildrenOnOneLine = !isObject && own.hasChildrenOnOneLine
    if inside.lineStart == nil, let separator = own.separator {
      inside.afterComma = Array(separator.drop { $0 != UInt8(ascii: ",") }.dropFirst())
    }
    if let colon = own.colon { inside.afterColon = Array(colon.drop { $0 != UInt8(ascii: ":") }.dropFirst()) }
    var end = own.isEmpty ? (inside.lineStart == nil ? [] : around.lineStart ?? layout.lineEnd) : own.trail
    if own.isEmpty, let last = text[inner].lastIndex(where: { !$0.isWhiteSpace }) {
      // The first child comes after the comments.
      write(text, inner.lowerBound..<(last + 1), around.shift, to: &output)
      if inside.lineStart == nil {
        output.append(UInt8(ascii: " "))
        end = Array(text[(last + 1)..<inner.upperBound])
      }
    }
    levels.append(
      Level(
        slots: node.slots.makeIterator(), layout: own, isObject: isObject, context: inside,
        newSeparator: newSeparator(own, inside), newColon: own.colon ?? [UInt8(ascii: ":")] + layout.afterColon,
        end: (commented == nil ? end : []) + [close], commented: commented, isNew: isNew,
        hasRuns: !isNew && commented == nil && inside.shift == nil && places == nil))
  }

  /// The line end and indentation for the children of a container; nil if they share a line.
  private func childLineStart(_ own: ContainerLayout, _ around: WritingPlace) -> [UInt8]? {
    if !own.isEmpty {
      return own.isMultiLine ? layout.lineEnd + shifted(DocumentLayout.lastLine(own.lead), around.shift) : nil
    }
    guard let outer = around.lineStart else { return own.isMultiLine ? layout.lineEnd + layout.unit : nil }
    return outer + layout.unit
  }

  /// A comma for an inserted value: a sibling's if there is one, else one that fits the container's lines.
  private func newSeparator(_ own: ContainerLayout, _ inside: WritingPlace) -> [UInt8] {
    if let separator = own.separator { return separator }
    let lines = inside.lineStart.map { own.isEmpty ? $0 : own.lead }
    return [UInt8(ascii: ",")] + (lines ?? inside.afterComma)
  }

  // MARK: Values from elsewhere in the document

  /// How a value keeps its own line breaks, indented for its new place.
  private func shift(of value: JSONValue, to context: WritingPlace) -> IndentShift? {
    guard let lineStart = context.lineStart else { return nil }
    return (
      DocumentLayout.indentation(at: value.range.lowerBound, in: value.document.text),
      DocumentLayout.lastLine(lineStart)
    )
  }

  /// An indentation that does not begin like the old one was set by hand, and stays.
  private func shifted(_ indentation: [UInt8], _ shift: IndentShift?) -> [UInt8] {
    guard let shift, indentation.starts(with: shift.old) else { return indentation }
    return shift.new + indentation.dropFirst(shift.old.count)
  }

  private func write(_ bytes: [UInt8], _ shift: IndentShift?, to output: inout ByteWriter) {
    write(bytes, 0..<bytes.count, shift, to: &output)
  }

  private func write(_ bytes: [UInt8], _ range: Range<Int>, _ shift: IndentShift?, to output: inout ByteWriter) {
    var start = range.lowerBound
    if let shift {
      while let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes.span, start..<range.upperBound) {
        output.append(bytes, start..<(end + 1))
        start = end + 1
        if bytes[start..<range.upperBound].starts(with: shift.old) {
          output.append(shift.new)
          start += shift.old.count
        }
      }
    }
    output.append(bytes, start..<range.upperBound)
  }
}

/// Where some children of containers are written: those that are copied as a whole. One that is a whole document keeps
/// its text.
package final class WrittenPlaces {
  /// A child that was copied as a whole. The separator is the comma before it, if there is one, with white space; the
  /// end is the offset after it.
  package typealias WrittenPlace = (value: JSONValue, separator: Range<Int>, end: Int)

  let isWanted: (JSONValue) -> Bool
  /// In the order of the output.
  package private(set) var all: [WrittenPlace] = []

  /// - Parameter isWanted: chooses the children by their values as read.
  package init(of isWanted: @escaping (JSONValue) -> Bool) { self.isWanted = isWanted }

  func note(_ tree: JSONTree, _ separator: Range<Int>, end: Int) {
    guard let value = tree.untouched, isWanted(value) else { return }
    all.append((value, separator, end))
  }
}
