/// A tool's name and what it takes: all that the parser, the help, the completions and the usage errors need.
package struct ToolSpec: Sendable {
  package let name: String
  /// One sentence on what it does; no full stop.
  package let summary: String
  /// The forms of the command line after the name.
  package let synopsis: [String]
  /// How operands complete.
  package let operands: OptionType.Completion
  /// Whether the operands name a URL, for options that need one.
  let readsURL: @Sendable ([[UInt8]]) -> Bool
  /// The tool's own rows first, the common ones last.
  package let options: [OptionSpec]

  /// - Parameter sharing: rows that the tool shares with others.
  package init<Option: ToolOption>(
    _ name: String, _ summary: String, synopsis: [String], operands: OptionType.Completion = .file,
    readsURL: @escaping @Sendable ([[UInt8]]) -> Bool = { _ in false }, options: Option.Type,
    sharing shared: [OptionSpec] = []
  ) {
    self.name = name
    self.summary = summary
    self.synopsis = synopsis
    self.operands = operands
    self.readsURL = readsURL
    self.options = Option.rows() + shared + CommonOption.rows()
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
enum CommonOption: ToolOption {
  case help, version, completion

  var spec: OptionSpec {
    switch self {
    case .help: OptionSpec("help", "h", "print this help and exit")
    case .version: OptionSpec("version", "V", "print the version and exit")
    case .completion:
      OptionSpec("completion", .choice(Completion.Shell.self), "print the completion script for a shell and exit")
    }
  }

  var group: OptionGroup { OptionGroup("Options of every tool") }
}
