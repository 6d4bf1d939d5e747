/// A tool's name and what it takes: all that the parser, the help, the completions and the usage errors need.
package struct ToolSpec: Sendable {
  package let name: String
  /// One sentence on what it does; no full stop.
  package let summary: String
  /// The forms of the command line after the name.
  package let synopsis: [String]
  /// How operands complete.
  package let operands: OptionValueForm.ValueCompletion
  /// Whether the operands name a URL, for options that need one.
  let readsURL: @Sendable ([[UInt8]]) -> Bool
  /// The tool's own rows first, the common ones last.
  package let options: [OptionSpec]

  package init<Options: OptionTable>(
    _ name: String, _ summary: String, synopsis: [String], operands: OptionValueForm.ValueCompletion = .file,
    readsURL: @escaping @Sendable ([[UInt8]]) -> Bool = { _ in false }, options: Options.Type
  ) {
    self.name = name
    self.summary = summary
    self.synopsis = synopsis
    self.operands = operands
    self.readsURL = readsURL
    self.options = Options.rows.specs + CommonOptions.rows.specs
  }

  package static let version = "0.1.0"

  /// The options by groups, in the order of their first rows.
  package var groups: [(group: OptionGroup, options: [OptionSpec])] {
    var groups: [(group: OptionGroup, options: [OptionSpec])] = []
    for option in options {
      if let place = groups.firstIndex(where: { $0.group.heading == option.group.heading }) {
        groups[place].options.append(option)
      } else {
        groups.append((option.group, [option]))
      }
    }
    return groups
  }
}

/// The options that every tool has; `Tool` handles them.
struct CommonOptions: OptionTable {
  var wantsHelp = false
  var wantsVersion = false
  var completion: Completion.Shell?

  static let group = OptionGroup("Options of every tool")

  static let rows = OptionRows<Self> {
    group
    Option("help", letter: "h", \.wantsHelp, "print this help and exit")
    Option("version", letter: "V", \.wantsVersion, "print the version and exit")
    Option("completion", .choice, \.completion, "print the completion script for a shell and exit")
  }
}
