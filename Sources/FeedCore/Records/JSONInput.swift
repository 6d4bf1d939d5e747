// Reading input that should be JSON, with a hint if it is something else.

extension InputFile {
  /// Parses the content as one document.
  /// - Parameters:
  ///   - content: the bytes read.
  ///   - comments: what to do with comments and trailing commas.
  ///   - old: a document that may have much in common with it, so that this is faster.
  package func parse(
    _ content: [UInt8], maxDepth: Int, comments: CommentRule = .refused, like old: JSONDocument? = nil
  ) throws(ToolFailure) -> JSONDocument {
    do {
      return try JSONDocument(
        parsing: content, maxDepth: maxDepth, hasComments: comments == .accepted, like: old)
    } catch {
      let (error, hint) = comments.explained(error, in: content)
      throw .malformed(
        error, in: content, of: name, hint: hint.isEmpty ? InputGuess.hint(for: error, in: content) : hint)
    }
  }

  /// Reads the whole content, which should be JSON. If it cannot begin a document, reading stops early.
  package func readJSON(
    _ streams: StandardStreams, limit: Int, option: String, comments: CommentRule = .refused
  ) throws(ToolFailure) -> [UInt8] {
    try readAll(streams, limit: limit, option: option, isWorthReading: comments.mayBegin)
  }
}

extension InputGuess {
  /// A hint for input that is not JSON from its start, or that has marks of a merge conflict.
  package static func hint(for error: JSONError, in bytes: [UInt8]) -> String {
    let found = bytes.dropFirst(error.offset).prefix(7)
    if found.count == 7, let first = found.first, "<=>".utf8.contains(first), found.allSatisfy({ $0 == first }) {
      return " (a mark of a merge conflict)"
    }
    guard error.offset < size / 8, ![.empty, .notUTF8Text, .endInComment].contains(error.kind) else { return "" }
    let first = bytes.first { !$0.isWhiteSpace && !$0.isRecordSeparator }
    let isJSON = (first == UInt8(ascii: "{") || first == UInt8(ascii: "[")) && !bytes.prefix(size).contains(0)
    return isJSON ? "" : hint(bytes)
  }
}

extension JSONStream {
  /// The next complete document.
  /// - Parameters:
  ///   - source: where it comes from, for messages.
  ///   - record: what messages call one of the documents: `event`, `document`; nil if there is only one.
  ///   - options: the options that set the limits.
  package mutating func next(
    isLast: Bool, of source: String, record: String? = nil, options: [Limit: String] = Limit.options
  ) throws(ToolFailure) -> StreamedDocument? {
    do { return try next(isLast: isLast) } catch {
      let hint =
        error.hint.isEmpty ? error.beginning.map { InputGuess.hint(for: error.error, in: $0) } ?? "" : error.hint
      throw .failed(
        .error, error.message(naming: options) + hint, source: source, place: error.place,
        record: record.map { "\($0) \(error.number)" })
    }
  }
}
