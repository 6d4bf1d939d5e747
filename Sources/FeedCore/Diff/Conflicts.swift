/// A conflict, for messages: `conflict at /version: OURS has "1.1", THEIRS has "1.2"`. The pointer has the indexes of
/// OURS; the last one is of THEIRS if the value is only there.
package typealias MergeConflict = (pointer: JSONPointer, message: String)

extension ThreeWayMerge {
  /// In the order in which they were found: from the outside in. The messages are made when they are asked for.
  package var conflicts: some RandomAccessCollection<MergeConflict> {
    found.lazy.map { conflict -> MergeConflict in
      let pointer = pointer(conflict.path, conflict.token)
      return (pointer, message(of: conflict, at: pointer))
    }
  }

  private func message(of conflict: FoundConflict, at pointer: JSONPointer) -> String {
    let (mine, others) = (conflict.ours.map(ours.value), conflict.theirs.map(theirs.value))
    func words(_ values: [JSONValue]) -> String {
      guard let first = values.first else { return "removes it" }
      let verb = conflict.base < 0 ? "adds" : "has"
      // Two values and the pointer fit on a line or two.
      let more = values.count > 1 ? " and \(values.count - 1) more" : ""
      return "\(verb) \(beginning(of: first.text, upTo: 60))" + more
    }
    // All other arrays are merged.
    let haveOrders =
      conflict.base >= 0 && [base.value(conflict.base), mine.first, others.first].allSatisfy { $0?.kind == .array }
    let place = pointer.tokens.isEmpty ? "the top" : pointer.shown
    return "conflict at \(place): OURS \(words(mine)), THEIRS \(words(others))"
      + (haveOrders ? "; the orders differ" : "")
  }
}

/// Children of a container, next to one another, of which one side or the other must be chosen.
package struct ConflictRegion {
  /// How the children of a side are separated.
  enum Commas {
    case after
    case before
    case between
  }

  /// What a value is found by.
  struct Key: Hashable {
    let document: ObjectIdentifier
    let position: Int

    init(_ value: JSONValue) {
      document = ObjectIdentifier(value.document)
      position = value.position
    }
  }

  let ours: [JSONValue]
  let theirs: [JSONValue]
  var commas = Commas.between

  /// Whether a child is there, whichever side is chosen.
  var hasBothSides: Bool { !ours.isEmpty && !theirs.isEmpty }
}

/// A merged document with the values of both sides at each conflict, between lines as git writes them:
///
///     {
///       "name": "feeds",
///     <<<<<<< OURS
///       "version": "1.1.0",
///     =======
///       "version": "1.2.0",
///     >>>>>>> THEIRS
///       "license": "MIT"
///     }
///
/// Between two such lines are whole members or elements with their commas. So the document is JSON again, whichever side
/// of each conflict is kept, even if that side has nothing there. If no other child follows, the comma comes before the
/// child instead of after it.
package struct ConflictMarks {
  private let ours: JSONDocument
  private let theirs: JSONDocument
  private let regions: [ConflictRegion]
  private let lineEnd: [UInt8]
  /// The region of each value, and its side.
  private var sides: [ConflictRegion.Key: (region: Int, isOurs: Bool)] = [:]

  /// - Parameters:
  ///   - ours: the document whose edited form is to be written.
  ///   - theirs: the other side.
  ///   - regions: those of the merge.
  package init(_ ours: JSONDocument, _ theirs: JSONDocument, _ regions: [ConflictRegion]) {
    self.ours = ours
    self.theirs = theirs
    self.regions = regions
    lineEnd = DocumentLayout(of: ours).lineEnd
    for (number, region) in regions.enumerated() {
      for value in region.ours { sides[ConflictRegion.Key(value)] = (number, true) }
      for value in region.theirs { sides[ConflictRegion.Key(value)] = (number, false) }
    }
  }

  /// The result of a merge with all its conflicts marked.
  package func text(_ tree: JSONTree) -> [UInt8] {
    var output = ByteWriter()
    let places = WrittenPlaces { sides[ConflictRegion.Key($0)] != nil }
    JSONVerbatimWriter(of: ours, and: theirs, places: places).write(tree, to: &output)
    var marked = Marked(text: output.take(), lineEnd: lineEnd)
    func side(_ place: WrittenPlaces.WrittenPlace) -> (region: Int, isOurs: Bool)? {
      sides[ConflictRegion.Key(place.value)]
    }
    var rest = places.all[...]
    while let first = rest.first, let number = side(first)?.region {
      let children = rest.prefix { side($0)?.region == number }
      rest = rest.dropFirst(children.count)
      marked.add(
        children.filter { side($0)?.isOurs == true }, children.filter { side($0)?.isOurs == false },
        regions[number].commas)
    }
    return marked.finished
  }

  /// Two whole documents, of which one must be chosen.
  package var wholeText: [UInt8] {
    var output = ByteWriter()
    let writer = JSONVerbatimWriter(of: ours, and: theirs)
    output.append(Self.start + lineEnd)
    writer.write(part: JSONTree(ours.root), to: &output)
    output.append(lineEnd + Self.middle + lineEnd)
    writer.write(part: JSONTree(theirs.root), to: &output)
    output.append(lineEnd + Self.end + lineEnd)
    return output.take()
  }

  private static let start = Array("<<<<<<< OURS".utf8)
  private static let middle = Array("=======".utf8)
  private static let end = Array(">>>>>>> THEIRS".utf8)

  /// The text so far.
  private struct Marked {
    let text: [UInt8]
    let lineEnd: [UInt8]
    var result: [UInt8] = []
    /// How much of `text` is done, and whether that ends with a region.
    var done = 0
    var isAfterRegion = false

    /// Writes a region: both sides between marks, with the commas that stay right whichever is kept.
    mutating func add(
      _ mine: [WrittenPlaces.WrittenPlace], _ others: [WrittenPlaces.WrittenPlace], _ commas: ConflictRegion.Commas
    ) {
      guard let first = mine.first ?? others.first, let last = others.last ?? mine.last else { return }
      let isFollowing = isAfterRegion && first.separator.lowerBound == done
      if !isFollowing {
        copy(upTo: first.separator.lowerBound)
        // The comma of the child before it.
        if commas != .before, text[first.separator].contains(UInt8(ascii: ",")) { result.append(UInt8(ascii: ",")) }
        result += lineEnd
      }
      result += ConflictMarks.start + lineEnd
      add(mine, commas)
      result += ConflictMarks.middle + lineEnd
      add(others, commas)
      result += ConflictMarks.end + lineEnd
      done = last.end
      isAfterRegion = true
    }

    private mutating func add(_ children: [WrittenPlaces.WrittenPlace], _ commas: ConflictRegion.Commas) {
      for (number, child) in children.enumerated() {
        result += DocumentLayout.lastLine(Array(text[child.separator]))
        if commas == .before { result += Array(", ".utf8) }
        result += text[child.separator.upperBound..<child.end]
        if commas == .after || commas == .between && number < children.count - 1 { result.append(UInt8(ascii: ",")) }
        result += lineEnd
      }
    }

    /// Copies unmarked text. After a region, which has its own commas and line ends, only the indentation is copied of
    /// what separates it from the next child or bracket.
    private mutating func copy(upTo end: Int) {
      if isAfterRegion {
        let start = done
        while text[done].isWhiteSpace || text[done] == UInt8(ascii: ",") { done += 1 }
        result += DocumentLayout.lastLine(Array(text[start..<done]))
      }
      isAfterRegion = false
      result += text[done..<end]
      done = end
    }

    var finished: [UInt8] {
      var all = self
      all.copy(upTo: text.count)
      return all.result
    }
  }
}
