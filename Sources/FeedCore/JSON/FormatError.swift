/// Why a JSON value is not of the expected format, such as a patch or an event record.
package struct FormatError: LocatedError, Equatable, Sendable {
  package let message: String
  package let limit: Limit?
  /// In the document that contains the value.
  package let offset: Int

  package init(_ message: String, at value: JSONValue, limit: Limit? = nil) {
    self.init(message, at: value.range.lowerBound, limit: limit)
  }

  package init(_ message: String, at offset: Int, limit: Limit? = nil) {
    self.message = message
    self.limit = limit
    self.offset = offset
  }
}
