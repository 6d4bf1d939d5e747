// The options that choose a form. Their rows exclude combinations that make no sense.

import FeedCore

extension Options {
  /// - Parameter namespaces: those that prefixes in paths stand for.
  func form(_ namespaces: [[UInt8]: [UInt8]]) throws(ToolFailure) -> Form {
    let fields = fields.map { $0.resolved(namespaces) }
    let id = id?.resolved(namespaces)
    let terminator = endsWithNull ? 0 : UInt8(ascii: "\n")
    if let files = files?.resolved(namespaces) {
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
      return .records(id: id, data: isJSON ? .json(try jsonForm(fields)) : .xml, stamp)
    }
    if isJSON { return .json(try jsonForm(fields)) }
    if fields.isEmpty { return .verbatim(terminator: terminator) }
    return .table(
      TableForm(
        columns: fields, joining: joining, isVerbose: isVerbose, style: isCSV ? .csv : .tabs,
        hasHeader: hasHeader || isCSV))
  }

  private func jsonForm(_ fields: [Column]) throws(ToolFailure) -> JSONForm {
    if fields.isEmpty {
      var json = ElementJSON()
      json.arrays = writesArrays ? nil : Set(arrays)
      json.isOrdered = isOrdered
      var names = JSONNames()
      names.style = hasLocalNames ? .local : hasExpandedNames ? .expanded : .written
      (names.textKey, names.attributePrefix, names.maxExpanded) = (textKey, attributePrefix, limits.maxToken)
      json.names = names
      return .whole(json)
    }
    if let twice = fields.indices.first(where: { n in fields[..<n].contains { $0.text == fields[n].text } }) {
      throw .usage("option '--fields': '\(quoted(fields[twice].text))' twice in an object")
    }
    return .fields(fields, joining, limit: limits.maxToken)
  }

  private var joining: Column.Joining? { separator.map { Column.Joining(separator: $0, limit: limits.maxToken) } }
}
