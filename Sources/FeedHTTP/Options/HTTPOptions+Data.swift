// The bytes that the data options send, as in curl.

import FeedCore

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
