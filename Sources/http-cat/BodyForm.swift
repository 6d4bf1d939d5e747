// The form of a body: one JSON document, lines of JSON, or bytes of any kind. The form decides how a body is checked,
// printed, and compared with the last one.

import FeedCore
import FeedHTTP

/// The values of `--as`.
enum BodyForm: String, CaseIterable, Sendable {
  /// That of the first body; no body has it.
  case auto
  case json
  /// NDJSON: a document on each line. RS may come before it (RFC 7464).
  case lines
  case bytes

  init(_ kind: MediaKind) {
    switch kind {
    case .json: self = .json
    case .jsonLines: self = .lines
    case .eventStream, .xml, .html, .other: self = .bytes
    }
  }
}

/// The type of a resource's bodies. `--as auto` learns it from the first body and keeps it: an HTML page instead of
/// JSON is a failure, not a change.
struct BodyType: Equatable, Sendable {
  let form: BodyForm
  /// The media type that later bodies must have, in lower case and without parameters; nil if only the form matters.
  let mediaType: String?

  init(_ choice: BodyForm, _ head: HTTPHead) {
    form = choice == .auto ? BodyForm(MediaKind(head)) : choice
    mediaType = choice == .auto ? head.mediaType ?? "" : nil
  }

  /// From the media type in a checkpoint.
  init(mediaType: String) {
    form = BodyForm(MediaKind(mediaType))
    self.mediaType = mediaType
  }

  /// The error in the media type of a later body; nil if it is right.
  func problem(_ head: HTTPHead) -> String? {
    guard let mediaType else { return nil }
    let found = head.mediaType ?? ""
    // JSON has several media types.
    guard found != mediaType, form == .bytes || BodyForm(MediaKind(found)) != form else { return nil }
    func name(_ type: String) -> String { type.isEmpty ? "no content type" : quoted(type.utf8) }
    // The first body may have been an error page.
    let remedy = form == .bytes ? " (--as)" : ""
    return "expected \(name(mediaType)) as before, found \(name(found))" + remedy
  }
}
