// How the `data` of an event record holds received data: one rule for all tools that print such records, and its
// option, `--data-as`.

/// How received data is held in the member `data`.
package enum PayloadForm: String, CaseIterable, Sendable {
  /// Objects and arrays are embedded as received, without the white space between tokens; everything else is a string.
  case auto
  /// Every JSON value is embedded; data that is not JSON is an error.
  case json
  /// Always a string.
  case text
}

extension PayloadForm {
  /// Whether a record holds the data as a string; false if it holds the data as it came. Nil if a glance does not tell:
  /// then `document` decides.
  /// - Parameters:
  ///   - bytes: valid UTF-8 in the range.
  ///   - range: where the data is.
  package func isString(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool? {
    if self == .text { return true }
    if JSONGlance.isCompactContainer(bytes, range) { return false }
    return self == .auto && !Self.mayBeContainer(bytes, range) ? true : nil
  }

  private static func mayBeContainer(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound, bytes[index].isWhiteSpace { index += 1 }
    return index < range.upperBound && (bytes[index] == UInt8(ascii: "{") || bytes[index] == UInt8(ascii: "["))
  }

  /// The data as JSON if it is to be embedded; nil if it is to be a string.
  package func document(of data: [UInt8]) throws(FormatError) -> JSONDocument? {
    switch self {
    case .text: return nil
    case .auto:
      return Self.mayBeContainer(data.span, 0..<data.count) ? try? Self.parsed(data) : nil
    case .json: return try Self.parsed(data)
    }
  }

  /// The same for data that has been parsed already.
  /// - Parameter parsed: nil if the data is not JSON.
  package func document(of data: [UInt8], parsed: JSONDocument?) throws(FormatError) -> JSONDocument? {
    switch self {
    case .text: return nil
    case .auto: return parsed?.kind(0).isContainer == true ? parsed : nil
    case .json:
      if let parsed { return parsed }
      // Only parsing tells what is wrong with it.
      return try Self.parsed(data)
    }
  }

  /// Parses received data as JSON. Unlike in a file, a byte order mark is an error here (RFC 8259 §8.1).
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
  ///   - document: the data as JSON, by `PayloadForm.document(of:)`.
  package mutating func appendPayload(_ data: [UInt8], _ document: JSONDocument?) {
    guard let document else { return JSONString.write(data.span, to: &self) }
    if document.isCompact {
      append(data, document.root.range)
    } else {
      JSONWriter.writeCompact(JSONTree(document.root), to: &self)
    }
  }

  /// Writes the member `time`.
  /// - Parameter time: in microseconds since 1970; by default now.
  package mutating func appendTime(_ time: Int64 = Clock.now()) {
    append(",\"time\":\"")
    append(CivilTime(microseconds: time).text)
    append("\"")
  }
}
