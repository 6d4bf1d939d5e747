// An error in an input. A parser knows neither where the input came from nor which options exist. It reports the error
// and its offset, and the tool makes a message of them.

/// A limit of ours that an input exceeded.
package enum Limit: Hashable, Sendable { case depth, size, operations }

/// An error that has a text.
package protocol MessageError: Error {
  /// Lower case, no full stop.
  var message: String { get }
  /// The limit that the input exceeded, if that is the error.
  var limit: Limit? { get }
}

/// An error at an offset in a text.
package protocol LocatedError: MessageError {
  /// In bytes from the start of the text.
  var offset: Int { get }
}

extension MessageError {
  package var limit: Limit? { nil }
}
