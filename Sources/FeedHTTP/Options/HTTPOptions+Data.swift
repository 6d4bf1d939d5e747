// The bytes that the data options send, as in curl.

import FeedCore

extension HTTPOptions {
  /// The bytes to send for one data option.
  /// - Parameter option: one of `HTTPOption.bodies` that has a value.
  func dataBytes(_ option: HTTPOption, _ value: [UInt8], _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    switch option {
    case .dataBinary, .json: try content(value, streams) ?? value
    case .dataURLEncode: try encoded(value, streams)
    case .data:
      // A file without its line ends; `-` alone is standard input here, unlike in curl.
      try content(value == [UInt8(ascii: "-")] ? Array("@-".utf8) : value, streams)?
        .filter { $0 != 0 && !$0.isLineEnd } ?? value
    default: value
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
