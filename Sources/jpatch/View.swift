import FeedCore

/// A document that is kept up to date, which part of it is printed, and when: `--select`, `--newer`, `--on-change`,
/// `--records`.
struct View {
  var stream = DocumentStream()

  private let select: JSONPointer
  private let newer: JSONPointer?
  private let printsOnlyChanges: Bool
  private let printsRecords: Bool
  private let style: JSONStyle
  private let stamp: RecordStamp
  /// The number at the `--newer` pointer at the last printing, as JSON text; empty for none.
  private var mark: [UInt8] = []
  /// The document or part that was printed last.
  private var lastLine: [UInt8]?

  /// The member of the checkpoint that holds `mark`.
  private static let markName = "mark"
  /// With many documents, so many bytes for each may be large.
  private static let attachedOfMany = 4096

  init(_ options: Options) {
    select = options.select
    newer = options.newer
    printsOnlyChanges = options.printsOnlyChanges
    printsRecords = options.printsRecords
    style = options.layout ?? .compact
    stamp = options.stamp
    stream.options = options.patching
    stream.dataEvent = options.dataEvent
    stream.patchEvent = options.patchEvent
    if options.sources != nil { stream.attachedBeforeRebase = Self.attachedOfMany }
  }

  var hasDocument: Bool { stream.document != nil }

  mutating func resume(from saved: Checkpoint) {
    mark = saved.extra[Self.markName] ?? []
    if let document = saved.document { stream.begin(with: document, id: saved.id) }
  }

  /// Nil without a document.
  var checkpoint: Checkpoint? {
    stream.document.map { Checkpoint(id: stream.id, document: $0, extra: mark.isEmpty ? [:] : [Self.markName: mark]) }
  }

  /// Prints the selected part after an event, if the options allow it. A part that does not exist prints nothing.
  /// - Parameter source: the source of the document, if there are several.
  /// - Returns: why nothing was printed; nil if something was.
  mutating func show(
    _ source: RecordSource?, afterDocument: Bool, _ redraw: Redraw, to output: inout ByteWriter
  ) -> String? {
    let number = newer.flatMap { stream.value(at: $0)?.untouched }.flatMap { JSONNumber($0) == nil ? nil : $0 }
    if !afterDocument, let number, !isNewer(number) { return "the number has not grown (--newer)" }
    // A whole document resets the mark, whether it is printed or not.
    if afterDocument { setMark(number) }
    guard let part = stream.value(at: select) else { return "nothing is there (--select)" }
    if printsOnlyChanges {
      let line = part.compactText
      if line == lastLine { return "the same as the last line (--on-change)" }
      lastLine = line
    }
    setMark(number)

    if printsRecords {
      output.beginRecord(event: Self.recordEvent.span, id: stream.id.span)
      output.appendDocument(part)
      output.endRecord(stamp, of: source)
    } else {
      redraw.print(to: &output) { output in
        JSONWriter.write(part, in: style, to: &output)
        output.endLine()
      }
    }
    return nil
  }

  private mutating func setMark(_ number: JSONValue?) {
    if newer != nil { mark = number.map(\.text) ?? [] }
  }

  /// The first number is newer than none.
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
