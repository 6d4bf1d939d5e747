import FeedCore

/// Prints an event: as a record, as its data alone, or as event stream text.
struct EventPrinter {
  private let format: Options.Format
  private let dataForm: PayloadForm
  private let terminator: UInt8
  private let stamp: RecordStamp
  private var stream = EventStreamWriter()

  init(_ options: Options) {
    format = options.format
    dataForm = options.dataForm
    terminator = options.endsWithNull ? 0 : UInt8(ascii: "\n")
    stamp = options.stamp
  }

  /// Prints an event.
  /// - Parameter parsed: the data as JSON, if it was parsed: inside, nil if it is not JSON.
  mutating func print(
    _ event: StreamEvent, parsed: JSONDocument??, to output: inout ByteWriter
  ) throws(FormatError) {
    switch format {
    case .records: try printRecord(event, parsed, to: &output)
    case .raw:
      output.append(event.data)
      output.endLine(terminator)
    case .sse: stream.write(type: event.type, id: event.id, data: event.data, to: &output)
    }
  }

  func print(comment: [UInt8], to output: inout ByteWriter) {
    switch format {
    case .records:
      output.append("{\"comment\":")
      JSONString.write(comment.span, to: &output)
      output.appendSource(stamp.source)
      output.endRecord()
    case .raw: return
    case .sse: stream.write(comment: comment, to: &output)
    }
  }

  func print(retry milliseconds: Int, to output: inout ByteWriter) {
    if format == .sse { stream.write(retry: milliseconds, to: &output) }
  }

  private func printRecord(
    _ event: StreamEvent, _ parsed: JSONDocument??, to output: inout ByteWriter
  ) throws(FormatError) {
    let document =
      if let parsed { try dataForm.document(of: event.data, parsed: parsed) } else {
        try dataForm.document(of: event.data)
      }
    output.beginRecord(event: event.type.span, id: event.id.span)
    output.appendPayload(event.data, document)
    output.endRecord(stamp)
  }
}

/// An event as the stream brought it; all of it is valid UTF-8.
struct StreamEvent {
  let type: [UInt8]
  /// The last event ID; empty for none.
  let id: [UInt8]
  let data: [UInt8]
}
