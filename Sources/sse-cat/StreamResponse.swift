// What kind of response a request for an event stream gets.

import FeedCore
import FeedHTTP

/// A response that is a success.
enum StreamResponse: Equatable {
  case stream
  /// A whole body: JSON, or nothing. A POST may be answered so: by servers that choose (MCP's "streamable HTTP"), by
  /// gateways with an error, and with 202.
  case whole
  /// - Parameter found: the media type.
  case other(found: String?)

  init(_ head: HTTPHead, to request: HTTPRequest) {
    let type = head.mediaType
    let isEmpty = head.value(of: "content-length") == [UInt8(ascii: "0")] || (head.status == 202 && type == nil)
    let kind = MediaKind(type)
    if kind == .eventStream {
      self = .stream
    } else if request.body != nil, isEmpty || kind == .json {
      self = .whole
    } else {
      self = .other(found: type)
    }
  }

  /// What is wrong with it (WHATWG HTML §9.2.3); nil if it can be read.
  var problem: String? {
    guard case .other(let found) = self else { return nil }
    let name = found.map { quoted($0.utf8) } ?? "no content type"
    return "expected text/event-stream, found \(name)\(MediaKind(found).reader)"
  }
}

/// Collects a whole body.
struct WholeBody: BodySink {
  var bytes: [UInt8] = []
  private let maxSize: Int
  private let source: String

  init(maxSize: Int, source: String) {
    self.maxSize = maxSize
    self.source = source
  }

  /// The body as the one event of a stream.
  var event: StreamEvent { StreamEvent(type: Array("message".utf8), id: [], data: bytes) }

  mutating func take(_ chunk: [UInt8]) throws(ToolFailure) -> BodyProgress {
    bytes += chunk
    if bytes.count > maxSize { throw .failed(.remote, "longer than \(maxSize) bytes (--max-size)", source: source) }
    return .more
  }

  mutating func flush() throws(ToolFailure) {}
}
