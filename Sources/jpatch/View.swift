import FeedCore

/// Which part of the document is printed, and when: `--select`, `--newer`, `--on-change`, `--records`.
struct View {
  /// The number at the `--newer` pointer at the last printing, as JSON text; empty for none.
  var mark: [UInt8] = []

  private let select: JSONPointer
  private let newer: JSONPointer?
  private let printsOnlyChanges: Bool
  private let printsRecords: Bool
  private let stamp: RecordStamp
  /// The document or part that was printed last.
  private var lastLine: [UInt8]?

  init(_ options: Options) {
    select = options.select
    newer = options.newer
    printsOnlyChanges = options.printsOnlyChanges
    printsRecords = options.printsRecords
    stamp = options.stamp
  }

  /// Why a document is not printed after an event.
  enum Reason {
    case notNewer, unchanged, notThere

    var words: String {
      switch self {
      case .notNewer: "the number has not grown (--newer)"
      case .unchanged: "the same as the last line (--on-change)"
      case .notThere: "nothing is there (--select)"
      }
    }
  }

  /// Prints the selected part after an event, if the options allow it. A part that does not exist prints nothing.
  /// - Parameter source: the source of the document, if there are several.
  /// - Returns: why nothing was printed; nil if something was.
  @discardableResult
  mutating func show(
    _ stream: inout DocumentStream, of source: RecordSource? = nil, afterDocument: Bool, to output: inout ByteWriter
  ) -> Reason? {
    let number = newer.flatMap { stream.value(at: $0)?.untouched }.flatMap { JSONNumber($0) == nil ? nil : $0 }
    if !afterDocument, let number, !isNewer(number) { return .notNewer }
    // A whole document resets the mark, whether it is printed or not.
    if afterDocument { setMark(number) }
    guard let part = stream.value(at: select) else { return .notThere }
    if printsOnlyChanges {
      var line = ByteWriter()
      JSONWriter.writeCompact(part, to: &line)
      if line.buffer == lastLine { return .unchanged }
      lastLine = line.take()
    }
    setMark(number)

    if printsRecords {
      output.beginRecord(event: Self.recordEvent.span, id: stream.id.span)
      output.appendDocument(part)
      output.endRecord(stamp, of: source)
    } else {
      JSONWriter.writeCompact(part, to: &output)
      output.endLine()
    }
    return nil
  }

  private mutating func setMark(_ number: JSONValue?) {
    if newer != nil { mark = number.map(\.text) ?? [] }
  }

  private func isNewer(_ number: JSONValue) -> Bool {
    guard let now = JSONNumber(number), let last = JSONNumber(text: mark) else { return true }
    return JSONNumber.compare(now, last) > 0
  }

  private static let recordEvent = Array("data".utf8)
}

extension Options {
  /// The part of a result that `--select` selects.
  func selected(from tree: inout JSONTree, record: String? = nil) throws(ToolFailure) -> JSONTree {
    do { return try tree.value(at: select) } catch {
      throw .failed(.no, "--select: " + error.message, source: file.name, record: record)
    }
  }
}
