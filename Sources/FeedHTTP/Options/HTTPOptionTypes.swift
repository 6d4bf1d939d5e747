// The types of the HTTP options. Values that cannot be sent are refused first; no message quotes a possible secret.

import FeedCore

/// A header, or a file of headers.
enum HeaderSource: Sendable {
  case header(HTTPRequest.Header)
  /// `@FILE`: one header on each line.
  case file([UInt8])
}

/// User name and password.
struct Login: Sendable {
  let name: [UInt8]
  let password: [UInt8]
}

extension OptionType<HeaderSource> {
  static let header = Self("HEADER") { bytes throws(OptionRefusal) in
    if bytes.first == UInt8(ascii: "@") { return HeaderSource.file(Array(bytes.dropFirst())) }
    guard let header = HTTPRequest.Header(line: bytes) else { throw .expected("'NAME: VALUE'") }
    return HeaderSource.header(header)
  }
}

extension OptionType<Login> {
  static let login = Self("NAME:PASSWORD") { bytes throws(OptionRefusal) in
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isSendable(bytes) else {
      throw .expected("NAME:PASSWORD")
    }
    return Login(name: Array(bytes[..<colon]), password: Array(bytes[(colon + 1)...]))
  }
}

extension OptionType<[UInt8]> {
  /// `PROVIDER1[:PROVIDER2[:REGION[:SERVICE]]]`, such as `aws:amz:eu-west-1:es`.
  static let provider = text("PROVIDER", "a provider such as aws:amz:REGION:SERVICE") { text in
    text.first?.isLetter == true && text.allSatisfy { $0.isVisible }
  }

  /// A token that may follow `Bearer`.
  static let token = text("TOKEN", "a token in visible ASCII characters", isSecret: true) {
    !$0.isEmpty && $0.allSatisfy(\.isVisible)
  }

  static let method = text("METHOD", "a method such as GET") { !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }

  static let cookie = text("NAME=VALUE", "NAME=VALUE", isSecret: true) {
    let name = $0.prefix { $0 != UInt8(ascii: "=") }
    return !name.trimmed().isEmpty && name.count < $0.count && isSendable($0)
  }

  static let proxy = text("URL", "a URL", isSecret: true) { !$0.isEmpty && isSendable($0) }

  static let userAgent = text("TEXT", "a text without control characters", where: isSendable)

  static let resolve = text("HOST:PORT:ADDRESS", "HOST:PORT:ADDRESS") {
    $0.split(separator: UInt8(ascii: ":"), maxSplits: 2).count == 3 && isSendable($0)
  }

  static let path = Self("PATH", .file) { $0 }
}

extension OptionType<Double> {
  static let connectTimeout = Self("SECONDS") { bytes throws(OptionRefusal) in
    let seconds = try time(bytes)
    guard (0.001...1_000_000).contains(seconds) else {
      throw .expected("from 0.001 to 1000000 seconds", found: bytes)
    }
    return seconds
  }
}

extension OptionType<StatusSet> {
  package static let statuses = Self("LIST") { bytes throws(OptionRefusal) in
    guard let set = StatusSet(bytes) else { throw .expected("HTTP statuses such as 429,5xx, or none", found: bytes) }
    return set
  }
}
