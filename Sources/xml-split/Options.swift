// xml-split's options: the table, and what they come to.

import FeedCore

let xmlSplit = ToolSpec(
  "xml-split", "Print the elements of an XML stream that a path names, as they end",
  synopsis: ["[options] PATH [FILE ...]"], options: Flag.self)

enum Flag: ToolOption {
  case null, oneLine, noInherit, nested, ns, having, single, lengthPrefixed, onError
  case json, array, arrays, ordered, fields, headerRow, records, id, entities
  case files, perFile, noWrap
  case maxElement, maxDepth, maxAttributes, maxInherited

  var spec: OptionSpec {
    switch self {
    case .null: OptionSpec("null", "0", nil, "end each element with NUL")
    case .oneLine: OptionSpec("one-line", nil, nil, "print each on one line")
    case .noInherit: OptionSpec("no-inherit", nil, nil, "add no namespace declarations")
    case .nested: OptionSpec("nested", nil, nil, "print inner elements too, and first")
    case .ns: OptionSpec("ns", nil, .text("PREFIX=URI"), "what a prefix in PATH stands for").repeating
    case .having: OptionSpec("having", nil, .text("PATH"), "only elements that have this in them").repeating
    case .json: OptionSpec("json", "j", nil, "print each as a line of JSON")
    case .array: OptionSpec("array", nil, .text("NAME"), "JSON: children of this name are always an array").repeating
    case .arrays: OptionSpec("arrays", nil, nil, "JSON: all children are arrays")
    case .ordered: OptionSpec("ordered", nil, nil, "JSON: a form that keeps the order")
    case .fields: OptionSpec("fields", "f", .text("LIST"), "print the text at these paths, tab-separated").repeating
    case .headerRow: OptionSpec("header-row", nil, nil, "with -f: print the paths first")
    case .records: OptionSpec("records", nil, nil, "print event records")
    case .id: OptionSpec("id", nil, .text("PATH"), "records: where the id is")
    case .entities: OptionSpec("entities", nil, .choice("error", "literal"), "JSON, fields: other entities")
    case .single: OptionSpec("single", nil, nil, "insist on one document")
    case .lengthPrefixed: OptionSpec("length-prefixed", nil, nil, "read the length of each document first")
    case .onError: OptionSpec("on-error", nil, .choice("stop", "skip"), "what a malformed element does")
    case .files: OptionSpec("files", nil, .text("PATTERN"), "write files: 'part-%05d.xml', '{@id}.xml'")
    case .perFile: OptionSpec("per-file", nil, .text("N"), "with --files: so many in each, in a root element")
    case .noWrap: OptionSpec("no-wrap", nil, nil, "with --files: nothing around them")
    case .maxElement: OptionSpec("max-element", nil, .text("SIZE"), "bytes of an element or of a tag (64M)")
    case .maxDepth: OptionSpec("max-depth", nil, .text("N"), "nesting of elements (1000)")
    case .maxAttributes: OptionSpec("max-attributes", nil, .text("N"), "attributes of an element (10000)")
    case .maxInherited: OptionSpec("max-inherited", nil, .text("SIZE"), "bytes of declarations added to one (64K)")
    }
  }
}

struct Options {
  let path: XMLPath
  var inputs: [InputFile] = []
  var terminator = UInt8(ascii: "\n")
  var inherits = true
  var isNested = false
  var isSingle = false
  var hasPrefixes = false
  var skipsErrors = false
  var writesOneLine = false
  var files: FileNamePattern?
  /// How many elements are in a file, where that was said.
  var filesSize: Int?
  /// Whether files are documents, or just hold elements.
  var isFileDocument = true
  var limits = XMLTokenizer.Limits()
  /// The most bytes of namespace declarations that are added to an element: a small element would otherwise come out as
  /// large as all that is declared around it, and so would the next.
  var maxInherited = 64 << 10
  var having: [Field] = []
  var fields: [Field] = []
  var id: Field?
  var isJSON = false
  var json = ElementJSON()
  var printsHeaderRow = false
  var printsRecords = false
  var keepsEntities = false

  init(_ invocation: Invocation<Flag>) throws(ToolError) {
    var namespaces: [[UInt8]: [UInt8]] = [:]
    for (flag, bytes) in invocation.options {
      let value = OptionValue(bytes, of: flag.spec)
      switch flag {
      case .null: terminator = 0
      case .oneLine: writesOneLine = true
      case .noInherit: inherits = false
      case .nested: isNested = true
      case .ns:
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "=")), mark + 1 < bytes.count,
          XMLName.isName(Array(bytes[..<mark]), .utf8), !bytes[..<mark].contains(UInt8(ascii: ":"))
        else { throw value.refused("PREFIX=URI") }
        namespaces[Array(bytes[..<mark])] = Array(bytes[(mark + 1)...])
      case .having: having.append(try Self.field(bytes, flag))
      case .json: isJSON = true
      case .array:
        guard XMLName.isName(bytes, .utf8) else { throw value.refused("the name of an element") }
        json.arrays?.insert(bytes)
      case .arrays: json.arrays = nil
      case .ordered: json.isOrdered = true
      case .fields:
        do { fields += try Field.list(bytes) } catch { throw .usage("option '--fields': \(error.message)") }
      case .headerRow: printsHeaderRow = true
      case .records: printsRecords = true
      case .id: id = try Self.field(bytes, flag)
      case .entities: keepsEntities = value.text == "literal"
      case .single: isSingle = true
      case .lengthPrefixed: hasPrefixes = true
      case .onError: skipsErrors = value.text == "skip"
      case .files:
        do { files = try FileNamePattern(bytes) } catch { throw .usage("option '--files': \(error.message)") }
      case .perFile: filesSize = try value.integer(1...Int.max)
      case .noWrap: isFileDocument = false
      case .maxElement: limits.maxToken = try value.size()
      case .maxDepth: limits.maxDepth = try value.integer(1...Int.max)
      case .maxAttributes: limits.maxAttributes = try value.integer(0...Int.max)
      case .maxInherited: maxInherited = try value.size()
      }
    }
    var operands = invocation.operands[...]
    guard let path = operands.popFirst() else { throw .usage("no PATH given") }
    if operands.isEmpty, Descriptor.Identity(path) != nil {
      throw .usage("'\(quoted(path))' is a file: the path of the elements comes first, such as /feed/entry")
    }
    do { self.path = try XMLPath(path, namespaces: namespaces) } catch { throw .usage("PATH: " + error.message) }
    try checkCombinations(invocation.options.map(\.option))
    inputs = operands.isEmpty ? [.standardInput] : operands.map { InputFile($0) }
  }

  /// Whether what is in an element has to be looked at once more.
  var needsTree: Bool {
    isJSON || !fields.isEmpty || !having.isEmpty || printsRecords || files?.usesValues == true
  }

  /// Whether the root element of a document stands around its elements in files.
  var wrapsFiles: Bool { files != nil && filesSize != nil && isFileDocument }

  private static func field(_ path: [UInt8], _ flag: Flag) throws(ToolError) -> Field {
    do { return try Field(path) } catch { throw .usage("option '--\(flag.spec.name)': \(error.message)") }
  }

  private func checkCombinations(_ given: [Flag]) throws(ToolError) {
    func need(_ flag: Flag, _ other: Flag) throws(ToolError) {
      if given.contains(flag), !given.contains(other) {
        throw .usage("option '--\(flag.spec.name)' needs '--\(other.spec.name)'")
      }
    }
    try need(.array, .json)
    try need(.arrays, .json)
    try need(.ordered, .json)
    try need(.headerRow, .fields)
    try need(.id, .records)
    try need(.perFile, .files)
    try need(.noWrap, .files)
    for (a, b) in [
      (Flag.fields, Flag.ordered), (.json, .headerRow), (.records, .null), (.json, .null), (.fields, .null),
      (.oneLine, .json), (.oneLine, .fields), (.oneLine, .records), (.oneLine, .files), (.files, .json),
      (.files, .fields), (.files, .records), (.array, .ordered), (.arrays, .ordered), (.array, .fields),
      (.arrays, .fields), (.noInherit, .json), (.noInherit, .fields),
    ]
    where given.contains(a) && given.contains(b) {
      throw .usage("options '--\(a.spec.name)' and '--\(b.spec.name)' exclude each other")
    }
    if given.contains(.entities), !needsTree, files == nil {
      throw .usage("option '--entities' is for JSON, fields, event records and files")
    }
    if isJSON, let twice = fields.indices.first(where: { n in fields[..<n].contains { $0.text == fields[n].text } }) {
      throw .usage("option '--fields': '\(quoted(fields[twice].text))' twice in an object")
    }
    if printsRecords, !fields.isEmpty, !isJSON { throw .usage("options '--records' and '--fields' need '--json'") }
  }
}
