// The errors of the store, as values.

import FeedCore

/// Why the store failed.
struct StoreError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// Another process kept the database locked for too long.
    case busy
    /// The disk is full.
    case full
    /// The file is damaged.
    case corrupt
    /// The file or its folder cannot be written.
    case readOnly
    /// The file is not a store: not a database, or that of another program.
    case foreign
    /// The file was made by a later version of the tool.
    case newer
    case other
  }

  let kind: Kind
  /// Lower case, no full stop.
  let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// A stored value is impossible.
  static func damaged(_ what: String) -> StoreError { StoreError(.corrupt, "the store is damaged: \(what)") }
}
