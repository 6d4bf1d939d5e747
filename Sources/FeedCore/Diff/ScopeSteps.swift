// The pointers of all rules of a scope as one tree of steps, so that the cost of a member does not grow with their number.

/// A place in the tree is an index; the root is 0. As a pointer with `**` can lead to a value in several ways, a value has
/// a list of places.
struct ScopeSteps {
  private struct ScopePlace {
    var names: [(name: [UInt8], place: Int)] = []
    var byName: [[UInt8]: Int] = [:]
    /// After the step `*`.
    var any: Int?
    /// After the step `**`.
    var anyNumber: Int?
    /// Whether that is how this place was reached: then it stays, through any number of children.
    var repeats = false
    /// The rules whose pointers end here.
    var ends: [Int] = []
    /// Whether `--only` has a rule that ends here or further on.
    var leadsToOnly = false
    /// The first rule that goes on from here with an index, by its number and step.
    var index: (rule: Int, name: [UInt8])?
  }

  private var places = [ScopePlace()]
  private let rules: [Scope.Rule]

  /// A table finds a name faster if there are more than this.
  private static let many = 8

  init(_ rules: [Scope.Rule]) {
    self.rules = rules
    for (number, rule) in rules.enumerated() {
      var place = 0
      for step in rule.steps {
        if rule.purpose == .only { places[place].leadsToOnly = true }
        place = self.place(after: place, step, number)
      }
      places[place].ends.append(number)
      if rule.purpose == .only { places[place].leadsToOnly = true }
    }
  }

  private mutating func place(after place: Int, _ step: Scope.ScopeStep, _ rule: Int) -> Int {
    let known: Int?
    switch step {
    case .name(let name):
      known = places[place].byName[name]
      if places[place].index == nil, !places[place].repeats, JSONPointer.isIndex(name[...]) {
        places[place].index = (rule, name)
      }
    case .any: known = places[place].any
    case .anyNumber: known = places[place].anyNumber
    }
    if let known { return known }
    let new = places.count
    places.append(ScopePlace())
    switch step {
    case .name(let name):
      places[place].names.append((name, new))
      places[place].byName[name] = new
    case .any: places[place].any = new
    case .anyNumber:
      places[place].anyNumber = new
      places[new].repeats = true
    }
    return new
  }

  // MARK: Following them

  func ends(at place: Int) -> [Int] { places[place].ends }
  func leadsToOnly(_ place: Int) -> Bool { places[place].leadsToOnly }

  /// Whether a pointer goes on from there.
  func leadsOn(_ place: Int) -> Bool {
    let place = places[place]
    return place.repeats || place.any != nil || place.anyNumber != nil || !place.names.isEmpty
  }

  /// Adds a place, and if `**` comes next, the place after it too.
  func enter(_ place: Int, _ active: inout [Int]) {
    if active.contains(place) { return }
    active.append(place)
    if let next = places[place].anyNumber { enter(next, &active) }
  }

  /// The places of a member.
  /// - Parameter key: the position of its name.
  func advance(_ active: [Int], to document: JSONDocument, _ key: Int) -> [Int] {
    var result: [Int] = []
    var name: [UInt8]?
    for number in active {
      let place = places[number]
      if place.repeats { enter(number, &result) }
      if let any = place.any { enter(any, &result) }
      if place.names.count <= Self.many {
        for (name, next) in place.names where JSONString.equals(document, key, name[...]) { enter(next, &result) }
      } else {
        let text = name ?? JSONString.decoded(JSONValue(document: document, position: key))
        name = text
        if let next = place.byName[text] { enter(next, &result) }
      }
    }
    return result
  }

  /// The places of an element.
  func advance(_ active: [Int]) throws(Scope.IndexMismatch) -> [Int] {
    var result: [Int] = []
    for number in active {
      let place = places[number]
      if let (rule, name) = place.index {
        throw Scope.IndexMismatch(
          message:
            "\(rules[rule].text): an item has no fixed place in an array: use '*' instead of '\(quoted(name))'")
      }
      if place.repeats { enter(number, &result) }
      if let any = place.any { enter(any, &result) }
    }
    return result
  }
}
