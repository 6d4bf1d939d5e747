// What the options that send data make of their values, as curl does.

import FeedCore

extension HTTPOptions {
  /// The bytes that an option which sends data stands for.
  /// - Parameter option: one of `HTTPOption.bodies` that has a value.
  func dataBytes(_ option: HTTPOption, _ value: [UInt8], _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    switch option {
    case .dataBinary: try content(value, streams) ?? value
    case .dataURLEncode: try encoded(value, streams)
    case .data:
      // Of a file without its line ends; `-` alone is standard input here, which curl does not know.
      try content(value == [UInt8(ascii: "-")] ? Array("@-".utf8) : value, streams)?
        .filter { $0 != 0 && !$0.isLineEnd } ?? value
    default: value
    }
  }

  /// What the file of `@FILE` holds; nil of any other value.
  private func content(_ value: [UInt8], _ streams: StandardStreams) throws(ToolFailure) -> [UInt8]? {
    guard value.first == UInt8(ascii: "@") else { return nil }
    return try read(Array(value.dropFirst()), streams)
  }

  /// `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`: all but the name is encoded.
  private func encoded(_ value: [UInt8], _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    guard let mark = value.firstIndex(of: UInt8(ascii: "=")) ?? value.firstIndex(of: UInt8(ascii: "@")) else {
      return Self.encoded(value)
    }
    let (name, rest) = (Array(value[..<mark]), Array(value[(mark + 1)...]))
    let content = value[mark] == UInt8(ascii: "@") ? try read(rest, streams) : rest
    return (name.isEmpty ? [] : name + [UInt8(ascii: "=")]) + Self.encoded(content)
  }

  /// As in a form (WHATWG URL §5.2), where a space is `+`; curl writes `~` as it is.
  private static func encoded(_ content: [UInt8]) -> [UInt8] {
    content.percentEncoded { $0.isUnreserved || $0 == UInt8(ascii: " ") }
      .map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
  }
}
