// Options as data. A tool declares each option once, and its row holds all that is true of it. From the rows come the
// parser, its checks and messages, `--help`, the completions for three shells, and the test of the man page.

/// One row of an option table.
///
///     OptionSpec("max-size", .size, "bytes of a document").default("1G")
///     OptionSpec("null", "0", "end each with NUL").needs("raw")
package struct OptionSpec: Sendable {
  /// The long name without its dashes.
  package let name: String
  /// The letter of the short form.
  package let letter: Character?
  /// The type of its value; nil if the option takes none.
  package let type: OptionType?
  /// Former names, which the command line still takes. Help and completions do not offer them; messages use `name`.
  package private(set) var synonyms: [String] = []
  /// Names that the command line refuses, and for which its message suggests this option.
  package private(set) var mistakenNames: [String] = []
  /// One line for `--help` and the completions; no full stop.
  package let help: String
  /// The value when the option is not given, as it would be typed; nil if it cannot be typed.
  package private(set) var defaultValue: String?
  /// Whether it may be given more than once. For other options, a second value would silently replace the first.
  package private(set) var isRepeatable = false
  /// At least one option of each list must be given too.
  package private(set) var needs: [[OptionCondition]] = []
  /// None of these may be given too, as they contradict this option.
  package private(set) var excludes: [OptionCondition] = []
  /// The options that make this one meaningless.
  package private(set) var meaningless: [OptionCondition] = []
  /// If the value is a file with further options: the name of the option that stands for the operand in that file.
  package private(set) var operandInFile: String?
  package internal(set) var group = OptionGroup("Options")

  package init(_ name: String, _ letter: Character, _ type: OptionType, _ help: String) {
    self.init(name: name, letter: letter, type: type, help: help)
  }
  package init(_ name: String, _ type: OptionType, _ help: String) {
    self.init(name: name, letter: nil, type: type, help: help)
  }
  package init(_ name: String, _ letter: Character, _ help: String) {
    self.init(name: name, letter: letter, type: nil, help: help)
  }
  package init(_ name: String, _ help: String) { self.init(name: name, letter: nil, type: nil, help: help) }

  private init(name: String, letter: Character?, type: OptionType?, help: String) {
    self.name = name
    self.letter = letter
    self.type = type
    self.help = help
  }

  /// The same row, for an option that had another name before.
  package func synonym(_ name: String) -> OptionSpec { with { $0.synonyms.append(name) } }
  /// The same row, for an option that has another name in another program. That name cannot be a synonym if it has
  /// another meaning in a tool of ours.
  package func mistaken(for name: String) -> OptionSpec { with { $0.mistakenNames.append(name) } }
  /// The same row, for an option that may be given more than once.
  package var repeating: OptionSpec { with { $0.isRepeatable = true } }
  /// The same row, with the value when the option is not given. The tool gets this value as if it had been typed.
  package func `default`(_ value: String) -> OptionSpec { with { $0.defaultValue = value } }
  /// The same row, for an option that means nothing without one of `conditions`.
  package func needs(_ conditions: OptionCondition...) -> OptionSpec { with { $0.needs.append(conditions) } }
  /// The same row, for an option that contradicts each of `conditions`. Only one of the two rows declares it.
  package func excludes(_ conditions: OptionCondition...) -> OptionSpec { with { $0.excludes += conditions } }
  /// The same row, for an option that means nothing in the modes that `conditions` choose.
  package func meaningless(with conditions: OptionCondition...) -> OptionSpec { with { $0.meaningless += conditions } }

  /// The same row, for an option whose value is a file with further options of its group, but with no such files. The
  /// tool gets these options as if they had been typed in its place.
  /// - Parameter operand: the name that stands for an operand in the file.
  package func holdingOptions(operand: String) -> OptionSpec { with { $0.operandInFile = operand } }

  func with(_ change: (inout OptionSpec) -> Void) -> OptionSpec {
    var spec = self
    change(&spec)
    return spec
  }

  /// `-e --expression JSON`
  var synopsis: String { (letter.map { "-\($0) " } ?? "") + "--" + name + (type.map { " " + $0.name } ?? "") }
}

/// Options under one heading in `--help` and in the man page, and what is true of all of them.
package struct OptionGroup: Sendable {
  /// The heading of the man page, without a colon.
  package let heading: String
  /// Whether `--help` lists only their names, because they are known from another program.
  package let isFolded: Bool
  package private(set) var needs: [OptionCondition] = []
  package private(set) var meaningless: [OptionCondition] = []

  package static let output = OptionGroup("Options for output")
  package static let limits = OptionGroup("Limits")

  package init(_ heading: String, isFolded: Bool = false) {
    self.heading = heading
    self.isFolded = isFolded
  }

  /// The same group, for options that mean nothing without one of `conditions`.
  package func needs(_ conditions: OptionCondition...) -> OptionGroup {
    var group = self
    group.needs = conditions
    return group
  }

  /// The same group, for options that mean nothing in the modes that `conditions` choose.
  package func meaningless(with conditions: OptionCondition...) -> OptionGroup {
    var group = self
    group.meaningless = conditions
    return group
  }
}

/// A tool's options: an enum with one case each, so that the switches that describe and handle them are exhaustive.
package protocol ToolOption: CaseIterable, Equatable, Sendable where AllCases == [Self] {
  var spec: OptionSpec { get }
  var group: OptionGroup { get }
}

extension ToolOption {
  /// The rows of the table.
  /// - Parameter others: the options of the table that this tool does not have.
  package static func rows(without others: [Self] = []) -> [OptionSpec] {
    var rows: [OptionSpec] = []
    for option in allCases where others.isEmpty || !others.contains(option) {
      rows.append(option.spec)
      rows[rows.count - 1].group = option.group
    }
    return rows
  }
}
