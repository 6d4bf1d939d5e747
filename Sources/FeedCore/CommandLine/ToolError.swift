// One error for all that can end a tool, and the one place where it becomes words.

/// Why a tool ends or complains: the exit status, the place, and one line of message.
public struct ToolError: Error, Sendable {
  /// Where in a text something is wrong.
  public struct Place: Equatable, Sendable {
    /// Counted from 1; lines end at LF.
    public let line: Int
    /// In bytes, counted from 1.
    public let column: Int
    /// The text of the line as far as it is known, for the caret.
    public let excerpt: [UInt8]

    public init(line: Int, column: Int, excerpt: [UInt8] = []) {
      self.line = line
      self.column = column
      self.excerpt = excerpt
    }
  }

  public let status: ExitStatus
  /// Lower case, no full stop, may hold any bytes: they are escaped when it is printed.
  public let message: String
  /// The file, `-` for standard input, or a URL without its secrets.
  public let source: String?
  public let place: Place?
  /// In a stream of records: `event 17`, `document 3`.
  public let record: String?
  /// A usage error, which is followed by the way to the help.
  public let isUsage: Bool

  public init(
    _ status: ExitStatus, _ message: String, source: String? = nil, place: Place? = nil, record: String? = nil,
    isUsage: Bool = false
  ) {
    self.status = status
    self.message = message
    self.source = source
    self.place = place
    self.record = record
    self.isUsage = isUsage
  }

  public static func usage(_ message: String) -> ToolError { ToolError(.trouble, message, isUsage: true) }

  /// A system call on `source` failed.
  public static func system(_ error: SystemError, _ source: String) -> ToolError {
    error.isBrokenPipe && source == standardOutput
      ? .brokenPipe : ToolError(.trouble, error.message, source: source)
  }

  /// Waiting for input or for time to pass failed.
  public static func waiting(_ error: SystemError) -> ToolError {
    ToolError(.trouble, "cannot wait: " + error.message)
  }

  /// Writing to standard output failed.
  public static func output(_ error: SystemError) -> ToolError { .system(error, standardOutput) }

  /// Nobody reads standard output any more. Not a message: `Tool` ends by SIGPIPE.
  public static let brokenPipe = ToolError(.trouble, "broken pipe", source: standardOutput)
  public var isBrokenPipe: Bool { source == Self.standardOutput && message == "broken pipe" }

  private static let standardOutput = "standard output"
}

extension ToolError {
  /// `jpatch: in.json:3:17: event 4: expected ',' or '}' after an object member`, and what follows it.
  /// - Parameter withExcerpt: whether to show the source line with a caret, as on a terminal.
  public func rendered(by program: String, withExcerpt: Bool) -> [UInt8] {
    var line = program + ": "
    if let source {
      line += source
      if let place { line += ":\(place.line):\(place.column)" }
      line += ": "
    }
    if let record { line += record + ": " }
    var text = printable(Array((line + message).utf8)) + [UInt8(ascii: "\n")]
    if isUsage { text += Array("Try '\(program) --help' for more information.\n".utf8) }
    if withExcerpt, let place, !place.excerpt.isEmpty { text += caret(place) }
    return text
  }

  /// The source line, cut to what fits around the column, and a caret below it.
  private func caret(_ place: Place) -> [UInt8] {
    let width = 72
    let column = min(place.column - 1, place.excerpt.count)
    let start = max(0, min(column - width / 2, place.excerpt.count - width))
    let before = printable(Array(place.excerpt[start..<column]))
    let after = printable(Array(place.excerpt[column..<min(place.excerpt.count, start + width)]))
    let indent = String(decoding: before, as: UTF8.self).count
    return Array("  ".utf8) + before + after + Array("\n  ".utf8)
      + [UInt8](repeating: UInt8(ascii: " "), count: indent) + Array("^\n".utf8)
  }
}

/// `bytes` with control characters written as `\x1b`, and invalid UTF-8 likewise, so that nothing quoted from an
/// input or a server's answer can drive a terminal.
public func printable(_ bytes: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count)
  var index = 0
  while index < bytes.count {
    let length = UTF8Sequence.length(in: bytes.span, at: index)
    let isControl =
      bytes[index] < 0x20 || bytes[index] == 0x7F || (length == 2 && bytes[index] == 0xC2 && bytes[index + 1] < 0xA0)
    if length == 0 || isControl {
      for byte in bytes[index..<(index + max(1, length))] {
        result += Array("\\x".utf8) + [hexDigit(byte >> 4), hexDigit(byte & 15)]
      }
    } else {
      result += bytes[index..<(index + length)]
    }
    index += max(1, length)
  }
  return result
}

/// `printable` for a message.
public func quoted(_ bytes: [UInt8]) -> String { String(decoding: printable(bytes), as: UTF8.self) }

/// `quoted`, with the middle left out of what would be more than a line.
public func shortened(_ bytes: [UInt8]) -> String {
  let limit = 200
  guard bytes.count > limit else { return quoted(bytes) }
  // Both cuts are before the first byte of a character.
  var end = limit / 2
  while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
  let rest = bytes.suffix(limit / 2).drop { $0 & 0xC0 == 0x80 }
  return quoted(Array(bytes[..<end])) + "…" + quoted(Array(rest))
}

/// The lower case hexadecimal digit of 0 to 15.
public func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
