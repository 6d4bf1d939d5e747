import FeedCore

/// What an answer begins with: its status and header fields.
package struct HTTPHead: Equatable, Sendable {
  package struct Field: Equatable, Sendable {
    /// In lower case.
    package let name: String
    /// Without white space around it.
    package let value: [UInt8]
  }

  package internal(set) var status = 0
  /// `1.1`, as the status line has it.
  private var version: [UInt8] = []
  package internal(set) var fields: [Field] = []

  package init() {}

  /// The value of the last field called `name` (in lower case).
  package func value(of name: String) -> [UInt8]? { fields.last { $0.name == name }?.value }

  /// Where a redirect leads: the first `Location` that says anything, as curl has it.
  package var location: [UInt8]? { fields.first { $0.name == "location" && !$0.value.isEmpty }?.value }

  /// The media type without its parameters, in lower case: the essence of RFC 9110 §8.3.1 and the MIME standard.
  package var mediaType: String? {
    value(of: "content-type").map { value in
      let essence = value.prefix { $0 != UInt8(ascii: ";") }
      return String(decoding: essence.trimmed(), as: UTF8.self).lowercased()
    }
  }

  /// Whether the end of the body is marked, by its length or a last chunk (RFC 9112 §6.3), or by a frame of HTTP/2. Where
  /// it is not, the end of the connection is the end, and nobody knows if that was meant.
  package var marksEnd: Bool {
    if version.first != UInt8(ascii: "1") { return true }
    guard let codings = value(of: "transfer-encoding") else { return value(of: "content-length") != nil }
    return codings.lowercased.trimmed().suffix(7).elementsEqual("chunked".utf8)
  }

  /// Whether the length of the body is said in a way that nobody can be sure of: twice, or as what is no number (RFC 9112
  /// §6.3). libcurl takes one of two, and reads to the end of the connection where it is too large for it.
  package var hasDoubtfulLength: Bool {
    if value(of: "transfer-encoding") != nil { return false }
    let lengths = fields.filter { $0.name == "content-length" }
      .flatMap { $0.value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { $0.trimmed() } }
    return lengths.contains { Int(decimal: $0) == nil || !$0.elementsEqual(lengths[0]) }
  }

  /// Takes a line of the head as it came.
  /// - Returns: true when it was the last one of a final answer; that of a `100 Continue` is forgotten.
  package mutating func take(_ line: [UInt8]) -> Bool {
    let text = line.trimmed()
    if line.starts(with: "HTTP/".utf8) {
      let words = text.split(separator: UInt8(ascii: " "), maxSplits: 2)
      self = HTTPHead()
      version = words.first.map { Array($0.dropFirst(5)) } ?? []
      status = words.count > 1 ? Int(decimal: words[1]) ?? 0 : 0
    } else if text.isEmpty {
      return status >= 200
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
      fields.append(Field(name: name, value: Array(text[(colon + 1)...].trimmed())))
    }
    return false
  }
}
