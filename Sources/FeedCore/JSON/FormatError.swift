/// What makes a JSON value not what it should be: no patch, no event record.
public struct FormatError: LocatedError, Equatable, Sendable {
  public let message: String
  public let limit: Limit?
  /// In the document that the value is part of.
  public let offset: Int

  public init(_ message: String, at value: JSONValue, limit: Limit? = nil) {
    self.init(message, at: value.range.lowerBound, limit: limit)
  }

  public init(_ message: String, at offset: Int, limit: Limit? = nil) {
    self.message = message
    self.limit = limit
    self.offset = offset
  }
}
