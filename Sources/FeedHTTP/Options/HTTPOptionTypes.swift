// What the HTTP options take. What cannot be sent is refused before anything is; no message quotes what can be a secret.

import FeedCore

/// A file or what would stand in it.
enum HeaderSource: Sendable {
  case header(HTTPRequest.Header)
  /// `@FILE`: one header on a line.
  case file([UInt8])
}

extension OptionType {
  static let header = OptionType("HEADER") { bytes throws(OptionRefusal) in
    if bytes.first == UInt8(ascii: "@") { return HeaderSource.file(Array(bytes.dropFirst())) }
    guard let header = HTTPRequest.Header(line: bytes) else { throw .expected("'NAME: VALUE'") }
    return HeaderSource.header(header)
  }

  static let method = OptionType("METHOD") { bytes throws(OptionRefusal) in
    guard !bytes.isEmpty, bytes.allSatisfy(isTokenByte) else { throw .expected("a method such as GET", found: bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  static let login = OptionType("NAME:PASSWORD") { bytes throws(OptionRefusal) in
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isSendable(bytes) else {
      throw .expected("NAME:PASSWORD")
    }
    return [Array(bytes[..<colon]), Array(bytes[(colon + 1)...])]
  }

  static let cookie = OptionType("NAME=VALUE") { bytes throws(OptionRefusal) in
    let name = bytes.prefix { $0 != UInt8(ascii: "=") }
    guard !trimmed(name).isEmpty, name.count < bytes.count, isSendable(bytes) else { throw .expected("NAME=VALUE") }
    return bytes
  }

  static let proxy = OptionType("URL") { bytes throws(OptionRefusal) in
    guard !bytes.isEmpty, isSendable(bytes) else { throw .expected("a URL") }
    return bytes
  }

  static let resolve = OptionType("HOST:PORT:ADDRESS") { bytes throws(OptionRefusal) in
    guard bytes.split(separator: UInt8(ascii: ":"), maxSplits: 2).count == 3, isSendable(bytes) else {
      throw .expected("HOST:PORT:ADDRESS", found: bytes)
    }
    return bytes
  }

  static let path = OptionType("PATH", .file) { $0 }

  static let connectTimeout = OptionType("SECONDS") { bytes throws(OptionRefusal) in
    let seconds = try time(bytes)
    guard (0.001...1_000_000).contains(seconds) else {
      throw .expected("from 0.001 to 1000000 seconds", found: bytes)
    }
    return seconds
  }

  /// A text that a header can carry.
  public static func sendable(_ name: String, _ expected: String) -> OptionType {
    OptionType(name) { bytes throws(OptionRefusal) in
      guard isSendable(bytes) else { throw .expected(expected, found: bytes) }
      return bytes
    }
  }

  /// HTTP statuses, a `StatusSet`.
  static let statuses = OptionType("LIST") { bytes throws(OptionRefusal) in
    guard let set = StatusSet(bytes) else { throw .expected("HTTP statuses such as 429,5xx, or none", found: bytes) }
    return set
  }
}

/// Whether a header can carry the bytes (RFC 9110 §5.5: no control characters but the tab).
public func isSendable(_ value: [UInt8]) -> Bool {
  value.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
}
