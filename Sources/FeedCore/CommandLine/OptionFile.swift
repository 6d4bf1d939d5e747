// Files of options, in curl's format (`--config`): one option on a line, with its name as it is typed or without the
// dashes.
//
//     # a comment
//     header = "X-Key: s3cr\"t"
//     user-agent: me         # as header above, with a colon
//     --compressed
//     -H Accept:
//
// Such a file often holds secrets, so no message quotes its content.

/// One option in a file.
struct OptionLine: Equatable {
  /// The arguments as they would be typed.
  let arguments: [[UInt8]]
  /// The long name; nil if a letter is given.
  let name: [UInt8]?
  let value: [UInt8]?
  /// Where the option begins.
  let place: TextPlace
}

extension OptionLine {
  /// The options of a file, in their order.
  /// - Parameter source: the file's name in messages.
  static func parse(_ text: [UInt8], of source: String) throws(ToolFailure) -> [OptionLine] {
    var options: [OptionLine] = []
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let option = try OptionLine(line, number: index + 1, of: source) { options.append(option) }
    }
    return options
  }

  /// - Returns: nil if the line is empty or a comment.
  private init?(_ line: ArraySlice<UInt8>, number: Int, of source: String) throws(ToolFailure) {
    func place(_ index: Int) -> TextPlace { TextPlace(line: number, column: index - line.startIndex + 1) }
    func malformed(_ text: String, _ index: Int) -> ToolFailure {
      .failed(.error, text, source: source, place: place(index))
    }
    if let index = line.firstIndex(of: 0) { throw malformed("a NUL byte", index) }
    let text = line.drop(while: \.isSpaceOrControl)
    guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
    // A value can follow a letter directly, so only white space ends it.
    let isLetter = first == UInt8(ascii: "-") && !text.starts(with: "--".utf8)
    let word = text.prefix { !$0.isSpaceOrControl && (isLetter || !$0.isOptionSeparator) }
    let rest = text[word.endIndex...].drop { $0.isSpaceOrControl || !isLetter && $0.isOptionSeparator }
    value = try Self.value(rest, malformed)
    self.place = place(text.startIndex)
    let long = word.starts(with: "--".utf8) ? word.dropFirst(2) : word
    name = isLetter ? nil : Array(long)
    if isLetter {
      arguments = [Array(word)] + (value.map { [$0] } ?? [])
    } else {
      var option = Array("--".utf8) + long
      if let value { option += Array("=".utf8) + value }
      arguments = [option]
    }
  }

  private typealias Malformed = (_ text: String, _ index: Int) -> ToolFailure

  /// The value at the beginning of `text`, in quotes or up to white space; nil if there is none.
  private static func value(_ text: ArraySlice<UInt8>, _ malformed: Malformed) throws(ToolFailure) -> [UInt8]? {
    guard let first = text.first else { return nil }
    var value: [UInt8] = []
    var rest = text
    if first == UInt8(ascii: "\"") {
      (value, rest) = try quotedValue(text, malformed)
    } else {
      value = Array(text.prefix { !$0.isSpaceOrControl })
      rest = text.dropFirst(value.count)
    }
    let more = rest.drop(while: \.isSpaceOrControl)
    if let byte = more.first, byte != UInt8(ascii: "#") {
      let hint = first == UInt8(ascii: "\"") ? "" : "; a value with white space stands in quotes"
      throw malformed("expected the end of the line after the value" + hint, more.startIndex)
    }
    return value
  }

  /// - Parameter text: begins with a quote.
  private static func quotedValue(
    _ text: ArraySlice<UInt8>, _ malformed: Malformed
  ) throws(ToolFailure) -> ([UInt8], ArraySlice<UInt8>) {
    var value: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return (value, rest) }
      guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
        value.append(byte)
        continue
      }
      // A backslash before any other byte stands for that byte alone.
      switch letter {
      case UInt8(ascii: "t"): value.append(0x09)
      case UInt8(ascii: "n"): value.append(0x0A)
      case UInt8(ascii: "r"): value.append(0x0D)
      case UInt8(ascii: "v"): value.append(0x0B)
      default: value.append(letter)
      }
    }
    throw malformed("expected '\"' at the end of the value", text.startIndex)
  }
}

extension UInt8 {
  /// What can stand between the name of an option and its value.
  fileprivate var isOptionSeparator: Bool { self == UInt8(ascii: "=") || self == UInt8(ascii: ":") }
}

extension ToolSpec {
  /// The largest size of a file of options, in bytes. A larger one is probably another kind of file.
  static let optionFileLimit = 1 << 20

  /// What was typed, with each option that names a file of options replaced by the content of that file.
  func withOptionFiles(_ typed: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> Invocation {
    var whole = Invocation()
    whole.operands = typed.operands
    for option in typed.given {
      try whole.append(option)
      if let operand = option.row.operandInFile {
        try add(InputFile(option.value), of: option.row, operand: operand, to: &whole, streams)
      }
    }
    whole.readsURL = readsURL(whole.operands)
    return whole
  }

  private func add(
    _ file: InputFile, of holder: OptionSpec, operand: String, to whole: inout Invocation, _ streams: StandardStreams
  ) throws(ToolFailure) {
    let text = try file.readAll(
      streams, limit: Self.optionFileLimit, option: "the most that a file of options may have")
    for line in try OptionLine.parse(text, of: file.name) {
      do throws(ToolFailure) {
        if line.name == Array(operand.utf8) {
          guard let value = line.value, readsURL([value]) else { throw .usage("expected a URL") }
          whole.operands.append(value)
          continue
        }
        for option in try options(of: line, holder) {
          try whole.append(.init(row: option.row, value: option.value, origin: (file.name, line.place)))
        }
      } catch {
        throw .failed(.error, error.message, source: file.name, place: line.place)
      }
    }
  }

  private func options(of line: OptionLine, _ holder: OptionSpec) throws(ToolFailure) -> [Invocation.Given] {
    if let name = line.name, row(named: name) == nil { throw .usage("unknown option" + suggestion(for: name)) }
    let found = try parse(line.arguments)
    for row in found.given.map(\.row)
    where row.operandInFile != nil || !(row.standsInFile ?? (row.group.heading == holder.group.heading)) {
      throw .usage("option '--\(row.name)' cannot stand in a file; type it on the command line")
    }
    guard found.operands.isEmpty, let last = found.given.last, line.value == nil || last.row.takesValue else {
      throw .usage("expected one option, with a value if it takes one")
    }
    return found.given
  }
}
