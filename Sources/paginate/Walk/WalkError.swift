// What can go wrong on a walk, as a value. Whose fault it is depends on where the pages come from, so the exit status
// is only chosen when the error becomes the tool's.

import FeedCore

/// Why a walk cannot go on.
struct WalkError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The command line and the API do not fit together.
    case usage
    /// A page is not what it should be.
    case page
    /// The same request would be made again and again.
    case loop
    /// A link leads where it must not.
    case refused
  }

  let kind: Kind
  /// Lower case, no full stop, without secrets.
  let message: String
  /// Where in the page's body, in bytes; nil where no place would help.
  let offset: Int?

  init(_ kind: Kind, _ message: String, at offset: Int? = nil) {
    self.kind = kind
    self.message = message
    self.offset = offset
  }

  /// - Parameter isLocal: whether the page came from standard input or a file.
  func status(isLocal: Bool) -> ExitStatus {
    kind == .usage || isLocal ? .trouble : .otherEnd
  }

  /// - Parameters:
  ///   - source: `-`, or the page's URL without its secrets.
  ///   - page: which one it is, from 1.
  ///   - position: where the body began in the source.
  ///   - body: the page's bytes.
  func failure(
    in source: String, page: Int, isLocal: Bool, body: [UInt8] = [], from position: TextPosition = TextPosition()
  ) -> ToolFailure {
    if kind == .usage { return .usage(message) }
    return .failed(
      status(isLocal: isLocal), message, source: source, place: offset.map { position.place(of: $0, in: body) },
      record: "page \(page)")
  }
}
