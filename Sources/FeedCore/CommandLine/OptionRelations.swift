// How options depend on each other: the checks that follow from the rows, and their messages.

/// Something that can be true of a command line, as rows name it: `follow` if that option is given, `type=merge-patch` if
/// it is given with this value, `URL` if what the tool reads is at a URL.
package struct OptionCondition: ExpressibleByStringLiteral, Hashable, Sendable {
  /// The long name of the option.
  package let name: String
  package let value: String?

  package static let url: OptionCondition = "URL"

  package init(stringLiteral text: String) {
    let mark = text.utf8.firstIndex(of: UInt8(ascii: "="))
    name = mark.map { String(text[..<$0]) } ?? text
    value = mark.map { String(text[$0...].dropFirst()) }
  }

  /// `'--type merge-patch'`
  package var words: String {
    self == .url ? "a URL to connect to" : "'--\(name)\(value.map { " " + $0 } ?? "")'"
  }
}

extension Invocation {
  func holds(_ condition: OptionCondition) -> Bool {
    if condition == .url { return readsURL }
    return given.contains { option in
      option.row.name == condition.name && (condition.value.map { Array($0.utf8) == option.value } ?? true)
    }
  }

  /// - Throws: an error about the first option that does not go with the others.
  func checkRelations() throws(ToolFailure) {
    // Whether a row goes with the others does not depend on its value. There may be very many with one name.
    var checked: Set<String> = []
    for option in given where checked.insert(option.row.name).inserted {
      let row = option.row
      for mode in row.group.meaningless + row.meaningless where holds(mode) {
        throw option.refused("option '--\(row.name)' has no meaning with \(mode.words)")
      }
      for other in row.excludes where holds(other) {
        throw option.refused("options '--\(row.name)' and \(other.words) exclude each other")
      }
      for needed in [row.group.needs] + row.needs where !needed.isEmpty && !needed.contains(where: holds) {
        throw option.refused("option '--\(row.name)' needs " + Self.list(needed))
      }
    }
  }

  /// `'--a', '--b' or '--c'`
  static func list(_ conditions: [OptionCondition]) -> String {
    let words = conditions.map(\.words)
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
