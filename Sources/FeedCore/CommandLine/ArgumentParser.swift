// The command line by the rules of GNU getopt_long, without its guesses: long options with `=` or the next argument for
// a value, short options that may be clustered, options anywhere before `--` or the name of a command. `-` is an
// operand. No abbreviations and no optional values.

/// The parsed command line: options in their order, and operands.
package struct Invocation: Sendable {
  /// An option with its value as typed; the value is empty if the option takes none.
  struct Given: Sendable {
    let row: OptionSpec
    let value: [UInt8]
    /// The file that holds it, if it is not on the command line.
    var origin: (file: String, place: TextPlace)?

    /// An error about this option: a usage error, or an error in the file that holds it.
    func refused(_ text: String) -> ToolFailure {
      guard let origin else { return .usage(text) }
      return .failed(.error, text, source: origin.file, place: origin.place)
    }
  }

  /// In their order.
  private(set) var given: [Given] = []
  /// As typed, in their order; those in files of options stand after the typed ones.
  package internal(set) var operands: [[UInt8]] = []
  /// Whether the tool's input is at a URL.
  package internal(set) var readsURL = false

  /// Changes the settings of a table: first by the defaults of the options that are not given, then by those that are,
  /// in their order. Options of other tables are passed over.
  /// - Throws: a usage error about the first value that is not of its type.
  package func fill<Options: OptionTable>(_ settings: inout Options) throws(ToolFailure) {
    let table = Options.rows
    for (index, row) in table.specs.enumerated() {
      if let value = row.defaultValue, !isGiven(row.name) { try table.set(index, &settings, typed: Array(value.utf8)) }
    }
    for option in given {
      guard let index = table.specs.firstIndex(where: { $0.name == option.row.name }) else { continue }
      do { try table.set(index, &settings, typed: option.value) } catch { throw option.refused(error.message) }
    }
  }

  /// - Throws: if the option is there already, and a second value would replace the first.
  mutating func append(_ option: Given) throws(ToolFailure) {
    let row = option.row
    if row.takesValue, !row.isRepeatable, isGiven(row.name) {
      throw option.refused("option '--\(row.name)' is given twice")
    }
    given.append(option)
  }

  private func isGiven(_ name: String) -> Bool { given.contains { $0.row.name == name } }
}

extension ToolSpec {
  /// Parses the arguments. Files of options are not read yet.
  /// - Throws: a usage error that quotes the wrong argument.
  func parse(_ arguments: [[UInt8]]) throws(ToolFailure) -> Invocation {
    var result = Invocation()
    var rest = arguments[...]

    func take(_ row: OptionSpec, _ typed: String, attached: [UInt8]?) throws(ToolFailure) {
      var value = attached
      if row.takesValue {
        value = attached ?? rest.popFirst()
        if value == nil { throw .usage("option '\(typed)' needs a value (\(row.value?.name ?? ""))") }
      } else if attached != nil {
        throw .usage("option '\(typed)' takes no value")
      }
      try result.append(.init(row: row, value: value ?? []))
    }

    while let argument = rest.popFirst() {
      if argument == Array("--".utf8) {
        result.operands += rest
        break
      } else if argument.starts(with: Array("--".utf8)) {
        let body = argument.dropFirst(2)
        let cut = body.firstIndex(of: UInt8(ascii: "="))
        let name = Array(body[..<(cut ?? body.endIndex)])
        guard let row = row(named: name) else {
          throw .usage("unknown option '--\(quoted(name))'" + suggestion(for: name))
        }
        try take(row, "--" + row.name, attached: cut.map { Array(body[($0 + 1)...]) })
      } else if argument.count > 1, argument[0] == UInt8(ascii: "-") {
        var cluster = argument.dropFirst()
        while let letter = cluster.popFirst() {
          guard let row = options.first(where: { $0.letter?.asciiValue == letter }) else {
            throw .usage("unknown option '-\(quoted([letter]))'")
          }
          let takesRest = row.takesValue && !cluster.isEmpty
          try take(row, "-\(quoted([letter]))", attached: takesRest ? Array(cluster) : nil)
          if takesRest { break }
        }
      } else {
        result.operands.append(argument)
        // What follows the name of a command belongs to that command.
        if operands == .command {
          result.operands += rest
          break
        }
      }
    }
    result.readsURL = readsURL(result.operands)
    return result
  }

  func row(named name: [UInt8]) -> OptionSpec? {
    options.first { $0.name.utf8.elementsEqual(name) }
  }

  /// `; did you mean '--follow'?`, for a name that is close to that of an option.
  func suggestion(for name: [UInt8]) -> String {
    let names = options.flatMap { row in ([row.name] + row.mistakenNames).map { ($0, row.name) } }
    let near = names.map { (Array($0.utf8), $1) }.map { ($0, $1, editDistance(name, $0)) }
      .filter { $0.2 <= max(1, $0.0.count / 3) || (name.count > 1 && $0.0.starts(with: name)) }
      .min { $0.2 < $1.2 }
    return near.map { "; did you mean '--\($0.1)'?" } ?? ""
  }
}
