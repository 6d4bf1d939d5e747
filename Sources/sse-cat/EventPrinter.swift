// Prints an event: as a record, as its data alone, or as event stream text.

import FeedCore

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

  mutating func print(_ parser: borrowing EventStreamParser, to output: inout ByteWriter) throws(FormatError) {
    switch format {
    case .records: try printRecord(parser, to: &output)
    case .raw:
      output.append(parser.data)
      output.endLine(terminator)
    case .sse: stream.write(type: parser.type, id: parser.lastEventID, data: parser.data, to: &output)
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

  private func printRecord(_ parser: borrowing EventStreamParser, to output: inout ByteWriter) throws(FormatError) {
    let data = parser.data
    let document = try dataForm.document(of: data)
    output.beginRecord(event: parser.type.span, id: parser.lastEventID.span)
    output.appendPayload(data, document)
    output.endRecord(stamp)
  }
}
