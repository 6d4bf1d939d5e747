import Foundation
import TestSupport

/// An option as it is listed somewhere: in `--help`, in a man page, in the completions.
struct ListedOption: Hashable, CustomStringConvertible {
  var letter: String?
  /// Without the dashes.
  var name: String
  /// `FILE`; `a|b` for a choice; less any blanks; nil for an option without a value.
  var value: String?
  /// The words of a choice; nil for another value.
  var choice: [String]? {
    guard let value, value.contains("|"), value == value.lowercased() else { return nil }
    return value.split(separator: "|").map(String.init)
  }

  var description: String { (letter.map { "-\($0) " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "") }

  /// The letter and the name with their dashes.
  var words: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

/// The option table of a tool, read off its `--help`.
struct HelpTable {
  let lines: [String]
  let options: [ListedOption]

  init(of tool: String) throws {
    let result = try Command.shell("\(tool) --help")
    lines = result.text.components(separatedBy: "\n")
    options = lines.flatMap(Self.options)
  }

  /// The option of a row, `  -e, --expression JSON       the patch itself`, or those of a line of folded options,
  /// `  -u --user NAME, --netrc,`.
  private static func options(in line: String) -> [ListedOption] {
    guard line.hasPrefix("  "), line.contains("--") else { return [] }
    let row = /^  (?:(?:-(.), )|    )--([a-z0-9.-]+)(?: ([^ ]+))?(?:  .*)?$/
    if let match = line.wholeMatch(of: row) { return [option(match.1, match.2, match.3)] }
    let item = /^(?:-(.) )?--([a-z0-9.-]+)(?: (.+))?$/
    let items = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let matches = items.compactMap { $0.wholeMatch(of: item) }
    return matches.count == items.count ? matches.map { option($0.1, $0.2, $0.3) } : []
  }

  private static func option(_ letter: Substring?, _ name: Substring, _ value: Substring?) -> ListedOption {
    let value = value.map { $0.filter { $0 != " " } }
    return ListedOption(letter: letter.map(String.init), name: String(name), value: value)
  }
}
