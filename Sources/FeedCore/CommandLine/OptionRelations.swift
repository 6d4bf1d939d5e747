// How options depend on each other: the checks that follow from the rows, and their messages.

/// Something that can be true of a command line: an option is given, perhaps with a certain value, or what the tool reads
/// is at a URL.
package struct OptionCondition {
  /// The setting of the option; nil for a URL.
  let setting: AnyKeyPath?
  /// The word that is chosen.
  let choice: String?

  /// What the tool reads is at a URL.
  package static var url: OptionCondition { OptionCondition(nil) }

  package typealias Maker = @Sendable () -> OptionCondition

  init(_ setting: AnyKeyPath?, _ choice: String? = nil) {
    self.setting = setting
    self.choice = choice
  }

  /// The same condition for settings that are a part of others.
  func within(_ part: AnyKeyPath) -> OptionCondition {
    setting.map { OptionCondition(part.joined($0), choice) } ?? self
  }
}

extension AnyKeyPath {
  /// The path through both. Their types fit by the declarations of `OptionRow`.
  func joined(_ rest: AnyKeyPath) -> AnyKeyPath { appending(path: rest) ?? rest }
}

/// What an option has to do with others.
package struct OptionRelation: Sendable {
  /// What the option wants of the conditions.
  package enum Kind: Sendable {
    /// At least one of the conditions must hold.
    case needs
    /// None may hold, as they contradict the option.
    case excludes
    /// None may hold, as they make the option meaningless.
    case meaningless
  }

  let kind: Kind
  /// Key paths are made only for the options that are given.
  let conditions: @Sendable () -> [OptionCondition]

  init(_ kind: Kind, _ conditions: @escaping @Sendable () -> [OptionCondition]) {
    self.kind = kind
    self.conditions = conditions
  }

  /// The same relation between settings that are a part of others.
  func within(_ part: @escaping @Sendable () -> AnyKeyPath) -> OptionRelation {
    OptionRelation(kind) { conditions().map { $0.within(part()) } }
  }
}

extension OptionSpec {
  /// The lists of conditions, those of its group first.
  package func conditions(_ kind: OptionRelation.Kind) -> [[OptionCondition]] {
    (group.relations + relations).filter { $0.kind == kind }.map { $0.conditions() }
  }
}

extension ToolSpec {
  /// - Throws: an error about the first option that does not go with the others.
  func checkRelations(_ invocation: Invocation) throws(ToolFailure) {
    // Whether a row goes with the others does not depend on its value. There may be very many with one name.
    var checked: [String] = []
    let settings = invocation.given.map { $0.row.setting?() }
    func holds(_ condition: OptionCondition) -> Bool { invocation.holds(condition, settings) }
    // A file that describes a source serves all uses of it.
    for option in invocation.given
    where !checked.contains(option.row.name) && !(option.row.standsInFile == true && option.origin != nil) {
      let row = option.row
      checked.append(row.name)
      for mode in row.conditions(.meaningless).joined() where holds(mode) {
        throw option.refused("option '--\(row.name)' has no meaning with \(list([mode]))")
      }
      for other in row.conditions(.excludes).joined() where holds(other) {
        throw option.refused("options '--\(row.name)' and \(list([other])) exclude each other")
      }
      for needed in row.conditions(.needs) where !needed.contains(where: holds) {
        throw option.refused("option '--\(row.name)' needs " + list(needed))
      }
    }
  }

  /// `'--a', '--b' or '--c'`
  private func list(_ conditions: [OptionCondition]) -> String {
    let words = conditions.flatMap(phrases).map { $0 == Self.urlPhrase ? $0 + " to connect to" : "'\($0)'" }
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  /// `--type merge-patch`; more than one if several options change the setting.
  package func phrases(_ condition: OptionCondition) -> [String] {
    guard let setting = condition.setting else { return [Self.urlPhrase] }
    let names = options.filter { $0.setting?() == setting }.map(\.name)
    return names.map { "--\($0)\(condition.choice.map { " " + $0 } ?? "")" }
  }

  private static let urlPhrase = "a URL"
}

extension Invocation {
  /// - Parameter settings: those of the options that are given.
  fileprivate func holds(_ condition: OptionCondition, _ settings: [AnyKeyPath?]) -> Bool {
    guard let setting = condition.setting else { return readsURL }
    return settings.indices.contains { index in
      settings[index] == setting && (condition.choice.map { Array($0.utf8) == given[index].value } ?? true)
    }
  }

  /// Whether the option that changes a setting was typed.
  package func isGiven<Options: OptionTable>(_ setting: PartialKeyPath<Options>) -> Bool {
    assert(Options.rows.specs.contains { $0.setting?() == setting }, "no option changes this setting")
    return given.contains { $0.row.setting?() == setting }
  }
}
