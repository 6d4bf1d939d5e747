// xml-split's options: the table, and the settings that they make.

import FeedCore

let xmlSplit = ToolSpec(
  "xml-split", "Print the elements of an XML stream that match a path, as they end",
  synopsis: ["[options] PATH [FILE ...]"], options: Flag.self,
  sharing: StampOption.rows(in: Flag.records.group) { $0.needs("records") })

enum Flag: ToolOption {
  case null, oneLine, noInherit, json, array, arrays, ordered, fields, headerRow, records, id, entities
  case nested, ns, having
  case files, perFile, noWrap
  case single, lengthPrefixed, restartAt, onError
  case maxSize, maxDepth, maxAttributes, maxInherited, maxEntityText

  var group: OptionGroup {
    switch self {
    case .null, .oneLine, .noInherit, .json, .array, .arrays, .ordered, .fields, .headerRow, .records, .id, .entities:
      .output
    case .nested, .ns, .having: OptionGroup("Options for selecting elements")
    case .files, .perFile, .noWrap: OptionGroup("Options for writing files")
    case .single, .lengthPrefixed, .restartAt, .onError: OptionGroup("Options for the input")
    case .maxSize, .maxDepth, .maxAttributes, .maxInherited, .maxEntityText: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .null: OptionSpec("null", "0", "end each element with NUL").excludes("json", "fields", "records")
    case .oneLine: OptionSpec("one-line", "print each on one line").excludes("json", "fields", "records", "files")
    case .noInherit: OptionSpec("no-inherit", "add no namespace declarations").excludes("json", "fields")
    case .json: OptionSpec("json", "j", "print each as a line of JSON").excludes("header-row")
    case .array:
      OptionSpec("array", .elementName, "JSON: write children of this name as an array").repeating
        .needs("json").excludes("ordered", "fields")
    case .arrays: OptionSpec("arrays", "JSON: write all children as arrays").needs("json").excludes("ordered", "fields")
    case .ordered: OptionSpec("ordered", "JSON: keep the order of children and text").needs("json")
    case .fields:
      OptionSpec("fields", "f", .fields, "print the text at these paths, tab-separated").repeating.excludes("ordered")
    case .headerRow: OptionSpec("header-row", "print the paths first").needs("fields")
    case .records: OptionSpec("records", "print event records")
    case .id: OptionSpec("id", .field, "take the id of each record from this path").needs("records")
    case .entities:
      OptionSpec("entities", .choice("error", "literal"), "what to do with entities of a DTD").default("error")
        .needs("json", "fields", "records", "having", "files")
    case .nested: OptionSpec("nested", "print inner elements too, before the outer ones")
    case .ns: OptionSpec("ns", .namespace, "the namespace of a prefix in PATH").repeating
    case .having: OptionSpec("having", .field, "print only elements with a match for this path").repeating
    case .files:
      OptionSpec("files", .fileNames, "write each to a file: 'part-%05d.xml', '{@id}.xml'")
        .excludes("json", "fields", "records")
    case .perFile:
      OptionSpec("per-file", .integer(1...Int.max), "write N elements to each file, in a root element").needs("files")
    case .noWrap: OptionSpec("no-wrap", "write no root element around the elements").needs("files")
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
  fileprivate static let elementName = text("NAME", "the name of an element") { XMLName.isName($0, .utf8) }

  fileprivate static let rootName = OptionType("PATH") { bytes throws(OptionRefusal) in
    let name = Array(bytes.dropFirst())
    guard bytes.first == UInt8(ascii: "/"), XMLName.isName(name, .utf8) else {
      throw .expected("a slash and the name of a root element", found: bytes)
    }
    return name
  }

  fileprivate static let field = OptionType("PATH") { bytes throws(OptionRefusal) in try Field(bytes) }
  fileprivate static let fields = OptionType("LIST") { bytes throws(OptionRefusal) in try Field.list(bytes) }
  fileprivate static let fileNames = OptionType("PATTERN") { bytes throws(OptionRefusal) in try FileNamePattern(bytes) }

  fileprivate static let namespace = OptionType("PREFIX=URI") { bytes throws(OptionRefusal) in
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "=")), mark + 1 < bytes.count,
      XMLName.isName(Array(bytes[..<mark]), .utf8), !bytes[..<mark].contains(UInt8(ascii: ":"))
    else { throw .expected("PREFIX=URI", found: bytes) }
    return NamespacePrefix(prefix: Array(bytes[..<mark]), uri: Array(bytes[(mark + 1)...]))
  }
}

/// The settings of a command line. Options that have a default get it from the table.
struct Options {
  let path: XMLPath
  let inputs: [InputFile]
  let form: Form
  let having: [Field]
  /// Whether to keep references to undefined entities in elements whose content is examined.
  private(set) var keepsEntities = false
  private(set) var inherits = true
  private(set) var isNested = false
  private(set) var isSingle = false
  private(set) var hasPrefixes = false
  /// The name of a root element, in UTF-8: its start tag inside such an element begins a document.
  private(set) var restartName: [UInt8]?
  private(set) var skipsErrors = false
  private(set) var repairsErrors = false
  private(set) var limits = XMLTokenizer.Limits()
  /// The most bytes of namespace declarations to add to an element. Otherwise each small element could become as large
  /// as all declarations around it.
  private(set) var maxInherited = 0
  /// The most bytes of entities that are put into one element.
  private(set) var maxEntityText = 0

  /// Whether a form feed ends a document.
  var endsAtFormFeed: Bool { !isSingle && !hasPrefixes }

  init(_ invocation: Invocation) throws(ToolFailure) {
    var namespaces: [[UInt8]: [UInt8]] = [:]
    var having: [Field] = []
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
      case .json: form.isJSON = true
      case .array: form.json.arrays?.insert(value.bytes)
      case .arrays: form.json.arrays = nil
      case .ordered: form.json.isOrdered = true
      case .fields: form.fields += try value.get() as [Field]
      case .headerRow: form.hasHeader = true
      case .records: form.isRecords = true
      case .id: form.id = try value.get()
      case .entities: keepsEntities = try value.get() == "literal"
      case .single: isSingle = true
      case .lengthPrefixed: hasPrefixes = true
      case .restartAt: restartName = try value.get()
      case .onError:
        let action: String = try value.get()
        repairsErrors = action == "repair"
        skipsErrors = action != "stop"
      case .files: form.files = try value.get()
      case .perFile: form.perFile = try value.get()
      case .noWrap: form.isWrapped = false
      case .maxSize: limits.maxToken = try value.get()
      case .maxDepth: limits.maxDepth = try value.get()
      case .maxAttributes: limits.maxAttributes = try value.get()
      case .maxInherited: maxInherited = try value.get()
      case .maxEntityText: maxEntityText = try value.get()
      }
    }
    var operands = invocation.operands[...]
    guard let path = operands.popFirst() else { throw .usage("no PATH given") }
    if operands.isEmpty, Descriptor.Identity(path) != nil {
      throw .usage("'\(quoted(path))' is a file: the path of the elements comes first, such as /feed/entry")
    }
    do { self.path = try XMLPath(path, namespaces: namespaces) } catch { throw .usage("PATH: " + error.message) }
    self.form = try form.form()
    self.having = having
    inputs = operands.isEmpty ? [.standardInput] : operands.map { InputFile($0) }
  }
}

/// The options that choose a form. Their rows exclude combinations that make no sense.
private struct FormOptions {
  let stamp: RecordStamp
  var terminator = UInt8(ascii: "\n")
  var isOneLine = false
  var isJSON = false
  var json = ElementJSON()
  var fields: [Field] = []
  var hasHeader = false
  var isRecords = false
  var id: Field?
  var files: FileNamePattern?
  var perFile: Int?
  var isWrapped = true

  func form() throws(ToolFailure) -> Form {
    if let files {
      let content: FileForm.Content =
        if !isWrapped { .bare(perFile ?? 1) } else if let perFile { .wrapped(perFile) } else { .document }
      return .files(FileForm(pattern: files, content: content), terminator: terminator)
    }
    if isOneLine { return .oneLine(terminator: terminator) }
    if isRecords {
      if !isJSON, !fields.isEmpty { throw .usage("options '--records' and '--fields' need '--json'") }
      return .records(id: id, data: isJSON ? .json(try jsonForm()) : .xml, stamp)
    }
    if isJSON { return .json(try jsonForm()) }
    return fields.isEmpty ? .verbatim(terminator: terminator) : .table(fields, hasHeader: hasHeader)
  }

  private func jsonForm() throws(ToolFailure) -> JSONForm {
    if fields.isEmpty { return .whole(json) }
    if let twice = fields.indices.first(where: { n in fields[..<n].contains { $0.text == fields[n].text } }) {
      throw .usage("option '--fields': '\(quoted(fields[twice].text))' twice in an object")
    }
    return .fields(fields)
  }
}
