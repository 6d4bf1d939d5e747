// The errors of a walk, as values. Who is at fault depends on where the pages come from, so the exit status is chosen
// only when the error ends the tool.

import FeedCore

/// Why a walk cannot go on.
struct WalkError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The command line and the API do not fit together.
    case usage
    /// A page is not as expected.
    case page
    /// The same requests would be repeated without end.
    case loop
    /// A link leads to a forbidden place.
    case refused
  }

  let kind: Kind
  /// Lower case, no full stop, without secrets.
  let message: String
  /// Offset in the page's body, in bytes; nil if an offset would not help.
  let offset: Int?

  init(_ kind: Kind, _ message: String, at offset: Int? = nil) {
    self.kind = kind
    self.message = message
    self.offset = offset
  }

  /// - Parameter isLocal: whether the page came from standard input or a file.
  func status(isLocal: Bool) -> ExitStatus {
    kind == .usage || isLocal ? .error : .remote
  }

  /// - Parameters:
  ///   - source: `-`, or the page's URL without its secrets.
  ///   - page: the number of the page, from 1.
  ///   - position: the start of the body in the source.
  ///   - body: the page's bytes.
  func failure(
    in source: String, page: Int, isLocal: Bool, body: [UInt8] = [], from position: TextPlace = TextPlace()
  ) -> ToolFailure {
    if kind == .usage { return .usage(message) }
    return .failed(
      status(isLocal: isLocal), message, source: source, place: offset.map { position.place(of: $0, in: body) },
      record: "page \(page)")
  }
}
