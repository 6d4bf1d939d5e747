// The options that choose a form. Their rows exclude combinations that make no sense.

import FeedCore

struct FormOptions {
  let stamp: RecordStamp
  var terminator = UInt8(ascii: "\n")
  var isOneLine = false
  var isJSON = false
  var json = ElementJSON()
  var names = JSONNames()
  var fields: [Column] = []
  var hasHeader = false
  var isCSV = false
  var separator: [UInt8]?
  var isVerbose = false
  var maxSize = 0
  var isRecords = false
  var isCount = false
  var id: Field?
  var files: FileNamePattern?
  var perFile: FileLimit?
  var isWrapped = true
  var isDurable = false

  /// Replaces prefixes in paths by the namespaces that they stand for.
  mutating func resolve(_ namespaces: [[UInt8]: [UInt8]]) {
    fields = fields.map { $0.resolved(namespaces) }
    id = id?.resolved(namespaces)
    files = files?.resolved(namespaces)
  }

  func form() throws(ToolFailure) -> Form {
    if let files {
      let content: FileForm.Content =
        !isWrapped ? .bare : perFile == nil ? .document : .wrapped
      let limit = perFile ?? .elements(1)
      let form = FileForm(pattern: files, content: content, limit: limit, isDurable: isDurable)
      return .files(form, terminator: terminator)
    }
    if isCount { return .count }
    if isOneLine { return .oneLine(terminator: terminator) }
    if isRecords {
      if !isJSON, !fields.isEmpty { throw .usage("options '--records' and '--fields' need '--as-json'") }
      return .records(id: id, data: isJSON ? .json(try jsonForm()) : .xml, stamp)
    }
    if isJSON { return .json(try jsonForm()) }
    if fields.isEmpty { return .verbatim(terminator: terminator) }
    return .table(
      TableForm(
        columns: fields, joining: joining, isVerbose: isVerbose, style: isCSV ? .csv : .tabs,
        hasHeader: hasHeader || isCSV))
  }

  private func jsonForm() throws(ToolFailure) -> JSONForm {
    if fields.isEmpty {
      var json = json
      json.names = names
      json.names.maxExpanded = maxSize
      return .whole(json)
    }
    if let twice = fields.indices.first(where: { n in fields[..<n].contains { $0.text == fields[n].text } }) {
      throw .usage("option '--fields': '\(quoted(fields[twice].text))' twice in an object")
    }
    return .fields(fields, joining, limit: maxSize)
  }

  private var joining: Column.Joining? { separator.map { Column.Joining(separator: $0, limit: maxSize) } }
}
