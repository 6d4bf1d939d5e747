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
    private var result: [UInt8] = []
    /// How much of `text` is done, and whether that ends with a region.
    private var done = 0
    private var isAfterRegion = false

    init(text: [UInt8], lineEnd: [UInt8]) {
      self.text = text
      self.lineEnd = lineEnd
      result.reserveCapacity(text.count)
    }

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
