// xml-split's options: the table, and the settings that they make.

import FeedCore

let xmlSplit = ToolSpec(
  "xml-split",
  """
  Print the elements of an XML stream that match a path, as they end.
  PATH is like /feed/entry, item, item[2], item[category='News'] or a|b
  """,
  synopsis: ["[options] PATH [FILE ...]"], options: Flag.self,
  sharing: StampOption.rows(in: Flag.records.group) { $0.needs("records") })

enum Flag: ToolOption {
  case null, oneLine, noInherit, asJSON, array, arrays, ordered
  case stripPrefixes, namespaces, textKey, attrPrefix
  case fields, headerRow, csv, join, verbose, records, id, entities, count
  case nested, ns, having, notHaving, limit
  case files, perFile, noWrap, durable
  case single, lengthPrefixed, restartAt, onError
  case maxSize, maxDepth, maxAttributes, maxInherited, maxEntityText

  var group: OptionGroup {
    switch self {
    case .null, .oneLine, .noInherit, .asJSON, .array, .arrays, .ordered, .stripPrefixes, .namespaces, .textKey,
      .attrPrefix, .fields, .headerRow, .csv, .join, .verbose, .records, .id, .entities, .count:
      .output
    case .nested, .ns, .having, .notHaving, .limit: OptionGroup("Options for selecting elements")
    case .files, .perFile, .noWrap, .durable: OptionGroup("Options for writing files")
    case .single, .lengthPrefixed, .restartAt, .onError: OptionGroup("Options for the input")
    case .maxSize, .maxDepth, .maxAttributes, .maxInherited, .maxEntityText: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .null: OptionSpec("null", "0", "end each element with NUL").excludes("as-json", "fields", "records")
    case .oneLine: OptionSpec("one-line", "print each on one line").excludes("as-json", "fields", "records", "files")
    case .noInherit: OptionSpec("no-inherit", "add no namespace declarations").excludes("as-json", "fields")
    case .asJSON:
      OptionSpec("as-json", "j", "print each as a line of JSON").excludes("header-row").mistaken(for: "json")
    case .array:
      OptionSpec("array", .elementName, "JSON: write children of this name as an array").repeating
        .needs("as-json").excludes("ordered", "fields")
    case .arrays:
      OptionSpec("arrays", "JSON: write all children as arrays").needs("as-json").excludes("ordered", "fields")
    case .ordered: OptionSpec("ordered", "JSON: keep the order of children and text").needs("as-json")
    case .stripPrefixes:
      OptionSpec("strip-prefixes", "JSON: write names without prefixes")
        .needs("as-json").excludes("namespaces", "fields")
    case .namespaces:
      OptionSpec("namespaces", "JSON: write names as {uri}name").needs("as-json").excludes("fields")
    case .textKey:
      OptionSpec("text-key", .memberName, "JSON: the name of text in an object").default("#text")
        .needs("as-json").excludes("ordered", "fields")
    case .attrPrefix:
      OptionSpec("attr-prefix", .memberPrefix, "JSON: what comes before the names of attributes").default("@")
        .needs("as-json").excludes("ordered", "fields")
    case .fields:
      OptionSpec("fields", "f", .fields, "print the text at these paths, tab-separated").repeating.excludes("ordered")
    case .headerRow: OptionSpec("header-row", "print the paths first").needs("fields")
    case .csv: OptionSpec("csv", "print the text as CSV, with the paths first").needs("fields").excludes("as-json")
    case .join:
      OptionSpec("join", .separator, "print all texts of a path, with this between them").needs("fields")
    case .verbose:
      OptionSpec("verbose", "v", "report paths with several texts, or with none").needs("fields").excludes("as-json")
    case .records: OptionSpec("records", "print event records")
    case .id: OptionSpec("id", .field, "take the id of each record from this path").needs("records")
    case .entities:
      OptionSpec("entities", .choice("error", "literal"), "what to do with entities of a DTD").default("error")
    case .count:
      OptionSpec("count", "print only how many elements there are")
        .excludes("null", "one-line", "no-inherit", "as-json", "fields", "records", "files")
    case .nested: OptionSpec("nested", "print inner elements too, before the outer ones")
    case .ns: OptionSpec("ns", .namespace, "the namespace of a prefix in paths").repeating
    case .having: OptionSpec("having", .field, "print only elements with a match for this path").repeating
    case .notHaving:
      OptionSpec("not-having", .field, "leave out elements with a match for this path").repeating
    case .limit: OptionSpec("limit", "n", .integer(1...Int.max), "end after N elements")
    case .files:
      OptionSpec("files", .fileNames, "write each to a file: 'part-%05d.xml', '{@id}.xml'")
        .excludes("as-json", "fields", "records")
    case .perFile:
      OptionSpec("per-file", .fileLimit, "N elements in each file, in a root element, or a size: 10M").needs("files")
    case .noWrap: OptionSpec("no-wrap", "write no root element around the elements").needs("files")
    case .durable: OptionSpec("durable", "sync each file and its folder at once").needs("files")
    case .single: OptionSpec("single", "expect exactly one document in each input")
    case .lengthPrefixed: OptionSpec("length-prefixed", "expect a line with its length before each document")
    case .restartAt:
      OptionSpec("restart-at", .rootName, "begin a new document at this tag, inside such a root")
        .excludes("single", "length-prefixed")
    case .onError:
      OptionSpec("on-error", .choice("stop", "skip", "repair"), "what to do at malformed input").default("stop")
    case .maxSize:
      OptionSpec("max-size", .size, "the most bytes of an element or a tag").default("64M").synonym("max-element")
    case .maxDepth: OptionSpec("max-depth", .integer(1...Int.max), "the deepest nesting of elements").default("1000")
    case .maxAttributes:
      OptionSpec("max-attributes", .integer(0...Int.max), "the most attributes of an element").default("10000")
    case .maxInherited:
      OptionSpec("max-inherited", .size, "the most bytes of declarations added to one element").default("64K")
    case .maxEntityText:
      OptionSpec("max-entity-text", .size, "the most bytes of entities put into one element").default("1M")
    }
  }
}

/// A namespace and its prefix in PATH.
struct NamespacePrefix: Sendable {
  let prefix: [UInt8]
  let uri: [UInt8]
}

extension OptionType {
  /// A name in JSON, perhaps with its namespace.
  fileprivate static let elementName = text("NAME", "the name of an element") { bytes in
    let end = bytes.first == UInt8(ascii: "{") ? bytes.lastIndex(of: UInt8(ascii: "}")) : nil
    return XMLName.isName(end.map { Array(bytes[($0 + 1)...]) } ?? bytes)
  }

  fileprivate static let memberName = text("NAME", "a name in valid UTF-8 without '{'") {
    !$0.isEmpty && isMemberText($0)
  }
  fileprivate static let separator = text("TEXT", "valid UTF-8") { $0.isUTF8 }
  fileprivate static let memberPrefix = text("TEXT", "valid UTF-8 without '{'") { isMemberText($0) }

  /// A brace begins a name with a namespace (--namespaces).
  private static func isMemberText(_ bytes: [UInt8]) -> Bool { bytes.isUTF8 && !bytes.contains(UInt8(ascii: "{")) }

  fileprivate static let rootName = OptionType("PATH") { bytes throws(OptionRefusal) in
    let name = Array(bytes.dropFirst())
    guard bytes.first == UInt8(ascii: "/"), XMLName.isName(name) else {
      throw .expected("a slash and the name of a root element", found: bytes)
    }
    return name
  }

  fileprivate static let field = OptionType("PATH") { bytes throws(OptionRefusal) in try Field(bytes) }
  fileprivate static let fields = OptionType("LIST") { bytes throws(OptionRefusal) in try Field.list(bytes) }
  fileprivate static let fileNames = OptionType("PATTERN") { bytes throws(OptionRefusal) in try FileNamePattern(bytes) }

  fileprivate static let fileLimit = OptionType("N") { bytes throws(OptionRefusal) in
    if bytes.last?.isDigit == true { return FileLimit.elements(try integer(1...Int.max, in: bytes)) }
    do { return FileLimit.bytes(try size(bytes)) } catch {
      throw .expected("a number of elements such as 1000, or a size such as 10M", found: bytes)
    }
  }

  fileprivate static let namespace = OptionType("PREFIX=URI") { bytes throws(OptionRefusal) in
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "=")), mark + 1 < bytes.count,
      XMLName.isName(Array(bytes[..<mark])), !bytes[..<mark].contains(UInt8(ascii: ":"))
    else { throw .expected("PREFIX=URI", found: bytes) }
    return NamespacePrefix(prefix: Array(bytes[..<mark]), uri: Array(bytes[(mark + 1)...]))
  }
}

/// The settings of a command line. Options that have a default get it from the table.
struct Options {
  let conditions: ElementConditions
  let inputs: [InputFile]
  let form: Form
  /// Whether to keep references to undefined entities in elements whose content is examined.
  private(set) var keepsEntities = false
  private(set) var inherits = true
  private(set) var isNested = false
  /// How many elements to write.
  private(set) var limit = Int.max
  private(set) var isSingle = false
  private(set) var hasPrefixes = false
  /// The name of a root element, in UTF-8: its start tag inside such an element begins a document.
  private(set) var restartName: [UInt8]?
  /// What to do at malformed input.
  private(set) var atError = ErrorAction.stop
  private(set) var limits = XMLTokenizer.Limits()
  /// The most bytes of namespace declarations to add to an element. Otherwise each small element could become as large
  /// as all declarations around it.
  private(set) var maxInherited = 0
  /// The most bytes of entities that are put into one element.
  private(set) var maxEntityText = 0

  enum ErrorAction: String {
    case stop, skip
    /// Changes what can be repaired, and skips the rest.
    case repair
  }

  /// Whether a form feed ends a document.
  var endsAtFormFeed: Bool { !isSingle && !hasPrefixes }

  init(_ invocation: Invocation) throws(ToolFailure) {
    var namespaces: [[UInt8]: [UInt8]] = [:]
    var having: [Field] = []
    var notHaving: [Field] = []
    var form = FormOptions(stamp: try RecordStamp(invocation))
    for (flag, value) in try invocation.options(Flag.self) {
      switch flag {
      case .null: form.terminator = 0
      case .oneLine: form.isOneLine = true
      case .noInherit: inherits = false
      case .nested: isNested = true
      case .ns:
        let namespace: NamespacePrefix = try value.get()
        namespaces[namespace.prefix] = namespace.uri
      case .having: having.append(try value.get())
      case .notHaving: notHaving.append(try value.get())
      case .limit: limit = try value.get()
      case .asJSON: form.isJSON = true
      case .array: form.json.arrays?.insert(value.bytes)
      case .arrays: form.json.arrays = nil
      case .ordered: form.json.isOrdered = true
      case .fields: form.fields += try value.get() as [Column]
      case .headerRow: form.hasHeader = true
      case .records: form.isRecords = true
      case .id: form.id = try value.get()
      case .stripPrefixes: form.names.style = .local
      case .namespaces: form.names.style = .expanded
      case .textKey: form.names.textKey = value.bytes
      case .attrPrefix: form.names.attributePrefix = value.bytes
      case .csv: form.isCSV = true
      case .join: form.separator = value.bytes
      case .verbose: form.isVerbose = true
      case .entities: keepsEntities = try value.get() == "literal"
      case .single: isSingle = true
      case .lengthPrefixed: hasPrefixes = true
      case .restartAt: restartName = try value.get()
      case .count: form.isCount = true
      case .onError:
        let action: String = try value.get()
        atError = ErrorAction(rawValue: action) ?? .stop
      case .files: form.files = try value.get()
      case .perFile: form.perFile = try value.get()
      case .noWrap: form.isWrapped = false
      case .durable: form.isDurable = true
      case .maxSize:
        limits.maxToken = try value.get()
        form.maxSize = limits.maxToken
      case .maxDepth: limits.maxDepth = try value.get()
      case .maxAttributes: limits.maxAttributes = try value.get()
      case .maxInherited: maxInherited = try value.get()
      case .maxEntityText: maxEntityText = try value.get()
      }
    }
    var operands = invocation.operands[...]
    guard let path = operands.popFirst() else { throw .usage("no PATH given") }
    // A folder such as /media is no input.
    if operands.isEmpty || isSwapped(path, operands), Descriptor.Identity(path) != nil, !Descriptor.isFolder(path) {
      throw .usage("'\(quoted(path))' is a file: the path of the elements comes first, such as /feed/entry")
    }
    if !form.fields.isEmpty, let file = operands.first, XMLName.isName(file), !file.contains(UInt8(ascii: ".")),
      Descriptor.Identity(file) == nil
    {
      throw .usage("no file '\(quoted(file))': '--fields' takes paths with commas between them, such as title,link")
    }
    do {
      conditions = ElementConditions(
        path: try XMLPath(path).resolved(namespaces), having: having.map { $0.resolved(namespaces) },
        notHaving: notHaving.map { $0.resolved(namespaces) })
    } catch { throw .usage("PATH: " + error.message) }
    form.resolve(namespaces)
    self.form = try form.form()
    inherits = inherits && self.form.isXML
    inputs = operands.isEmpty ? [.standardInput] : operands.map { InputFile($0) }
  }
}

/// Whether PATH looks like a file, and the only file is none: `feed.xml item`.
private func isSwapped(_ path: [UInt8], _ files: ArraySlice<[UInt8]>) -> Bool {
  guard let file = files.first, files.count == 1, file != [UInt8(ascii: "-")] else { return false }
  return path.contains(UInt8(ascii: ".")) && Descriptor.Identity(file) == nil
}
