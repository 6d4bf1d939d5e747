// The command line by the rules of GNU getopt_long, less its guesses: long options with `=` or the next argument
// for a value, short ones that may be clustered, options anywhere before `--`, `-` an operand. No abbreviations and
// no optional values.

/// The parsed command line: options in their order, and operands.
public struct Invocation<Option: ToolOption>: Sendable {
  public var options: [(option: Option, value: [UInt8])] = []
  public var operands: [[UInt8]] = []
  /// The options that `Tool` itself answers, likewise in order.
  var common: [(option: CommonOption, value: [UInt8])] = []
}

enum ArgumentParser<Option: ToolOption> {
  private enum Known {
    case own(Option)
    case common(CommonOption)

    var spec: OptionSpec {
      switch self {
      case .own(let option): option.spec
      case .common(let option): option.spec
      }
    }
  }

  private static var table: [Known] { Option.allCases.map(Known.own) + CommonOption.allCases.map(Known.common) }

  /// - Throws: a usage error that names what was typed.
  static func parse(_ arguments: [[UInt8]]) throws(ToolError) -> Invocation<Option> {
    var result = Invocation<Option>()
    let table = table
    var rest = arguments[...]

    func take(_ known: Known, _ typed: String, attached: [UInt8]?) throws(ToolError) {
      var value: [UInt8] = []
      if let wanted = known.spec.value {
        guard let given = attached ?? rest.popFirst() else {
          throw .usage("option '\(typed)' needs a value (\(wanted.name))")
        }
        if case .words(let words) = wanted.completion, !words.contains(where: { Array($0.utf8) == given }) {
          throw .usage("option '\(typed)': expected \(wanted.name), found '\(quoted(given))'")
        }
        value = given
      } else if attached != nil {
        throw .usage("option '\(typed)' takes no value")
      }
      let isAgain = result.options.contains { $0.option.spec.name == known.spec.name }
      if isAgain, known.spec.value != nil, !known.spec.isRepeatable {
        throw .usage("option '--\(known.spec.name)' is given twice")
      }
      switch known {
      case .own(let option): result.options.append((option, value))
      case .common(let option): result.common.append((option, value))
      }
    }

    while let argument = rest.popFirst() {
      if argument == Array("--".utf8) {
        result.operands += rest
        break
      } else if argument.starts(with: Array("--".utf8)) {
        let body = argument.dropFirst(2)
        let cut = body.firstIndex(of: UInt8(ascii: "="))
        let name = Array(body[..<(cut ?? body.endIndex)])
        guard let known = table.first(where: { Array($0.spec.name.utf8) == name }) else {
          throw unknown(name, table)
        }
        try take(known, "--" + known.spec.name, attached: cut.map { Array(body[($0 + 1)...]) })
      } else if argument.count > 1, argument[0] == UInt8(ascii: "-") {
        var cluster = argument.dropFirst()
        while let letter = cluster.popFirst() {
          guard let known = table.first(where: { $0.spec.letter?.asciiValue == letter }) else {
            throw .usage("unknown option '-\(quoted([letter]))'")
          }
          let takesRest = known.spec.value != nil && !cluster.isEmpty
          try take(known, "-\(quoted([letter]))", attached: takesRest ? Array(cluster) : nil)
          if takesRest { break }
        }
      } else {
        result.operands.append(argument)
      }
    }
    return result
  }

  /// `unknown option '--folow'; did you mean '--follow'?`
  private static func unknown(_ name: [UInt8], _ table: [Known]) -> ToolError {
    let near = table.map { ($0.spec.name, distance(name, Array($0.spec.name.utf8))) }
      .filter { $0.1 <= max(1, $0.0.utf8.count / 3) || (name.count > 2 && Array($0.0.utf8).starts(with: name)) }
      .min { $0.1 < $1.1 }
    let hint = near.map { "; did you mean '--\($0.0)'?" } ?? ""
    return .usage("unknown option '--\(quoted(name))'" + hint)
  }

  /// The Levenshtein distance, in bytes, with a swap of neighbours as one step.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard a.count <= 64 else { return .max }
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
