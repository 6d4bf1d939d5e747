/// Merges the changes of two documents, OURS and THEIRS, that were made from one, BASE.
///
/// The three documents are walked together from the outside in, without recursion. Objects are merged member by member
/// and arrays item by item, as the diff pairs them (ThreeWayChildren). Where only one side has changed a
/// value, its value is taken; where both have, and differently, it is a conflict. So every change is in the result or in
/// the list of conflicts.
///
/// The result is OURS with edits, so that its layout can be kept.
package struct ThreeWayMerge {
  /// What the result has where both sides conflict: the values of `jpatch --conflict`.
  package enum Choice: String, CaseIterable { case ours, theirs, both = "mark" }

  /// A value in each document at the same place, as a tape position; -1 where there is none.
  struct MergedChild {
    let token: ReferenceToken
    let base: Int
    let ours: Int
    let theirs: Int
    /// Whether a side may have replaced it by something else: then it is not merged inside.
    var isAtomic = false
  }

  /// A part of a merged container.
  enum MergedPart {
    /// A child of one side, as it is.
    case ours(Int)
    case theirs(Int)
    /// A child of both sides.
    case both(MergedChild)
    case conflict(FoundConflict)
  }

  /// A conflict, with tape positions. Its pointer is made when it is reported: many deep ones would fill the memory.
  struct FoundConflict {
    let token: ReferenceToken
    let base: Int
    let ours: [Int]
    let theirs: [Int]
    /// The container that it is in; -1 for none.
    var path = -1
  }

  /// A container that is being merged.
  private struct MergeFrame {
    let child: MergedChild
    let path: Int
    let isObject: Bool
    let parts: [MergedPart]
    /// Whether it is on one line in OURS.
    let isOnOneLine: Bool
    var next = 0
    var result: JSONRebuilding
    /// The result with the values of THEIRS at each conflict, if the result itself is that of OURS. See `MergeResult`.
    var other: JSONRebuilding?
    var hasConflict = false
    /// For each child of the result: the region that it belongs to, or nil. Only for `.both`.
    var regions: [Int?] = []
  }

  /// What a value has become. With `.both`, a container that is on one line has two results if there is a conflict in
  /// it: so the marks are around its line, and do not break it.
  private typealias MergeResult = (tree: JSONTree, other: JSONTree?)

  /// Which value is taken; or whether both are merged inside, or are a conflict.
  private enum Resolution { case ours, theirs, inside, conflict }

  let base: Side
  let ours: Side
  let theirs: Side
  var ourChanges: Sides
  var theirChanges: Sides
  var sides: Sides
  /// The documents as they were read, whose tape positions are those of the sides.
  private let original: (ours: JSONDocument, theirs: JSONDocument)
  private let hasBase: Bool
  private let choice: Choice
  /// Writes parts of the result that stand for themselves.
  private let writer: JSONVerbatimWriter
  private var frames: [MergeFrame] = []
  private var paths: [(parent: Int, token: ReferenceToken)] = []
  private(set) var found: [FoundConflict] = []
  /// Where the result has the values of both sides.
  package private(set) var regions: [ConflictRegion] = []
  /// The first array whose items are told apart by a member that was found in the data.
  private var guessed: (path: Int, name: [UInt8])?

  /// - Parameter base: nil if both sides are new, so that everything in them was added.
  /// - Parameter scope: rules of `identity` only.
  package init(
    base: JSONDocument?, ours: JSONDocument, theirs: JSONDocument, choice: Choice, _ scope: Scope = Scope()
  ) throws(FormatError) {
    self.base = try Side(base ?? JSONTree.emptyObject.origin.document, scope)
    self.ours = try Side(ours, scope)
    self.theirs = try Side(theirs, scope)
    ourChanges = Sides(old: self.base, new: self.ours)
    theirChanges = Sides(old: self.base, new: self.theirs)
    sides = Sides(old: self.ours, new: self.theirs)
    original = (ours, theirs)
    hasBase = base != nil
    self.choice = choice
    writer = JSONVerbatimWriter(of: ours, and: theirs)
  }

  /// Merges the documents.
  /// - Returns: the result, an edited form of OURS. With `.both` it has the values of both sides at `regions`, so it is
  ///   only fit to be marked (ConflictMarks).
  package mutating func run() -> JSONTree {
    var done = merge(MergedChild(token: .root, base: hasBase ? 0 : -1, ours: 0, theirs: 0), in: -1)
    // A copy of a frame would share its lists, and each child added to them would copy them.
    while let top = frames.indices.last {
      let next = frames[top].next
      if let result = done {
        append(result, frames[top].parts[next - 1])
        done = nil
      } else if next < frames[top].parts.count {
        frames[top].next += 1
        done = take(frames[top].parts[next], in: frames[top].path)
      } else {
        done = finish(frames.removeLast())
      }
    }
    return done?.tree ?? ourTree(0)
  }

  /// - Parameter name: of the member that tells the items of the innermost array apart.
  mutating func guess(_ name: [UInt8]) { guessed = guessed ?? (paths.count - 1, name) }

  /// The first array whose items are told apart by a member that was found in the data.
  /// - Returns: where it is; the same as a rule says it, with `*` for an index; and the name of the member.
  package var guess: (array: JSONPointer, rule: JSONPointer, name: [UInt8])? {
    guard let guessed else { return nil }
    let (parent, token) = paths[guessed.path]
    return (pointer(parent, token), pointer(parent, token, index: { _ in "*" }), guessed.name)
  }

  func ourTree(_ position: Int) -> JSONTree { JSONTree(JSONValue(document: original.ours, position: position)) }
  func theirTree(_ position: Int) -> JSONTree { JSONTree(JSONValue(document: original.theirs, position: position)) }

  /// Whether one of two whole documents must be chosen.
  package var isWholeConflict: Bool { paths.isEmpty && !found.isEmpty }

  // MARK: One value

  /// - Returns: the result for this value; nil if a frame was opened for it, or if it was added as a conflict.
  private mutating func merge(_ child: MergedChild, in parent: Int) -> MergeResult? {
    switch resolution(of: child) {
    case .ours: return (ourTree(child.ours), nil)
    case .theirs: return (theirTree(child.theirs), nil)
    case .conflict:
      let conflict = FoundConflict(token: child.token, base: child.base, ours: [child.ours], theirs: [child.theirs])
      if parent >= 0 {
        addConflict(conflict, in: parent)
        return nil
      }
      found.append(conflict)
      return (choice == .theirs ? theirTree(0) : ourTree(0), nil)
    case .inside:
      paths.append((parent, child.token))
      let isObject = ours.document.kind(child.ours) == .object
      let parts = isObject ? mergeObjects(child) : mergeArrays(child)
      guard let parts else {
        paths.removeLast()
        var atomic = child
        atomic.isAtomic = true
        return merge(atomic, in: parent)
      }
      let origin = JSONValue(document: original.ours, position: child.ours)
      let outer = frames.last.map { (isOnOneLine: $0.isOnOneLine, hasOther: $0.other != nil) }
      let isOnOneLine = choice == .both && (outer?.isOnOneLine == true || isOnOneLine(origin))
      let hasOther = isOnOneLine && outer.map { $0.hasOther || !$0.isOnOneLine } ?? false
      frames.append(
        MergeFrame(
          child: child, path: paths.count - 1, isObject: isObject, parts: parts, isOnOneLine: isOnOneLine,
          result: JSONRebuilding(of: origin), other: hasOther ? JSONRebuilding(of: origin) : nil))
      return nil
    }
  }

  /// The side that has changed the value decides. If both have not, or in the same way, OURS does.
  private mutating func resolution(of child: MergedChild) -> Resolution {
    let (base, ours, theirs) = (child.base, child.ours, child.theirs)
    let kind = self.ours.document.kind(ours)
    let baseKind = base < 0 ? .object : self.base.document.kind(base)
    if !child.isAtomic, kind.isContainer, kind == self.theirs.document.kind(theirs), kind == baseKind {
      if base >= 0, !theirChanges.mayDiffer(base, theirs) { return .ours }
      return sides.mayDiffer(ours, theirs) ? .inside : .ours
    }
    if sides.areEqual(ours, theirs) { return .ours }
    guard base >= 0 else { return .conflict }
    if theirChanges.areEqual(base, theirs) { return .ours }
    return ourChanges.areEqual(base, ours) ? .theirs : .conflict
  }

  // MARK: Parts of a container

  /// - Returns: the result for this part, if it is ready and has not been added.
  private mutating func take(_ part: MergedPart, in path: Int) -> MergeResult? {
    switch part {
    case .ours(let position): return (ourTree(position), nil)
    case .theirs(let position): return (theirTree(position), nil)
    case .both(let child): return merge(child, in: path)
    case .conflict(let conflict):
      addConflict(conflict, in: path)
      return nil
    }
  }

  /// Adds a child to the innermost container.
  private mutating func append(_ result: MergeResult, _ part: MergedPart) {
    let top = frames.count - 1
    let isObject = frames[top].isObject
    let (key, place): (JSONValue?, Int)
    switch part {
    case .ours(let position): (key, place) = self.key(of: position, original.ours, isObject)
    case .both(let child): (key, place) = self.key(of: child.ours, original.ours, isObject)
    case .theirs(let position): (key, place) = (self.key(of: position, original.theirs, isObject).0, -1)
    case .conflict: return
    }
    guard let other = result.other else {
      frames[top].result.append(key, result.tree, at: place)
      frames[top].other?.append(key, result.tree, at: place)
      frames[top].regions.append(nil)
      return
    }
    frames[top].hasConflict = true
    if frames[top].other != nil {
      frames[top].result.append(key, result.tree, at: place)
      frames[top].other?.append(key, other, at: place)
    } else {
      let lines = (line(result.tree), line(other))
      frames[top].result.append(key, JSONTree(lines.0), at: place)
      frames[top].result.append(key, JSONTree(lines.1), at: -1)
      addRegion([lines.0], [lines.1])
    }
  }

  /// An empty container has no line to break.
  private func isOnOneLine(_ container: JSONValue) -> Bool {
    let document = container.document
    let bytes = document.bytes
    return document.first(container.position) < document.last(container.position)
      && firstIndex(of: UInt8(ascii: "\n"), in: bytes.span, container.range) == nil
  }

  /// The name of a child, and its place in the container.
  private func key(of position: Int, _ document: JSONDocument, _ isObject: Bool) -> (JSONValue?, Int) {
    isObject ? (JSONValue(document: document, position: position - 1), position - 1) : (nil, position)
  }

  /// An edited value as a document of its own.
  private func line(_ tree: JSONTree) -> JSONValue {
    var text = ByteWriter()
    writer.write(part: tree, to: &text)
    return JSONDocument(known: text.take()).root
  }

  private mutating func finish(_ frame: MergeFrame) -> MergeResult {
    var result = frame.result
    if let other = frame.other { return (result.tree, frame.hasConflict ? other.tree : nil) }
    if choice == .both { arrange(frame, &result) }
    return (result.tree, nil)
  }

  // MARK: Conflicts

  private mutating func addConflict(_ conflict: FoundConflict, in path: Int) {
    found.append(conflict)
    found[found.count - 1].path = path
    let (mine, others) = (conflict.ours, conflict.theirs)
    let top = frames.count - 1
    frames[top].hasConflict = true
    let isObject = frames[top].isObject
    let ourChildren = mine.map { (key(of: $0, original.ours, isObject), ourTree($0)) }
    // One value in the place of another takes that place.
    let place = mine.count == 1 && others.count == 1 && choice != .both ? ourChildren[0].0.1 : -1
    let theirChildren = others.map { other in
      let key = key(of: other, original.theirs, isObject).0
      return ((place >= 0 && isObject ? ourChildren[0].0.0 : key, place), theirTree(other))
    }
    func add(_ children: [((JSONValue?, Int), JSONTree)], _ container: inout JSONRebuilding) {
      for ((key, place), tree) in children { container.append(key, tree, at: place) }
    }
    if choice != .theirs { add(ourChildren, &frames[top].result) }
    if choice == .theirs { add(theirChildren, &frames[top].result) }
    if var other = frames[top].other {
      frames[top].other = nil
      add(theirChildren, &other)
      frames[top].other = other
    } else if choice == .both {
      add(theirChildren, &frames[top].result)
      addRegion(ourChildren.map(\.1.origin), theirChildren.map(\.1.origin))
    }
  }

  /// Notes that the last children of the innermost container are the two sides of a conflict.
  private mutating func addRegion(_ ours: [JSONValue], _ theirs: [JSONValue]) {
    regions.append(ConflictRegion(ours: ours, theirs: theirs))
    frames[frames.count - 1].result.open()
    frames[frames.count - 1].regions.append(regions.count - 1)
  }

  /// Decides where the commas of a container's regions go. Either side of a region may be empty, so a region cannot
  /// rely on the next one: only on children that are there whatever is chosen.
  private mutating func arrange(_ frame: MergeFrame, _ result: inout JSONRebuilding) {
    let children = frame.regions
    guard children.contains(where: { $0 != nil }) else { return }
    if let last = children.lastIndex(where: { region in region.map { regions[$0].hasBothSides } ?? true }) {
      for (place, region) in children.enumerated() {
        if let region { regions[region].commas = place < last ? .after : place > last ? .before : .between }
      }
      return
    }
    // Any of the children may be missing, so all of them are one region.
    let all = children.compactMap { $0 }
    let ours = Set(all.flatMap { regions[$0].ours.map(ConflictRegion.Key.init) })
    result.reorder { ours.contains(ConflictRegion.Key($0.origin)) }
    regions[all[0]] = ConflictRegion(
      ours: all.flatMap { regions[$0].ours }, theirs: all.flatMap { regions[$0].theirs })
    for other in all.dropFirst() { regions[other] = ConflictRegion(ours: [], theirs: []) }
  }

  func pointer(_ path: Int, _ token: ReferenceToken, index text: (Int) -> String = { String($0) }) -> JSONPointer {
    var tokens = [token]
    var next = path
    while next >= 0 {
      tokens.append(paths[next].token)
      next = paths[next].parent
    }
    return JSONPointer(
      tokens: tokens.reversed().compactMap { token -> [UInt8]? in
        switch token {
        case .root: nil
        case .oldName(let name): JSONString.decoded(ours.value(name))
        case .newName(let name): JSONString.decoded(theirs.value(name))
        case .index(let index): Array(text(index).utf8)
        }
      })
  }
}
