// What the media type of a response says about its body: one table for all tools.

/// The kinds of body that the tools tell apart.
package enum MediaKind: Equatable, Sendable {
  case eventStream
  /// One JSON document.
  case json
  /// A JSON document on each line (NDJSON), perhaps with RS before it (RFC 7464).
  case jsonLines
  case xml
  case html
  case other

  /// - Parameter mediaType: in lower case and without parameters; nil if the response has none.
  package init(_ mediaType: String?) {
    switch mediaType ?? "" {
    case "text/event-stream": self = .eventStream
    case "application/json", "text/json": self = .json
    case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
      "application/jsonlines", "application/json-lines", "application/x-json-stream", "application/stream+json",
      "application/json-seq":
      self = .jsonLines
    case "application/xml", "text/xml": self = .xml
    case "text/html", "application/xhtml+xml": self = .html
    case let type where type.hasSuffix("+json-seq"): self = .jsonLines
    case let type where type.hasSuffix("+json"): self = .json
    case let type where type.hasSuffix("+xml"): self = .xml
    default: self = .other
    }
  }

  package init(_ head: HTTPHead) { self.init(head.mediaType) }

  /// The tool that reads such a body, for the end of a message: ` (sse-cat reads it)`. Empty if there is none.
  package var reader: String {
    switch self {
    case .eventStream: " (sse-cat reads it)"
    case .json: " (http-cat reads it)"
    case .jsonLines: " (http-cat --stream reads it)"
    case .xml: " (xml-split reads it)"
    case .html, .other: ""
    }
  }
}
