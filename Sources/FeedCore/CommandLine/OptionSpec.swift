// Options as data. A tool declares each option once, and its row holds all that is true of it. From the rows come the
// parser, its checks and messages, `--help`, the completions for three shells, and the test of the man page.

/// One row of an option table, without its setter: see `OptionRow`.
package struct OptionSpec: Sendable {
  /// The long name without its dashes.
  package let name: String
  /// The letter of the short form.
  package let letter: Character?
  private let form: (@Sendable () -> OptionValueForm)?
  /// One line for `--help` and the completions; no full stop.
  package let help: String
  /// Which setting the option changes. Relations name an option by it. Nil if none can.
  package internal(set) var setting: Setting?
  /// Names that the command line refuses, and for which its message suggests this option.
  package internal(set) var mistakenNames: [String] = []
  /// The value when the option is not given, as it would be typed; nil if it cannot be typed.
  package internal(set) var defaultValue: String?
  /// Whether it may be given more than once. For other options, a second value would silently replace the first.
  package internal(set) var isRepeatable = false
  /// What it has to do with other options.
  package internal(set) var relations: [OptionRelation] = []
  /// If the value is a file with further options: the name of the option that stands for the operand in that file.
  package internal(set) var operandInFile: String?
  /// Whether it may stand in such a file; nil if all options of its group may.
  package internal(set) var standsInFile: Bool?
  /// Nil for a row that is in no table yet.
  var heading: OptionGroup?

  /// The heading that it stands under.
  package var group: OptionGroup { heading ?? OptionGroup("Options") }

  init(
    name: String, letter: Character?, form: (@Sendable () -> OptionValueForm)?, help: String, setting: Setting? = nil
  ) {
    self.name = name
    self.letter = letter
    self.form = form
    self.help = help
    self.setting = setting
  }

  var takesValue: Bool { form != nil }
  /// What its value is called, and how it completes; nil if the option takes none.
  package var value: OptionValueForm? { form?() }

  /// A key path from the settings of the tool. It is made only when it is needed, since that costs more than the row.
  package typealias Setting = @Sendable () -> AnyKeyPath

  /// `-e` and `--expression`
  var typedNames: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--" + name] }
  /// `-e --expression JSON`
  var synopsis: String { (typedNames + (value.map { [$0.name] } ?? [])).joined(separator: " ") }
}

/// What is known of an option's value without parsing it.
package struct OptionValueForm: Sendable {
  /// As written in help and man page, in capitals: `FILE`. For a choice, its words: `a|b`.
  package let name: String
  package let completion: ValueCompletion

  /// What a shell offers where the value is typed.
  package enum ValueCompletion: Equatable, Sendable {
    case none
    case file
    /// The name of a program, and then its arguments.
    case command
    case words([String])
    /// Words that are a value or begin one.
    case beginnings([String])

    var words: [String]? {
      switch self {
      case .words(let words), .beginnings(let words): words
      case .none, .file, .command: nil
      }
    }
  }
}

/// Options under one heading in `--help` and in the man page, and what is true of all of them.
package struct OptionGroup: Sendable {
  /// The heading of the man page, without a colon.
  package let heading: String
  /// Whether `--help` lists only their names, because they are known from another program.
  package let isFolded: Bool
  package private(set) var relations: [OptionRelation] = []

  package static let output = OptionGroup("Options for output")
  package static let limits = OptionGroup("Limits")
  package static let ending = OptionGroup("Options for when to stop")

  package init(_ heading: String, isFolded: Bool = false) {
    (self.heading, self.isFolded) = (heading, isFolded)
  }

  /// The same group, for options that mean nothing without a URL.
  package func needs(_ place: @autoclosure @escaping OptionCondition.Maker) -> OptionGroup {
    with(OptionRelation(.needs) { [place()] })
  }

  /// The same group, for options that mean nothing without this option.
  package func needs<Settings>(
    _ setting: @autoclosure @escaping @Sendable () -> PartialKeyPath<Settings>
  ) -> OptionGroup {
    with(OptionRelation(.needs) { [OptionCondition(setting())] })
  }

  /// The same group, for options that this option makes meaningless.
  package func meaningless<Settings>(
    with setting: @autoclosure @escaping @Sendable () -> PartialKeyPath<Settings>
  ) -> OptionGroup {
    with(OptionRelation(.meaningless) { [OptionCondition(setting())] })
  }

  private func with(_ relation: OptionRelation) -> OptionGroup {
    var group = self
    group.relations.append(relation)
    return group
  }
}
