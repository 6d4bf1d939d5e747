/// Why the store failed.
struct StoreError: Error, Equatable, Sendable {
  /// What a caller can do about it.
  enum Kind: Equatable, Sendable {
    /// Try again: another process kept the database locked for too long.
    case busy
    /// Read it otherwise: the file or its folder cannot be written.
    case readOnly
    case other
  }

  /// Lower case, no full stop.
  let message: String
  let kind: Kind

  init(_ message: String, _ kind: Kind = .other) { (self.message, self.kind) = (message, kind) }

  /// A stored value is impossible.
  static func damaged(_ what: String) -> StoreError { StoreError("the store is damaged: \(what)") }
}
