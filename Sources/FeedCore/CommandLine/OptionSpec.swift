// Options as data. A tool declares each option once, and all that is true of it stands in its row; from the rows come the
// parser, its checks and messages, `--help`, the completions of three shells, and the test of the man page.

/// One row of an option table.
///
///     OptionSpec("max-size", .size, "bytes of a document").default("1G")
///     OptionSpec("null", "0", "end each with NUL").needs("raw")
package struct OptionSpec: Sendable {
  /// The long name without its dashes.
  package let name: String
  /// The letter of the short form.
  package let letter: Character?
  /// What an option takes after it; nil for nothing.
  package let type: OptionType?
  /// Former names, which the command line still takes. Help and completions do not offer them; messages use `name`.
  package private(set) var synonyms: [String] = []
  /// One line for `--help` and the completions; no full stop.
  package let help: String
  /// What holds when the option is not given, written as a value; nil where that is nothing that could be typed.
  package private(set) var defaultValue: String?
  /// Whether it may be given more than once; of the others, a second value would silently take the place of the first.
  package private(set) var isRepeatable = false
  /// One of each list must be given too.
  package private(set) var needs: [[OptionCondition]] = []
  /// None of these may be given too, as they ask for something else.
  package private(set) var excludes: [OptionCondition] = []
  /// The options beside which this one has no meaning.
  package private(set) var meaningless: [OptionCondition] = []
  /// Where the value is a file with further options: what stands for the operand in there.
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

  /// The same row, of an option that had another name before.
  package func synonym(_ name: String) -> OptionSpec { with { $0.synonyms.append(name) } }
  /// The same row, of an option that may be given more than once.
  package var repeating: OptionSpec { with { $0.isRepeatable = true } }
  /// The same row, with what holds when the option is not given. The tool gets it as if it had been typed.
  package func `default`(_ value: String) -> OptionSpec { with { $0.defaultValue = value } }
  /// The same row, of an option that says nothing without one of `conditions`.
  package func needs(_ conditions: OptionCondition...) -> OptionSpec { with { $0.needs.append(conditions) } }
  /// The same row, of an option that contradicts each of `conditions`; only one of the two rows declares it.
  package func excludes(_ conditions: OptionCondition...) -> OptionSpec { with { $0.excludes += conditions } }
  /// The same row, of an option that says nothing in the modes that `conditions` choose.
  package func meaningless(with conditions: OptionCondition...) -> OptionSpec { with { $0.meaningless += conditions } }

  /// The same row, of an option whose value is a file with further options: those of its own group, but no such files.
  /// They come to the tool as if they had been typed in its place.
  /// - Parameter operand: what stands for an operand in the file.
  package func holdingOptions(operand: String) -> OptionSpec { with { $0.operandInFile = operand } }

  func with(_ change: (inout OptionSpec) -> Void) -> OptionSpec {
    var spec = self
    change(&spec)
    return spec
  }

  /// `-e --expression JSON`
  var synopsis: String { (letter.map { "-\($0) " } ?? "") + "--" + name + (type.map { " " + $0.name } ?? "") }
}

/// Options that stand together in `--help` and in the man page, and what is true of all of them.
package struct OptionGroup: Sendable {
  /// As in the man page, without a colon.
  package let heading: String
  /// Whether `--help` only lists their names, as they are known from another program.
  package let isFolded: Bool
  package private(set) var needs: [OptionCondition] = []
  package private(set) var meaningless: [OptionCondition] = []

  package static let output = OptionGroup("Options for output")
  package static let limits = OptionGroup("Limits")

  package init(_ heading: String, isFolded: Bool = false) {
    self.heading = heading
    self.isFolded = isFolded
  }

  /// The same group, of options that say nothing without one of `conditions`.
  package func needs(_ conditions: OptionCondition...) -> OptionGroup {
    var group = self
    group.needs = conditions
    return group
  }

  /// The same group, of options that say nothing in the modes that `conditions` choose.
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
  /// - Parameter others: what a tool that shares the table does not have.
  package static func rows(without others: [Self] = []) -> [OptionSpec] {
    var rows: [OptionSpec] = []
    for option in allCases where others.isEmpty || !others.contains(option) {
      rows.append(option.spec)
      rows[rows.count - 1].group = option.group
    }
    return rows
  }
}
