// xml-split's options: the table, and the settings that they make.

import FeedCore

package let xmlSplit = ToolSpec(
  "xml-split",
  """
  Print the elements of an XML stream that match a path, as they end.
  PATH is like /feed/entry, item, item[2], item[category='News'] or a|b
  """,
  synopsis: ["[options] PATH [FILE ...]"], options: Options.self)

/// The settings of a command line.
struct Options: OptionTable {
  /// The choices of --entities.
  enum EntityAction: String, CaseIterable { case error, literal }

  /// The choices of --on-error.
  enum ErrorAction: String, CaseIterable {
    case stop, skip
    /// Changes what can be repaired, and skips the rest.
    case repair
  }

  // The form of the output.
  var endsWithNull = false
  var isOneLine = false
  var inherits = true
  var isJSON = false
  var arrays: [[UInt8]] = []
  var isOrdered = false
  var hasLocalNames = false
  var hasExpandedNames = false
  var textKey: [UInt8] = []
  var attributePrefix: [UInt8] = []
  var fields: [Column] = []
  var isCSV = false
  var separator: [UInt8]?
  var isVerbose = false
  var isRecords = false
  var id: Field?
  private var entityAction = EntityAction.error
  var isCount = false
  var stamp = RecordStamp()

  // Which elements.
  var isNested = false
  /// By their prefixes in paths.
  private var namespaces: [[UInt8]: [UInt8]] = [:]
  private var having: [Field] = []
  /// How many elements to write.
  private(set) var limit = Int.max

  // Files that are written.
  var files: FileNamePattern?
  var perFile: FileLimit?
  var isWrapped = true
  var isDurable = false

  // The input.
  private(set) var isSingle = false
  private(set) var hasPrefixes = false
  /// The name of a root element, in UTF-8: its start tag inside such an element begins a document.
  private(set) var restartName: [UInt8]?
  /// What to do at malformed input.
  private(set) var atError = ErrorAction.stop

  private(set) var limits = XMLTokenizer.Limits()
  /// The most bytes of namespace declarations to add to an element. Otherwise each small element could become as large
  /// as all declarations around it.
  static let maxInherited = 64 << 10
  /// The most bytes of entities that are put into one element.
  static let maxEntityText = 1 << 20

  private(set) var conditions = ElementConditions.none
  private(set) var inputs: [InputFile] = []
  private(set) var sink: any ElementSink = CountSink()

  static let rows = OptionRows<Self> {
    OptionGroup.output
    Option("null", letter: "0", \.endsWithNull, "end each element with NUL")
      .excludes([\.isJSON, \.fields, \.isRecords])
    Option("one-line", \.isOneLine, "print each on one line").excludes([\.isJSON, \.fields, \.isRecords, \.files])
    Option("no-inherit", not: \.inherits, "add no namespace declarations").excludes([\.isJSON, \.fields])
    Option("as-json", letter: "j", \.isJSON, "print each as a line of JSON")
      .mistaken(for: "json")
    Option("array", .elementName, \.arrays, "JSON: write children of this name as an array; * is all").needs(\.isJSON)
      .excludes([\.isOrdered, \.fields])
    Option("ordered", \.isOrdered, "JSON: keep the order of children and text").needs(\.isJSON)
    Option("strip-prefixes", \.hasLocalNames, "JSON: write names without prefixes").needs(\.isJSON)
      .excludes([\.hasExpandedNames, \.fields])
    Option("namespaces", \.hasExpandedNames, "JSON: write names as {uri}name").needs(\.isJSON).excludes(\.fields)
    Option("text-key", .memberName, "JSON: the name of text in an object") { $0.textKey = $1 }.default("#text")
      .needs(\.isJSON).excludes([\.isOrdered, \.fields])
    Option("attr-prefix", .memberPrefix, "JSON: what comes before the names of attributes") { $0.attributePrefix = $1 }
      .default("@").needs(\.isJSON).excludes([\.isOrdered, \.fields])
    Option("fields", letter: "f", .fields, \.fields, "print the text at these paths, tab-separated") { $0 += $1 }
      .repeating.excludes(\.isOrdered)
    Option("csv", \.isCSV, "print the text as CSV, with the paths first").needs(\.fields).excludes(\.isJSON)
    Option("join", .separator, \.separator, "print all texts of a path, with this between them").needs(\.fields)
    Option("verbose", letter: "v", \.isVerbose, "report paths with several texts, or with none").needs(\.fields)
      .excludes(\.isJSON)
    Option("records", \.isRecords, "print event records")
    Option("id-from", .field, \.id, "take the id of each record from this path").needs(\.isRecords)
    Option("entities", .choice, "what to do with entities of a DTD") { $0.entityAction = $1 }.default("error")
    Option("count", \.isCount, "print only how many elements there are")
      .excludes([\.endsWithNull, \.isOneLine, \.inherits, \.isJSON, \.fields, \.isRecords, \.files])

    OptionGroup("Options for selecting elements")
    Option("nested", \.isNested, "print inner elements too, before the outer ones")
    Option("ns", .namespace, \.namespaces, "the namespace of a prefix in paths") { $0[$1.prefix] = $1.uri }
      .repeating
    Option("having", .field, \.having, "print only elements with a match for this path")
    Option("limit", letter: "n", .integer(1...), \.limit, "end after N elements")

    OptionGroup("Options for writing files")
    Option("files", .fileNames, \.files, "write each to a file: 'part-%05d.xml', '{@id}.xml'")
      .excludes([\.isJSON, \.fields, \.isRecords])
    Option("per-file", .fileLimit, \.perFile, "N elements in each file, in a root element, or a size: 10M")
      .needs(\.files)
    Option("no-wrap", not: \.isWrapped, "write no root element around the elements").needs(\.files)
    Option("durable", \.isDurable, "sync each file and its folder at once").needs(\.files)

    OptionGroup("Options for the input")
    Option("single", \.isSingle, "expect exactly one document in each input")
    Option("length-prefixed", \.hasPrefixes, "expect a line with its length before each document")
    Option("restart-at", .rootName, \.restartName, "begin a new document at this tag, inside such a root")
      .excludes([\.isSingle, \.hasPrefixes])
    Option("on-error", .choice, \.atError, "what to do at malformed input").default("stop")

    OptionGroup.limits
    Option("max-size", .size, "the most bytes of an element or a tag") { $0.limits.maxToken = $1 }.default("64M")
    Option("max-depth", .integer(1...), "the deepest nesting of elements") { $0.limits.maxDepth = $1 }.default("1000")

    OptionGroup.output
    RecordStamp.rows(\.stamp) { $0.needs(\.isRecords) }
  }

  /// Whether to keep references to undefined entities in elements whose content is examined.
  var keepsEntities: Bool { entityAction == .literal }

  /// Whether a form feed ends a document.
  var endsAtFormFeed: Bool { !isSingle && !hasPrefixes }

  init(_ invocation: Invocation) throws(ToolFailure) {
    try invocation.fill(&self)
    var operands = invocation.operands[...]
    guard let path = operands.popFirst() else { throw .usage("no PATH given") }
    if !InputGuess.hint(url: path).isEmpty {
      throw .usage("'\(quoted(path))' is a URL: http-cat URL | xml-split PATH, such as /feed/entry")
    }
    // A folder such as /media is no input.
    if operands.isEmpty || isSwapped(path, operands), Descriptor.Identity(path) != nil, !Descriptor.isFolder(path) {
      throw .usage("'\(quoted(path))' is a file: the path of the elements comes first, such as /feed/entry")
    }
    if !fields.isEmpty, let file = operands.first, XMLName.isName(file), !file.contains(UInt8(ascii: ".")),
      Descriptor.Identity(file) == nil
    {
      throw .usage("no file '\(quoted(file))': '--fields' takes paths with commas between them, such as title,link")
    }
    do {
      conditions = ElementConditions(
        path: try XMLPath(path).resolved(namespaces), having: having.map { $0.resolved(namespaces) })
    } catch { throw .usage("PATH: " + error.message) }
    sink = try makeSink()
    inherits = inherits && sink.isXML
    inputs = operands.isEmpty ? [.standardInput] : operands.map { InputFile($0) }
  }
}

extension Options {
  /// The output that the options choose. Their rows exclude combinations that make no sense.
  private func makeSink() throws(ToolFailure) -> any ElementSink {
    let columns = fields.map { Column($0, namespaces, separator: separator, limit: limits.maxToken) }
    let terminator = endsWithNull ? 0 : UInt8(ascii: "\n")
    if let files = files?.resolved(namespaces) {
      return FileSink(
        files, !isWrapped ? .bare : perFile == nil ? .document : .wrapped, perFile ?? .elements(1),
        isDurable: isDurable, keepsEntities: keepsEntities, terminator: terminator)
    }
    if isCount { return CountSink() }
    if isOneLine { return OneLineSink(terminator: terminator) }
    if isRecords {
      if !isJSON, !fields.isEmpty { throw .usage("options '--records' and '--fields' need '--as-json'") }
      return RecordSink(id: id?.resolved(namespaces), isJSON ? try jsonForm(columns) : nil, stamp)
    }
    if isJSON { return JSONSink(try jsonForm(columns)) }
    if fields.isEmpty { return VerbatimSink(terminator: terminator) }
    return TableSink(columns, isVerbose: isVerbose, isCSV: isCSV)
  }

  private func jsonForm(_ columns: [Column]) throws(ToolFailure) -> JSONForm {
    if columns.isEmpty {
      let names = JSONNames(
        hasLocalNames ? .local : hasExpandedNames ? .expanded : .written, attributePrefix: attributePrefix,
        textKey: textKey, maxExpanded: limits.maxToken)
      return JSONForm(
        ElementJSON(arrays: arrays.contains(Array("*".utf8)) ? nil : Set(arrays), isOrdered: isOrdered, names: names))
    }
    if let twice = columns.indices.first(where: { n in columns[..<n].contains { $0.text == columns[n].text } }) {
      throw .usage("option '--fields': '\(quoted(columns[twice].text))' twice in an object")
    }
    return JSONForm(columns)
  }
}

/// Whether PATH looks like a file, and the only file is none: `feed.xml item`.
private func isSwapped(_ path: [UInt8], _ files: ArraySlice<[UInt8]>) -> Bool {
  guard let file = files.first, files.count == 1, file != [UInt8(ascii: "-")] else { return false }
  return path.contains(UInt8(ascii: ".")) && Descriptor.Identity(file) == nil
}

extension OptionType<[UInt8]> {
  /// A name in JSON, perhaps with its namespace.
  fileprivate static let elementName = text("NAME", "the name of an element") { bytes in
    let end = bytes.first == UInt8(ascii: "{") ? bytes.lastIndex(of: UInt8(ascii: "}")) : nil
    return bytes == Array("*".utf8) || XMLName.isName(end.map { Array(bytes[($0 + 1)...]) } ?? bytes)
  }

  fileprivate static let memberName = text("NAME", "a name in valid UTF-8 without '{'") {
    !$0.isEmpty && isMemberText($0)
  }
  fileprivate static let separator = text("TEXT", "valid UTF-8") { $0.isUTF8 }
  fileprivate static let memberPrefix = text("TEXT", "valid UTF-8 without '{'") { isMemberText($0) }

  /// A brace begins a name with a namespace (--namespaces).
  private static func isMemberText(_ bytes: [UInt8]) -> Bool { bytes.isUTF8 && !bytes.contains(UInt8(ascii: "{")) }

  fileprivate static let rootName = Self("PATH") { bytes throws(OptionRefusal) in
    let name = Array(bytes.dropFirst())
    guard bytes.first == UInt8(ascii: "/"), XMLName.isName(name) else {
      throw .expected("a slash and the name of a root element", found: bytes)
    }
    return name
  }
}

extension OptionType<Field> {
  fileprivate static let field = Self("PATH") { bytes throws(OptionRefusal) in try Field(bytes) }
}

extension OptionType<[Column]> {
  fileprivate static let fields = Self("LIST") { bytes throws(OptionRefusal) in try Field.list(bytes) }
}

extension OptionType<FileNamePattern> {
  fileprivate static let fileNames = Self("PATTERN") { bytes throws(OptionRefusal) in try FileNamePattern(bytes) }
}

extension OptionType<FileLimit> {
  fileprivate static let fileLimit = Self("N") { bytes throws(OptionRefusal) in
    if bytes.last?.isDigit == true { return FileLimit.elements(try OptionType<Int>.integer(1...Int.max, in: bytes)) }
    do { return FileLimit.bytes(try OptionType<Int>.size(bytes)) } catch {
      throw .expected("a number of elements such as 1000, or a size such as 10M", found: bytes)
    }
  }
}

extension OptionType where Value == (prefix: [UInt8], uri: [UInt8]) {
  fileprivate static let namespace = Self("PREFIX=URI") { bytes throws(OptionRefusal) in
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "=")), mark + 1 < bytes.count,
      XMLName.isName(Array(bytes[..<mark])), !bytes[..<mark].contains(UInt8(ascii: ":"))
    else { throw .expected("PREFIX=URI", found: bytes) }
    return (Array(bytes[..<mark]), Array(bytes[(mark + 1)...]))
  }
}
