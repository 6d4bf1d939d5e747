// Options as data. A tool declares each option once; from these rows come the parser, `--help`, the completions of
// three shells and the check of the man page.

/// One row of an option table.
public struct OptionSpec: Sendable {
  /// What an option takes after it.
  public struct Value: Sendable {
    public enum Completion: Equatable, Sendable {
      case none
      case file
      case words([String])
      /// Words that a value can be or begin with; whether it is good is the tool's affair.
      case beginnings([String])
    }

    /// As written in help and man page, in capitals: `FILE`; for a choice its words, `a|b`.
    public let name: String
    public let completion: Completion

    public static func text(_ name: String) -> Value { Value(name: name, completion: .none) }
    public static func text(_ name: String, beginnings: [String]) -> Value {
      Value(name: name, completion: .beginnings(beginnings))
    }
    public static func file(_ name: String = "FILE") -> Value { Value(name: name, completion: .file) }
    public static func choice(_ words: String...) -> Value {
      Value(name: words.joined(separator: "|"), completion: .words(words))
    }
  }

  /// The long name without its dashes.
  public let name: String
  /// The letter of the short form.
  public let letter: Character?
  public let value: Value?
  /// One line for `--help` and the completions; no full stop.
  public let help: String
  /// A row of a group that several tools share, which `--help` lists by name only.
  public let isFolded: Bool
  /// Whether it may be given more than once; of the others, a second value would silently take the place of the first.
  public private(set) var isRepeatable = false

  public init(_ name: String, _ letter: Character? = nil, _ value: Value? = nil, folded: Bool = false, _ help: String) {
    self.name = name
    self.letter = letter
    self.value = value
    self.help = help
    isFolded = folded
  }

  /// The same row, of an option that may be given more than once.
  public var repeating: OptionSpec {
    var spec = self
    spec.isRepeatable = true
    return spec
  }

  /// `-e --expression JSON`
  public var synopsis: String {
    (letter.map { "-\($0) " } ?? "") + "--" + name + (value.map { " " + $0.name } ?? "")
  }
}

/// A tool's options: an enum with one case each, so that the switch that handles them is exhaustive.
public protocol ToolOption: CaseIterable, Equatable, Sendable where AllCases == [Self] {
  var spec: OptionSpec { get }
}

/// The options that every tool has; `Tool` handles them.
public enum CommonOption: ToolOption {
  case help, version, completion

  public static let allCases: [CommonOption] = [.help, .version, .completion]

  public var spec: OptionSpec {
    switch self {
    case .help: OptionSpec("help", "h", nil, "print this help and exit")
    case .version: OptionSpec("version", "V", nil, "print the version and exit")
    case .completion:
      OptionSpec("completion", nil, .choice("bash", "zsh", "fish"), "print the completion script for a shell and exit")
    }
  }
}

/// What a tool is called and takes: all that the help, the completions and the usage errors need.
public struct ToolSpec: Sendable {
  public let name: String
  /// One sentence on what it does; no full stop.
  public let summary: String
  /// The forms of the command line after the name.
  public let synopsis: [String]
  /// How operands complete.
  public let operands: OptionSpec.Value.Completion
  /// A line above the folded options of `--help`.
  public let foldedHeading: String
  /// Own rows in the order of the help, the common ones last.
  public let options: [OptionSpec]

  public init<Option: ToolOption>(
    _ name: String, _ summary: String, synopsis: [String], operands: OptionSpec.Value.Completion = .file,
    foldedHeading: String = "", options: Option.Type
  ) {
    self.name = name
    self.summary = summary
    self.synopsis = synopsis
    self.operands = operands
    self.foldedHeading = foldedHeading
    self.options = Option.allCases.map(\.spec) + CommonOption.allCases.map(\.spec)
  }

  public static let version = "0.1.0"
}
