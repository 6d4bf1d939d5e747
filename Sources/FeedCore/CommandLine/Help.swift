/// `--help`: the forms, one line on what the tool does, and a row for each option; made to fit one screen.
enum Help {
  static let width = 80

  static func text(of tool: ToolSpec) -> String {
    var lines: [String] = []
    for (index, form) in tool.synopsis.enumerated() {
      lines.append((index == 0 ? "Usage: " : "       ") + tool.name + " " + form)
    }
    lines.append(tool.summary + ".")
    lines.append("")

    let rows = tool.options.filter { !$0.isFolded }.map { (heading($0), $0.help) }
    let column = min(30, (rows.map { $0.0.count }.max() ?? 0) + 2)
    for (heading, help) in rows {
      if heading.count + 2 <= column {
        lines.append(heading.padded(to: column) + help)
      } else {
        // On the heading's line where it fits, below it where it does not.
        let line = heading + "  " + help
        lines += line.count <= width ? [line] : [heading, "".padded(to: column) + help]
      }
    }

    let folded = tool.options.filter(\.isFolded)
    if !folded.isEmpty {
      lines.append("")
      lines.append(tool.foldedHeading + ":")
      lines += wrapped(folded.map(\.synopsis))
    }
    lines.append("")
    lines.append("See the manual page \(tool.name)(1); feedutils(7) tells how the tools fit together.")
    return lines.joined(separator: "\n") + "\n"
  }

  /// `  -e, --expression JSON`, the long names in one column.
  private static func heading(_ option: OptionSpec) -> String {
    "  " + (option.letter.map { "-\($0), " } ?? "    ") + "--" + option.name
      + (option.value.map { " " + $0.name } ?? "")
  }

  private static func wrapped(_ items: [String]) -> [String] {
    var lines = ["  "]
    for (index, item) in items.enumerated() {
      let piece = item + (index + 1 < items.count ? ", " : "")
      if lines[lines.count - 1].count + piece.count > width { lines.append("  ") }
      lines[lines.count - 1] += piece
    }
    return lines.map { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
  }
}

extension String {
  func padded(to column: Int) -> String { self + String(repeating: " ", count: max(0, column - count)) }
}
