import FeedCore

/// The entities of a document. They are never written to the output. But a document is not well-formed if its references
/// lead to text that is not, or to themselves (§4.1, §4.3.2). Each entity is checked once, when first referred to,
/// however often it is referred to: a billion laughs cost ten checks.
struct XMLEntities {
  /// The place of a reference. In an attribute, the text must not contain `<`.
  enum Context: Hashable {
    case content
    case attribute
  }

  /// What a declaration says of an entity.
  enum Kind {
    /// Its replacement text in UTF-8, with character references replaced.
    case text([UInt8])
    /// In another file, which is never read.
    case external
    case unparsed
  }

  /// An entity is checked once for each context, because other text is right there.
  private struct EntityPlace: Hashable {
    let name: [UInt8]
    let context: Context
  }

  /// Checks a text as the content of an element.
  typealias ContentCheck = @Sendable (_ text: [UInt8]) throws(XMLError) -> XMLReferences

  private let checkContent: ContentCheck
  var isStandalone = false
  /// Whether an unknown name is an error in any case, so that it is repaired.
  var refusesUnknown = false
  /// Whether declarations may be unread. If so, an unknown name is no error.
  var mayLackDeclarations = false
  private var kinds: [[UInt8]: Kind] = [:]
  /// Whether the check of a place is done; false while it goes on.
  private var isDone: [EntityPlace: Bool] = [:]
  /// Those that have been referred to and have elements, or are in another file.
  private var withElements: Set<[UInt8]> = []
  /// Names that were referred to before their declaration. Entities that lead to them are checked again later.
  private var missed: Set<[UInt8]> = []
  /// Whether one of them has been declared meanwhile.
  private var isOutdated = false
  /// How many more times everything may be checked again between two declarations. Without a limit, thousands of
  /// alternating declarations and references would take quadratic time. The rest is checked for references after the
  /// declarations.
  private var revisions = 64

  init(checkingContentBy check: @escaping ContentCheck) { checkContent = check }

  /// The texts of the entities.
  /// - Parameter limit: the most bytes of them that are put into a record.
  func texts(limit: Int) -> EntityTexts { EntityTexts(kinds, limit: limit) }

  /// The first declaration is the one that counts (§4.2).
  mutating func declare(_ name: [UInt8], _ kind: Kind) {
    guard kinds[name] == nil else { return }
    kinds[name] = kind
    if missed.remove(name) != nil { isOutdated = true }
  }

  /// Says that all declarations have been read.
  mutating func endDeclarations() {
    if isOutdated { isDone = [:] }
    isOutdated = false
  }

  /// Checks a reference to `name`, and everything that it leads to.
  mutating func check(_ name: [UInt8], in context: Context, at offset: Int) throws(XMLError) {
    if isOutdated, revisions > 0 {
      revisions -= 1
      endDeclarations()
    }
    var way: [(place: EntityPlace, rest: [EntityPlace])] = []
    func enter(_ place: EntityPlace) throws(XMLError) {
      if let isDone = isDone[place] {
        if isDone { return }
        throw XMLError("entity '\(shortened(place.name))' refers to itself", at: offset)
      }
      let references = try references(of: place, at: offset)
      isDone[place] = false
      way.append((place, references))
    }
    try enter(EntityPlace(name: name, context: context))
    while let top = way.last {
      if let next = top.rest.last {
        way[way.count - 1].rest.removeLast()
        try enter(next)
        if withElements.contains(next.name) { withElements.insert(top.place.name) }
      } else {
        isDone[top.place] = true
        way.removeLast()
        if let outer = way.last, withElements.contains(top.place.name) { withElements.insert(outer.place.name) }
      }
    }
  }

  /// Whether an entity that was checked as content has elements, as far as is known.
  func mayHaveElements(_ name: [UInt8]) -> Bool { !withElements.isEmpty && withElements.contains(name) }

  /// Checks the text of one entity.
  /// - Returns: the places that it refers to.
  private mutating func references(of place: EntityPlace, at offset: Int) throws(XMLError) -> [EntityPlace] {
    let name = shortened(place.name)
    // The text of a predefined entity is known.
    if XMLReference.predefined(place.name) != nil { return [] }
    guard let kind = kinds[place.name] else {
      guard mayLackDeclarations, !isStandalone, !refusesUnknown else { throw .undeclaredEntity(place.name, at: offset) }
      missed.insert(place.name)
      return []
    }
    let text: [UInt8]
    switch kind {
    case .unparsed: throw XMLError("entity '\(name)' is not parsed, and cannot be referred to", at: offset)
    case .external:
      if place.context == .content {
        withElements.insert(place.name)
        return []
      }
      throw XMLError("entity '\(name)' is external, and cannot be in an attribute value", at: offset)
    case .text(let replacement): text = replacement
    }
    do {
      return place.context == .content ? try content(text, of: place.name) : try literal(text)
    } catch {
      throw XMLError("in entity '\(name)': \(error.message)", at: offset)
    }
  }

  private mutating func content(_ text: [UInt8], of name: [UInt8]) throws(XMLError) -> [EntityPlace] {
    let references = try checkContent(text)
    if references.hasElements { withElements.insert(name) }
    return references.inContent.map { EntityPlace(name: $0, context: .content) }
      + references.inAttributes.map { EntityPlace(name: $0, context: .attribute) }
  }

  private func literal(_ text: [UInt8]) throws(XMLError) -> [EntityPlace] {
    var index = 0
    let span = text.span
    var names: [[UInt8]] = []
    while index < span.count {
      switch span[index] {
      case UInt8(ascii: "<"): throw XMLError("'<' in an attribute value", at: index)
      case UInt8(ascii: "&"):
        guard let end = try XMLReference.end(span, from: index + 1) else {
          throw XMLError("expected a reference and ';' after '&'", at: index)
        }
        if case .entity(let name) = try XMLReference(span, index..<end) { names.append(name) }
        index = end
      default: index += 1
      }
    }
    return names.map { EntityPlace(name: $0, context: .attribute) }
  }
}
