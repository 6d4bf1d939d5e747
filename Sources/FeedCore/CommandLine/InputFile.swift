/// An operand that names something to read: a file, or `-` for standard input.
package struct InputFile: Sendable {
  /// Its name in messages; `-` for standard input.
  package let name: String
  private let path: [UInt8]?

  /// - Parameter operand: as typed; `-` is standard input.
  package init(_ operand: [UInt8]) {
    path = operand == [UInt8(ascii: "-")] ? nil : operand
    name = quoted(operand)
  }

  package static let standardInput = InputFile([UInt8(ascii: "-")])

  package var isStandardInput: Bool { path == nil }

  /// Whether it may be a pipe or a terminal without a place in a folder: standard input, or a name such as /dev/stdin,
  /// /dev/tty, or /dev/fd/63 for `<(…)`.
  var isStream: Bool { path?.starts(with: "/dev/".utf8) ?? true }

  /// The size in bytes; nil if it is not a regular file.
  func size(_ streams: StandardStreams) -> Int? {
    guard let path else { return streams.input.fileSize }
    return Descriptor.fileSize(of: path)
  }

  /// - Returns: standard input, or a new descriptor, which the caller closes.
  /// - Throws: status 2; if the operand is a URL, the message names the tool that reads it.
  package func open(_ streams: StandardStreams) throws(ToolFailure) -> Descriptor {
    guard let path else {
      streams.announceTerminalInput()
      return streams.input
    }
    do { return try Descriptor.open(reading: path) } catch {
      throw ToolFailure.system(error, name).adding(error.isMissingFile ? InputGuess.hint(url: path) : "")
    }
  }

  /// The whole content.
  /// - Parameters:
  ///   - limit: in bytes; more is an error that names `option`.
  ///   - old: bytes that may come again, as `ByteReader.readAll` takes them.
  ///   - isWorthReading: whether to read on, given the bytes so far.
  package func readAll(
    _ streams: StandardStreams, limit: Int = .max, option: String = "", like old: [UInt8] = [],
    isWorthReading: ([UInt8]) -> Bool = { _ in true }
  ) throws(ToolFailure) -> [UInt8] {
    let descriptor = try open(streams)
    defer { if !isStandardInput { descriptor.closeQuietly() } }
    return try readAll(from: descriptor, limit: limit, option: option, like: old, isWorthReading: isWorthReading)
  }

  /// The file's content as a token.
  package func token(in content: [UInt8]) throws(ToolFailure) -> [UInt8] {
    let token = Array(content.trimmed())
    guard !token.isEmpty, token.allSatisfy(\.isVisible) else {
      throw .failed(.error, "expected one line with a token in visible ASCII characters", source: name)
    }
    return token
  }

  /// The whole content of the open file.
  package func readAll(
    from descriptor: Descriptor, limit: Int, option: String, like old: [UInt8] = [],
    isWorthReading: ([UInt8]) -> Bool = { _ in true }
  ) throws(ToolFailure) -> [UInt8] {
    do { return try ByteReader.readAll(descriptor, limit: limit, like: old, isWorthReading: isWorthReading) } catch {
      if error.isTooLarge { throw .failed(.error, "more than \(limit) bytes (\(option))", source: name) }
      throw .system(error, name)
    }
  }
}

/// What an input seems to be: its first bytes often show that it is of the wrong kind, and what would help. Only
/// messages use it: it decides nothing.
package enum InputGuess {
  /// The number of first bytes that are examined.
  package static let size = 512

  /// ` (this looks like gzip: gunzip -c unpacks it)`; empty if the kind is unknown.
  /// - Parameters:
  ///   - head: the first bytes of an input.
  ///   - wantsEvents: whether an event stream was expected.
  package static func hint(_ head: some Sequence<UInt8>, wantsEvents: Bool = false) -> String {
    guess(Array(head.prefix(size)), wantsEvents).map { " (this looks like \($0))" } ?? ""
  }

  /// The tool that reads a URL, for ` (a URL: http-cat reads it, as in <(http-cat URL))`; empty if this is no URL.
  package static func hint(url name: [UInt8]) -> String {
    let scheme = name.prefix { $0 != UInt8(ascii: ":") }.lowercased
    guard name.dropFirst(scheme.count).starts(with: "://".utf8) else { return "" }
    for (tool, schemes) in [("http-cat", ["http", "https"]), ("ws-cat", ["ws", "wss"])] {
      if schemes.contains(where: { scheme.elementsEqual($0.utf8) }) {
        return " (a URL: \(tool) reads it, as in <(\(tool) URL))"
      }
    }
    return ""
  }

  private static func guess(_ head: [UInt8], _ wantsEvents: Bool) -> String? {
    if head.starts(with: [0x1F, 0x8B]) { return "gzip: gunzip -c unpacks it" }
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstd: zstd -dc unpacks it" }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) || isHalfNull(head) {
      return "UTF-16: iconv -f UTF-16 -t UTF-8 converts it"
    }
    if head.contains(0) { return "binary data" }
    let text = head.drop(while: \.isSpaceOrControl).lowercased
    func begins(_ words: String...) -> Bool { words.contains { text.starts(with: Array($0.utf8)) } }
    if begins("<!doctype html", "<html", "<head", "<body") { return "an HTML page" }
    if begins("<") { return "XML: xml-split reads it" }
    if begins("data:", "event:", "id:", "retry:", ":") { return "an event stream: sse-cat reads it" }
    if begins("{\"event\":") { return "event records, as sse-cat prints them" }
    if begins("{", "[") { return wantsEvents ? "JSON: jdiff --follow makes events of documents" : "JSON" }
    return nil
  }

  /// Whether every other byte is zero, as in ASCII text in UTF-16 without a byte order mark.
  private static func isHalfNull(_ head: [UInt8]) -> Bool {
    guard head.count >= 4 else { return false }
    let pairs = stride(from: 0, to: head.count - 1, by: 2).map { (head[$0], head[$0 + 1]) }
    return pairs.allSatisfy { $0 == 0 && $1 != 0 } || pairs.allSatisfy { $0 != 0 && $1 == 0 }
  }
}
