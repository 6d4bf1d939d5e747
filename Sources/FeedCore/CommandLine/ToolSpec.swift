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

  /// Of all tools. Packages and tests read it from this line.
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
  var completion: Shell?

  static let group = OptionGroup("Options of every tool")

  static let rows = OptionRows<Self> {
    group
    Option("help", letter: "h", \.wantsHelp, "print this help and exit")
    Option("version", letter: "V", \.wantsVersion, "print the version and exit")
    Option("completion", .choice, \.completion, "print the completion script for a shell and exit")
  }
}

extension ToolSpec {
  /// No line of `--help` is longer.
  static let helpWidth = 80

  /// The text of `--help`: the forms, what the tool does, and a row for each option under the headings of the man page.
  var help: String {
    var lines: [String] = []
    for (index, form) in synopsis.enumerated() {
      lines.append((index == 0 ? "Usage: " : "       ") + name + " " + form)
    }
    lines.append(summary + ".")
    let rows = options.filter { !$0.group.isFolded }
    let column = min(28, (rows.map { Self.heading($0).count }.max() ?? 0) + 2)
    for (group, options) in groups {
      lines += ["", group.heading + ":"]
      if group.isFolded {
        lines += Self.filled(options.map(\.synopsis), by: ", ", indent: "  ")
      } else {
        lines += options.flatMap { Self.row($0, column) }
      }
    }
    lines.append("")
    lines.append("See the manual page \(name)(1); feedutils(7) tells how the tools fit together.")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The option and its help text: beside it, or below it if that does not fit.
  private static func row(_ option: OptionSpec, _ column: Int) -> [String] {
    let heading = heading(option)
    let help = option.help + (option.defaultValue.map { " (\($0))" } ?? "")
    let gap = String(repeating: " ", count: max(2, column - heading.count))
    if heading.count + gap.count + help.count <= helpWidth { return [heading + gap + help] }
    let indent = String(repeating: " ", count: column)
    let lines = filled(help.split(separator: " ").map(String.init), by: " ", indent: indent)
    guard heading.count + 2 <= column else { return [heading] + lines }
    return [heading + lines[0].dropFirst(heading.count)] + lines.dropFirst()
  }

  /// `  -e, --expression JSON`, the long names in one column.
  private static func heading(_ option: OptionSpec) -> String {
    "  " + (option.letter.map { "-\($0), " } ?? "    ") + "--" + option.name
      + (option.value.map { " " + $0.name } ?? "")
  }

  /// `items` in lines, with as many in each line as fit.
  private static func filled(_ items: [String], by separator: String, indent: String) -> [String] {
    var lines: [String] = []
    for item in items {
      if let last = lines.last, last.count + separator.count + item.count < helpWidth {
        lines[lines.count - 1] += separator + item
      } else {
        if let last = lines.last { lines[lines.count - 1] = (last + separator).trimmedRight }
        lines.append(indent + item)
      }
    }
    return lines
  }
}

extension String {
  fileprivate var trimmedRight: String { hasSuffix(" ") ? String(dropLast()) : self }
}
