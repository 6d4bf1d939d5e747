/// An operand that names something to read: a file, or `-` for standard input.
package struct InputFile: Sendable {
  /// Its name in messages; `-` for standard input.
  package let name: String
  private let path: [UInt8]?

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
  ///   - isWorthReading: whether to read on, given the bytes so far.
  package func readAll(
    _ streams: StandardStreams, limit: Int = .max, option: String = "",
    isWorthReading: ([UInt8]) -> Bool = { _ in true }
  ) throws(ToolFailure) -> [UInt8] {
    let descriptor = try open(streams)
    defer { if !isStandardInput { descriptor.closeQuietly() } }
    return try readAll(from: descriptor, limit: limit, option: option, isWorthReading: isWorthReading)
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
    from descriptor: Descriptor, limit: Int, option: String, isWorthReading: ([UInt8]) -> Bool = { _ in true }
  ) throws(ToolFailure) -> [UInt8] {
    do { return try ByteReader.readAll(descriptor, limit: limit, isWorthReading: isWorthReading) } catch {
      if error.isTooLarge { throw .failed(.error, "more than \(limit) bytes (\(option))", source: name) }
      throw .system(error, name)
    }
  }
}
