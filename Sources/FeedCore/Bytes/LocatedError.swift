// What is wrong with an input. A parser knows neither where the input came from nor which options there are: it says what
// and where, and the tool makes a message of it.

/// A limit of ours that an input has passed.
package enum Limit: Hashable, Sendable { case depth, size, operations }

/// An error in words.
package protocol MessageError: Error {
  /// Lower case, no full stop.
  var message: String { get }
  /// The limit that the input has passed, if that is the error.
  var limit: Limit? { get }
}

/// An error at a place of a text.
package protocol LocatedError: MessageError {
  /// In bytes from the start of the text.
  var offset: Int { get }
}

extension MessageError {
  package var limit: Limit? { nil }
}
