/// `--help`: the forms, what the tool does, and a row for each option under the headings of the man page.
enum Help {
  static let width = 80

  static func text(of tool: ToolSpec) -> String {
    var lines: [String] = []
    for (index, form) in tool.synopsis.enumerated() {
      lines.append((index == 0 ? "Usage: " : "       ") + tool.name + " " + form)
    }
    lines.append(tool.summary + ".")
    let rows = tool.options.filter { !$0.group.isFolded }
    let column = min(28, (rows.map { heading($0).count }.max() ?? 0) + 2)
    for (group, options) in tool.groups {
      lines += ["", group.heading + ":"]
      if group.isFolded {
        lines += filled(options.map(\.synopsis), by: ", ", indent: "  ")
      } else {
        lines += options.flatMap { row($0, column) }
      }
    }
    lines.append("")
    lines.append("See the manual page \(tool.name)(1); feedutils(7) tells how the tools fit together.")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The option and its help text: beside it, or below it if that does not fit.
  private static func row(_ option: OptionSpec, _ column: Int) -> [String] {
    let heading = heading(option)
    let help = option.help + (option.defaultValue.map { " (\($0))" } ?? "")
    let gap = String(repeating: " ", count: max(2, column - heading.count))
    if heading.count + gap.count + help.count <= width { return [heading + gap + help] }
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
      if let last = lines.last, last.count + separator.count + item.count < width {
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
