// The types of the HTTP options. Values that cannot be sent are refused first; no message quotes a possible secret.

import FeedCore

extension OptionType<[UInt8]> {
  /// A header, or `@FILE` with one header on each line.
  static let header = text("HEADER", "'NAME: VALUE'", isSecret: true) {
    $0.first == UInt8(ascii: "@") || HTTPRequest.Header(line: $0) != nil
  }

  static let login = text("NAME:PASSWORD", "NAME:PASSWORD", isSecret: true) {
    $0.contains(UInt8(ascii: ":")) && isSendable($0)
  }

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
  /// A list such as `429,5xx`, or `none`.
  package static let statuses = Self("LIST") { bytes throws(OptionRefusal) in
    guard let set = StatusSet(bytes) else { throw .expected("HTTP statuses such as 429,5xx, or none", found: bytes) }
    return set
  }
}

/// A set of HTTP statuses as written in options: `429,5xx`, or `none`.
package struct StatusSet: Equatable, Sendable {
  private var ranges: [ClosedRange<Int>] = []

  package static let none = StatusSet()

  /// - Returns: nil if `text` is not such a list.
  package init?(_ text: [UInt8]) {
    if text.elementsEqual("none".utf8) { return }
    for word in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let digits = word.map { Int($0) - Int(UInt8(ascii: "0")) }
      guard digits.count == 3, (1...9).contains(digits[0]) else { return nil }
      if word.dropFirst().allSatisfy({ $0 | 0x20 == UInt8(ascii: "x") }) {
        ranges.append(digits[0] * 100...digits[0] * 100 + 99)
      } else if digits.allSatisfy({ (0...9).contains($0) }) {
        let status = digits[0] * 100 + digits[1] * 10 + digits[2]
        ranges.append(status...status)
      } else {
        return nil
      }
    }
  }

  package init(_ statuses: Int...) { ranges = statuses.map { $0...$0 } }

  /// The set as written in options.
  package var text: [UInt8] {
    if ranges.isEmpty { return Array("none".utf8) }
    let words = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound / 100)xx" }
    return Array(words.joined(separator: ",").utf8)
  }

  /// The set with these too.
  package func union(_ other: StatusSet) -> StatusSet {
    var all = self
    all.ranges += other.ranges
    return all
  }

  package func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }
}

// MARK: - Data

/// The value of one data option.
struct BodyPart: Sendable {
  enum Kind { case data, raw, binary, encoded, json }

  let kind: Kind
  let text: [UInt8]
}

extension OptionType<BodyPart> {
  static func body(_ kind: BodyPart.Kind) -> Self { Self("DATA") { BodyPart(kind: kind, text: $0) } }
}

extension HTTPOptions {
  /// The bytes to send for one data option.
  func dataBytes(_ part: BodyPart, _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    switch part.kind {
    case .raw: part.text
    case .binary, .json: try content(part.text, streams) ?? part.text
    case .encoded: try encoded(part.text, streams)
    case .data:
      // A file without its line ends; `-` alone is standard input here, unlike in curl.
      try content(part.text == [UInt8(ascii: "-")] ? Array("@-".utf8) : part.text, streams)?
        .filter { $0 != 0 && !$0.isLineEnd } ?? part.text
    }
  }

  /// The contents of the file in `@FILE`; nil for any other value.
  private func content(_ value: [UInt8], _ streams: StandardStreams) throws(ToolFailure) -> [UInt8]? {
    guard value.first == UInt8(ascii: "@") else { return nil }
    return try read(Array(value.dropFirst()), streams)
  }

  /// `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`: everything except the name is encoded.
  private func encoded(_ value: [UInt8], _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    guard let mark = value.firstIndex(of: UInt8(ascii: "=")) ?? value.firstIndex(of: UInt8(ascii: "@")) else {
      return Self.encoded(value)
    }
    let (name, rest) = (Array(value[..<mark]), Array(value[(mark + 1)...]))
    let content = value[mark] == UInt8(ascii: "@") ? try read(rest, streams) : rest
    return (name.isEmpty ? [] : name + [UInt8(ascii: "=")]) + Self.encoded(content)
  }

  /// As in a form (WHATWG URL §5.2), with `+` for a space; like curl, it leaves `~` unencoded.
  private static func encoded(_ content: [UInt8]) -> [UInt8] {
    content.percentEncoded { $0.isUnreserved || $0 == UInt8(ascii: " ") }
      .map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
  }
}
