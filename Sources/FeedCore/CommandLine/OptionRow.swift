// A row of an option table with its setter, and the tables made of rows.

/// The settings that a command line makes, and the options that change them:
///
///     struct Options: OptionTable {
///       var limit = Int.max
///       var isRaw = false
///       var endsWithNull = false
///
///       static let rows = OptionRows<Options> {
///         OptionGroup.output
///         Option("raw", letter: "r", \.isRaw, "print only the data")
///         Option("null", letter: "0", \.endsWithNull, "end the data with NUL").needs(\.isRaw)
///         OptionGroup.limits
///         Option("limit", letter: "n", .integer(1...), \.limit, "end after N records")
///       }
///     }
///
/// Relations between options name them by their settings. A setting that does not exist and a value of the wrong type do
/// not compile. A test finds a relation to a setting that no option changes.
package protocol OptionTable {
  static var rows: OptionRows<Self> { get }
}

extension OptionTable {
  package typealias Option = OptionRow<Self>
}

/// One row of an option table.
package struct OptionRow<Settings>: Sendable {
  package internal(set) var spec: OptionSpec
  /// Sets what the option says, from a value as typed; the value is empty if the option takes none.
  let set: OptionRows<Settings>.Setter

  /// Makes the key path of a setting when it is needed, since that costs more than the row.
  package typealias Setting<Value> = @Sendable () -> WritableKeyPath<Settings, Value>

  // MARK: Options without a value

  /// An option that turns a setting on.
  package init(
    _ name: String, letter: Character? = nil, _ setting: @autoclosure @escaping Setting<Bool>, _ help: String
  ) {
    self.init(name, letter: letter, setting(), to: true, help)
  }

  /// An option that turns a setting off.
  package init(
    _ name: String, letter: Character? = nil, not setting: @autoclosure @escaping Setting<Bool>, _ help: String
  ) {
    self.init(name, letter: letter, setting(), to: false, help)
  }

  /// An option that gives a setting one value. Other options may give it others.
  package init<Value: Sendable>(
    _ name: String, letter: Character? = nil, _ setting: @autoclosure @escaping Setting<Value>, to value: Value,
    _ help: String
  ) {
    self.init(name, letter, nil, setting, help) { (settings, _) in settings[keyPath: setting()] = value }
  }

  /// An option that asks for what is so in any case.
  package init(alwaysOn name: String, letter: Character? = nil, _ help: String) {
    spec = OptionSpec(name: name, letter: letter, form: nil, help: help)
    set = { (_, _) in }
  }

  // MARK: Options with a value

  /// An option whose value is the setting.
  package init<Value>(
    _ name: String, letter: Character? = nil, _ type: OptionType<Value>,
    _ setting: @autoclosure @escaping Setting<Value>, _ help: String
  ) {
    self.init(name, letter, type, setting, help) { $0 = $1 }
  }

  /// An option whose value is the setting, which is nil without it.
  package init<Value>(
    _ name: String, letter: Character? = nil, _ type: OptionType<Value>,
    _ setting: @autoclosure @escaping Setting<Value?>, _ help: String
  ) {
    self.init(name, letter, type, setting, help) { $0 = $1 }
  }

  /// An option that may be given more than once. Each adds a value.
  package init<Value>(
    _ name: String, letter: Character? = nil, _ type: OptionType<Value>,
    _ setting: @autoclosure @escaping Setting<[Value]>, _ help: String
  ) {
    self.init(name, letter, type, setting, help) { $0.append($1) }
    spec.isRepeatable = true
  }

  /// The same, for values that messages quote.
  package init<Value>(
    _ name: String, letter: Character? = nil, _ type: OptionType<Value>,
    _ setting: @autoclosure @escaping Setting<[Typed<Value>]>, _ help: String
  ) {
    self.init(name, letter, { type.form }, setting, help) { (settings, bytes) throws(OptionRefusal) in
      settings[keyPath: setting()].append(Typed(value: try type.parse(bytes), text: bytes))
    }
    spec.isRepeatable = true
  }

  /// An option that sets its value by a closure. Other rows cannot name it. A row with a default has a closure if it can,
  /// because at each start a closure costs less than a key path.
  package init<Value>(
    _ name: String, letter: Character? = nil, _ type: OptionType<Value>, _ help: String,
    set: @escaping @Sendable (inout Settings, Value) -> Void
  ) {
    spec = OptionSpec(name: name, letter: letter, form: { type.form }, help: help)
    self.set = { (settings, bytes) throws(OptionRefusal) in set(&settings, try type.parse(bytes)) }
  }

  /// An option whose value changes the setting in a way of its own.
  package init<Value, Changed>(
    _ name: String, letter: Character? = nil, _ type: OptionType<Value>,
    _ setting: @autoclosure @escaping Setting<Changed>, _ help: String,
    change: @escaping @Sendable (inout Changed, Value) -> Void
  ) {
    self.init(name, letter, type, setting, help, change: change)
  }

  /// An option whose value is a file with further options: those of its group, unless they say otherwise (`notInFiles`),
  /// and others that say so (`inFiles`), but no such files. The tool gets these options as if they had been typed in its place.
  /// - Parameter operand: the name that stands for an operand in the file.
  package init(fileOfOptions name: String, letter: Character? = nil, operand: String, _ help: String) {
    spec = OptionSpec(name: name, letter: letter, form: { OptionType.file.form }, help: help)
    spec.isRepeatable = true
    spec.operandInFile = operand
    set = { (_, _) in }
  }

  private init<Value, Changed>(
    _ name: String, _ letter: Character?, _ type: OptionType<Value>, _ setting: @escaping Setting<Changed>,
    _ help: String, change: @escaping @Sendable (inout Changed, Value) -> Void
  ) {
    self.init(name, letter, { type.form }, setting, help) { (settings, bytes) throws(OptionRefusal) in
      change(&settings[keyPath: setting()], try type.parse(bytes))
    }
  }

  private init<Value>(
    _ name: String, _ letter: Character?, _ form: (@Sendable () -> OptionValueForm)?,
    _ setting: @escaping Setting<Value>, _ help: String, set: @escaping OptionRows<Settings>.Setter
  ) {
    spec = OptionSpec(name: name, letter: letter, form: form, help: help, setting: { setting() })
    self.set = set
  }

  init(_ spec: OptionSpec, set: @escaping OptionRows<Settings>.Setter) {
    self.spec = spec
    self.set = set
  }

  /// The same row in a table that has these settings as a part.
  package func within<Whole>(_ part: @autoclosure @escaping OptionRow<Whole>.Setting<Settings>) -> OptionRow<Whole> {
    var spec = spec
    if let setting = spec.setting { spec.setting = { part().joined(setting()) } }
    spec.relations = spec.relations.map { $0.within { part() } }
    return OptionRow<Whole>(spec) { (whole, bytes) throws(OptionRefusal) in
      try set(&whole[keyPath: part()], bytes)
    }
  }

  // MARK: What is true of an option

  /// The same row, for an option that has another name in another program. That name may be an option of ours with
  /// another meaning.
  package func mistaken(for name: String) -> Self { with { $0.mistakenNames.append(name) } }
  /// The same row, for an option that may be given more than once.
  package var repeating: Self { with { $0.isRepeatable = true } }
  /// The same row, for an option that may stand in a file of options of another group.
  package var inFiles: Self { with { $0.standsInFile = true } }
  /// The same row, for an option that must be typed. A file that somebody else has made must run no command and write no
  /// file.
  package var notInFiles: Self { with { $0.standsInFile = false } }
  /// The same row, with the value when the option is not given. The tool gets this value as if it had been typed.
  package func `default`(_ value: String) -> Self { with { $0.defaultValue = value } }

  package typealias Other = @Sendable () -> PartialKeyPath<Settings>
  package typealias Others = @Sendable () -> [PartialKeyPath<Settings>]

  /// The same row, for an option that means nothing without the other one.
  package func needs(_ other: @autoclosure @escaping Other) -> Self {
    adding(.needs) { [OptionCondition(other())] }
  }
  /// The same row, for an option that means nothing without one of the others.
  package func needs(anyOf others: @autoclosure @escaping Others) -> Self {
    adding(.needs) { others().map { OptionCondition($0) } }
  }
  /// The same row, for an option that means nothing without a URL or one of the others.
  package func needs(
    _ place: @autoclosure @escaping OptionCondition.Maker, or others: @autoclosure @escaping Others = []
  ) -> Self {
    adding(.needs) { [place()] + others().map { OptionCondition($0) } }
  }

  /// The same row, for an option that contradicts the other one. Only one of the two rows declares it.
  package func excludes(_ other: @autoclosure @escaping Other) -> Self {
    adding(.excludes) { [OptionCondition(other())] }
  }
  /// The same row, for an option that contradicts each of the others.
  package func excludes(_ others: @autoclosure @escaping Others) -> Self {
    adding(.excludes) { others().map { OptionCondition($0) } }
  }
  /// The same row, for an option that contradicts one choice of the other one.
  package func excludes<Choice: OptionChoice>(
    _ other: @autoclosure @escaping @Sendable () -> KeyPath<Settings, Choice>, _ choice: Choice
  ) -> Self {
    adding(.excludes) { [OptionCondition(other(), choice.rawValue)] }
  }

  /// The same row, for an option that means nothing with a URL.
  package func meaningless(with place: @autoclosure @escaping OptionCondition.Maker) -> Self {
    adding(.meaningless) { [place()] }
  }
  /// The same row, for an option that means nothing in the mode that the other one chooses.
  package func meaningless(with other: @autoclosure @escaping Other) -> Self {
    adding(.meaningless) { [OptionCondition(other())] }
  }
  /// The same row, for an option that means nothing in the modes that the others choose.
  package func meaningless(with others: @autoclosure @escaping Others) -> Self {
    adding(.meaningless) { others().map { OptionCondition($0) } }
  }
  /// The same row, for an option that means nothing with one choice of the other one.
  package func meaningless<Choice: OptionChoice>(
    with other: @autoclosure @escaping @Sendable () -> KeyPath<Settings, Choice>, _ choice: Choice
  ) -> Self {
    adding(.meaningless) { [OptionCondition(other(), choice.rawValue)] }
  }

  private func adding(
    _ kind: OptionRelation.Kind, _ conditions: @escaping @Sendable () -> [OptionCondition]
  ) -> Self {
    with { $0.relations.append(OptionRelation(kind, conditions)) }
  }

  private func with(_ change: (inout OptionSpec) -> Void) -> Self {
    var row = self
    change(&row.spec)
    return row
  }
}

/// The rows of a table. Headings stand between them; rows of other tables keep the headings that they have.
@resultBuilder package struct OptionRows<Settings>: Sendable {
  package private(set) var specs: [OptionSpec] = []
  /// Those of the rows, in the same order.
  private var setters: [Setter] = []

  /// Sets what an option says, from a value as typed; the value is empty if the option takes none.
  typealias Setter = @Sendable (inout Settings, [UInt8]) throws(OptionRefusal) -> Void

  package init(@OptionRows<Settings> _ parts: () -> [OptionPart]) { add(parts(), under: nil) }

  private mutating func add(_ parts: [OptionPart], under outer: OptionGroup?) {
    var heading = outer
    for part in parts {
      switch part {
      case .heading(let group): heading = group
      case .row(let row):
        specs.append(row.spec)
        specs[specs.count - 1].heading = heading
        setters.append(row.set)
      case .parts(let parts): add(parts, under: heading)
      }
    }
  }

  /// Does what an option says.
  /// - Parameter index: that of its row.
  /// - Throws: a usage error that names the option.
  package func set(_ index: Int, _ settings: inout Settings, typed value: [UInt8]) throws(ToolFailure) {
    do { try setters[index](&settings, value) } catch {
      throw .usage("option '--\(specs[index].name)': \(error.message)")
    }
  }

  // MARK: The builder

  /// A piece of an option table, as the builder puts it together.
  package enum OptionPart: Sendable {
    case heading(OptionGroup)
    case row(OptionRow<Settings>)
    case parts([OptionPart])

    /// The same part of a table that has these settings as a part.
    package func within<Whole>(
      _ part: @autoclosure @escaping OptionRow<Whole>.Setting<Settings>,
      change: (OptionRow<Whole>) -> OptionRow<Whole> = { $0 }
    ) -> OptionRows<Whole>.OptionPart {
      switch self {
      case .heading(let group): .heading(group)
      case .row(let row): .row(change(row.within(part())))
      case .parts(let parts): .parts(parts.map { $0.within(part(), change: change) })
      }
    }
  }

  package static func buildExpression(_ heading: OptionGroup) -> OptionPart { .heading(heading) }
  package static func buildExpression(_ row: OptionRow<Settings>) -> OptionPart { .row(row) }
  package static func buildExpression(_ part: OptionPart) -> OptionPart { part }
  package static func buildOptional(_ parts: [OptionPart]?) -> OptionPart { .parts(parts ?? []) }
  package static func buildBlock(_ parts: OptionPart...) -> [OptionPart] { parts }
  package static func buildFinalResult(_ parts: [OptionPart]) -> [OptionPart] { parts }
  package static func buildFinalResult(_ parts: [OptionPart]) -> OptionPart { .parts(parts) }
}
