// What can go wrong with the store, as a value.

import FeedCore

/// Why the store did not do what was asked.
struct StoreError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// Another process is writing and did not end in time.
    case busy
    /// The disk is full.
    case full
    /// The file is damaged.
    case corrupt
    /// The file or its folder cannot be written.
    case readOnly
    /// The file is no store: no database at all, or that of another program.
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

  /// What was read cannot be.
  static func damaged(_ what: String) -> StoreError { StoreError(.corrupt, "the store is damaged: \(what)") }
}
