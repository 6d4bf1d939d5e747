// What a body is: one JSON document, lines of JSON, or bytes of any kind. It decides how a body is checked, printed and
// compared with the one before.

import FeedCore
import FeedHTTP

/// The words of `--as`.
enum FormChoice: String, CaseIterable, Sendable { case auto, json, lines, bytes }

enum BodyForm: Equatable, Sendable {
  case json
  /// NDJSON: a document on each line.
  case lines
  case bytes

  /// By its media type, in lower case and without parameters.
  init(mediaType: String) {
    switch mediaType {
    case "application/json", "text/json": self = .json
    case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
      "application/jsonlines", "application/x-json-stream", "application/stream+json":
      self = .lines
    default: self = mediaType.hasSuffix("+json") ? .json : .bytes
    }
  }
}

/// What the bodies of a resource are. `--as auto` takes it from the first one and keeps to it: an HTML page in the place
/// of JSON is no change, but a failure.
struct BodyType: Equatable, Sendable {
  let form: BodyForm
  /// What a later body must be too, in lower case and without parameters; nil where the form alone counts.
  let mediaType: String?

  init(_ choice: FormChoice, _ head: HTTPHead) {
    switch choice {
    case .json: self.init(.json)
    case .lines: self.init(.lines)
    case .bytes: self.init(.bytes)
    case .auto: self.init(mediaType: head.mediaType ?? "")
    }
  }

  /// As a checkpoint has it.
  init(mediaType: String) {
    form = BodyForm(mediaType: mediaType)
    self.mediaType = mediaType
  }

  private init(_ form: BodyForm) {
    self.form = form
    mediaType = nil
  }

  /// What is wrong with the media type of a later body; nil when nothing is.
  func problem(_ head: HTTPHead) -> String? {
    guard let mediaType else { return nil }
    let found = head.mediaType ?? ""
    // JSON has many names.
    guard found != mediaType, form == .bytes || BodyForm(mediaType: found) != form else { return nil }
    func name(_ type: String) -> String { type.isEmpty ? "no content type" : quoted(type.utf8) }
    // The first body may have been the error page.
    let remedy = form == .bytes ? " (--as)" : ""
    return "expected \(name(mediaType)) as before, found \(name(found))" + remedy
  }
}
