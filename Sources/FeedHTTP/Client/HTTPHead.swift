import FeedCore

/// The head of a response: its status and header fields.
package struct HTTPHead: Equatable, Sendable {
  /// One header field (RFC 9110 §5).
  package struct HeaderField: Equatable, Sendable {
    /// In lower case.
    package let name: String
    /// Without white space around it.
    package let value: [UInt8]
  }

  /// Three digits (RFC 9110 §15); 0 before the status line has come.
  package internal(set) var status = 0
  /// `1.1`, as in the status line.
  private var version: [UInt8] = []
  /// In the order of the head; a field may come several times.
  package internal(set) var fields: [HeaderField] = []
  /// The lines of the head as received, and the blank line after them.
  package private(set) var text: [UInt8] = []

  /// A head without fields, to judge a status that came another way.
  package init(status: Int = 0) { self.status = status }

  /// The value of the last field called `name` (in lower case).
  package func value(of name: String) -> [UInt8]? { fields.last { $0.name == name }?.value }

  /// The same, for a name as somebody has written it.
  package func value(ofField name: [UInt8]) -> [UInt8]? {
    value(of: String(decoding: name.lowercased, as: UTF8.self))
  }

  /// The target of a redirect: the first non-empty `Location`, as in curl.
  package var location: [UInt8]? { fields.first { $0.name == "location" && !$0.value.isEmpty }?.value }

  /// Whether it is a redirect that can be followed: its status is one of RFC 9110 §15.4, and it has a target.
  package var redirects: Bool { [301, 302, 303, 307, 308].contains(status) && location != nil }

  /// The media type without its parameters, in lower case (the "essence" of RFC 9110 §8.3.1 and the MIME standard).
  package var mediaType: String? {
    value(of: "content-type").map { value in
      let essence = value.prefix { $0 != UInt8(ascii: ";") }
      return String(decoding: essence.trimmed(), as: UTF8.self).lowercased()
    }
  }

  /// Whether the body has a marked end: a length or a last chunk (RFC 9112 §6.3), or a frame of HTTP/2. Otherwise the
  /// body ends with the connection, and nobody knows whether it is complete.
  package var marksEnd: Bool {
    if version.first != UInt8(ascii: "1") { return true }
    guard let codings = value(of: "transfer-encoding") else { return value(of: "content-length") != nil }
    return codings.lowercased.trimmed().suffix(7).elementsEqual("chunked".utf8)
  }

  /// Whether the body comes in chunks, as libcurl decides it.
  var isChunked: Bool {
    guard version.first == UInt8(ascii: "1") else { return false }
    return fields.filter { $0.name == "transfer-encoding" }
      .flatMap { $0.value.lowercased.split(separator: UInt8(ascii: ",")) }
      .contains { $0.trimmed().elementsEqual("chunked".utf8) }
  }

  /// Whether the length of the body is ambiguous: given twice, or not a number (RFC 9112 §6.3). Of two, libcurl uses
  /// one; if it is too large, libcurl reads to the end of the connection.
  package var hasDoubtfulLength: Bool {
    if value(of: "transfer-encoding") != nil { return false }
    let lengths = fields.filter { $0.name == "content-length" }
      .flatMap { $0.value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { $0.trimmed() } }
    return lengths.contains { Int(decimal: $0) == nil || !$0.elementsEqual(lengths[0]) }
  }

  /// Adds a line of the head as received.
  /// - Returns: true if it was the last line of a final response; a response such as `100 Continue` is dropped.
  package mutating func take(_ line: [UInt8]) -> Bool {
    let text = line.trimmed()
    if line.starts(with: "HTTP/".utf8) {
      let words = text.split(separator: UInt8(ascii: " "), maxSplits: 2)
      self = HTTPHead()
      self.text = line
      version = words.first.map { Array($0.dropFirst(5)) } ?? []
      status = words.count > 1 ? Int(decimal: words[1]) ?? 0 : 0
      return false
    }
    self.text += line
    if text.isEmpty { return status >= 200 }
    if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
      fields.append(HeaderField(name: name, value: Array(text[(colon + 1)...].trimmed())))
    }
    return false
  }
}

/// What the media type of a response says about its body: one table for all tools.
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

/// The file of --dump-header, which has the head of the latest response.
package struct HeaderDump: Sendable {
  /// The file, which each head replaces as a whole.
  private let path: [UInt8]
  /// A pipe or a device, or our standard error, to which each head is added; nil for a file.
  private let device: Descriptor?

  /// Opens a pipe or a device; a FIFO waits for its reader, as in a shell.
  /// - Throws: a usage error for standard output, which is for data; status 2 if a pipe or a device cannot be opened.
  package init(_ path: [UInt8], _ streams: StandardStreams) throws(ToolFailure) {
    self.path = path
    let isOutput = path == [UInt8(ascii: "-")] || (streams.output.isShared && streams.output.isOpen(on: path))
    if streams.error.isOpen(on: path) {
      device = streams.error
    } else if isOutput {
      throw .usage("option '--dump-header': standard output is for data, so expected a file, such as /dev/stderr")
    } else if Descriptor.isSpecialFile(path) {
      device = try naming(quoted(path), Descriptor.open(writing: path))
    } else {
      device = nil
    }
  }

  /// Writes a head.
  package func write(_ head: HTTPHead) throws(HTTPError) {
    do throws(SystemError) {
      guard let device else {
        return try AtomicFile(path, mode: 0o600).replace { output throws(SystemError) in output.append(head.text) }
      }
      if let error = device.write(head.text.span).error { throw error }
    } catch {
      throw HTTPError(.local, "cannot write '\(quoted(path))': \(error.message) (--dump-header)")
    }
  }
}
