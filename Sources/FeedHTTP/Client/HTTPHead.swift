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

  package internal(set) var status = 0
  /// `1.1`, as in the status line.
  private var version: [UInt8] = []
  package internal(set) var fields: [HeaderField] = []
  /// The lines of the head as received, and the blank line after them.
  package private(set) var text: [UInt8] = []

  package init(status: Int = 0) { self.status = status }

  /// The value of the last field called `name` (in lower case).
  package func value(of name: String) -> [UInt8]? { fields.last { $0.name == name }?.value }

  /// The same, for a name as somebody has written it.
  package func value(ofField name: [UInt8]) -> [UInt8]? {
    value(of: String(decoding: name.lowercased, as: UTF8.self))
  }

  /// The target of a redirect: the first non-empty `Location`, as in curl.
  package var location: [UInt8]? { fields.first { $0.name == "location" && !$0.value.isEmpty }?.value }

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
