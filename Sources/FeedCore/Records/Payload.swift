// How the `data` of an event record holds what came over a wire: the one rule of all tools that print records of it, and
// its option, `--data-as`.

package enum PayloadForm: String, CaseIterable, Sendable {
  /// Objects and arrays are embedded as they came, less the white space between tokens; everything else is a string.
  case auto
  /// Every JSON value is embedded, and what is none is an error.
  case json
  /// Always a string.
  case text
}

extension PayloadForm {
  /// The data as JSON if it is to be embedded as such; nil when it is to be a string.
  package func document(of data: [UInt8]) throws(FormatError) -> JSONDocument? {
    switch self {
    case .text: return nil
    case .auto:
      let first = data.first { !$0.isWhiteSpace }
      guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
      return try? Self.parsed(data)
    case .json: return try Self.parsed(data)
    }
  }

  /// The same of data that has been parsed already, by `parsed`.
  package func document(_ parsed: Result<JSONDocument, FormatError>) throws(FormatError) -> JSONDocument? {
    switch self {
    case .text: return nil
    case .auto:
      guard case .success(let document) = parsed, document.root.kind.isContainer else { return nil }
      return document
    case .json: return try parsed.get()
    }
  }

  /// The JSON document that is data of a wire, where a byte order mark is none (RFC 8259 §8.1), unlike in a file.
  package static func parsed(_ data: [UInt8]) throws(FormatError) -> JSONDocument {
    if data.first == 0xEF { throw FormatError("the data is not JSON: expected a JSON value, at byte 1 of it", at: 0) }
    do throws(JSONError) { return try JSONDocument(parsing: data) } catch {
      throw FormatError("the data is not JSON: \(error.message), at byte \(error.offset + 1) of it", at: error.offset)
    }
  }
}

extension ByteWriter {
  /// Writes the `data` of a record.
  /// - Parameters:
  ///   - data: valid UTF-8.
  ///   - document: of it, by `PayloadForm.document(of:)`.
  package mutating func appendPayload(_ data: [UInt8], _ document: JSONDocument?) {
    guard let document else { return JSONString.write(data.span, to: &self) }
    if document.isCompact {
      append(data, document.root.range)
    } else {
      JSONWriter.writeCompact(JSONTree(document.root), to: &self)
    }
  }

  /// Writes the member `time`.
  /// - Parameter time: in microseconds since 1970; this moment if it is left out.
  package mutating func appendTime(_ time: Int64 = Clock.now()) {
    append(",\"time\":\"")
    append(CivilTime(microseconds: time).text)
    append("\"")
  }
}
