// xml-split's options: the table, and what they come to.

import FeedCore

let xmlSplit = ToolSpec(
  "xml-split", "Print the elements of an XML stream that a path names, as they end",
  synopsis: ["[options] PATH [FILE ...]"], options: Flag.self)

enum Flag: ToolOption {
  case null, noInherit, nested, ns, single
  case maxElement, maxDepth, maxAttributes

  var spec: OptionSpec {
    switch self {
    case .null: OptionSpec("null", "0", nil, "end each element with NUL")
    case .noInherit: OptionSpec("no-inherit", nil, nil, "add no namespace declarations")
    case .nested: OptionSpec("nested", nil, nil, "print inner elements too, and first")
    case .ns: OptionSpec("ns", nil, .text("PREFIX=URI"), "what a prefix in PATH stands for")
    case .single: OptionSpec("single", nil, nil, "insist on one document")
    case .maxElement: OptionSpec("max-element", nil, .text("SIZE"), "bytes of an element or of a tag (64M)")
    case .maxDepth: OptionSpec("max-depth", nil, .text("N"), "nesting of elements (1000)")
    case .maxAttributes: OptionSpec("max-attributes", nil, .text("N"), "attributes of an element (10000)")
    }
  }
}

struct Options {
  let path: XMLPath
  var files: [InputFile] = []
  var terminator = UInt8(ascii: "\n")
  var inherits = true
  var isNested = false
  var isSingle = false
  var limits = XMLTokenizer.Limits()

  init(_ invocation: Invocation<Flag>) throws(ToolError) {
    var namespaces: [[UInt8]: [UInt8]] = [:]
    for (flag, bytes) in invocation.options {
      let value = OptionValue(bytes, of: flag.spec)
      switch flag {
      case .null: terminator = 0
      case .noInherit: inherits = false
      case .nested: isNested = true
      case .ns:
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "=")), mark > 0, mark + 1 < bytes.count else {
          throw value.refused("PREFIX=URI")
        }
        namespaces[Array(bytes[..<mark])] = Array(bytes[(mark + 1)...])
      case .single: isSingle = true
      case .maxElement: limits.maxToken = try value.size()
      case .maxDepth: limits.maxDepth = try value.integer(1...Int.max)
      case .maxAttributes: limits.maxAttributes = try value.integer(0...Int.max)
      }
    }
    var operands = invocation.operands[...]
    guard let path = operands.popFirst() else { throw .usage("no PATH given") }
    if operands.isEmpty, Descriptor.Identity(path) != nil {
      throw .usage("'\(quoted(path))' is a file: the path of the elements comes first, such as /feed/entry")
    }
    do { self.path = try XMLPath(path, namespaces: namespaces) } catch { throw .usage("PATH: " + error.message) }
    files = operands.isEmpty ? [.standardInput] : operands.map { InputFile($0) }
  }
}
