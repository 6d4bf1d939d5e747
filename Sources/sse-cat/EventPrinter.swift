// An event as it is printed: a record, its bare data, or event stream text.

import FeedCore

struct EventPrinter {
  /// The data is no JSON, and `--data-as json` wants it to be.
  struct NotJSON: Error { let reason: String }

  private let format: Options.Format
  private let dataForm: Options.DataForm
  private let terminator: UInt8
  private let showsTime: Bool
  private var stream = EventStreamWriter()

  init(_ options: Options) {
    format = options.format
    dataForm = options.dataForm
    terminator = options.endsWithNull ? 0 : UInt8(ascii: "\n")
    showsTime = options.showsTime
  }

  mutating func print(_ parser: borrowing EventStreamParser, to output: inout ByteWriter) throws(NotJSON) {
    switch format {
    case .records: try printRecord(parser, to: &output)
    case .raw:
      output.append(parser.data)
      output.append(terminator)
    case .sse: stream.write(type: parser.type, id: parser.lastEventID, data: parser.data, to: &output)
    }
  }

  func print(comment: [UInt8], to output: inout ByteWriter) {
    switch format {
    case .records:
      output.append("{\"comment\":")
      JSONString.write(comment.span, to: &output)
      output.append("}\n")
    case .raw: return
    case .sse: stream.write(comment: comment, to: &output)
    }
  }

  func print(retry milliseconds: Int, to output: inout ByteWriter) {
    if format == .sse { stream.write(retry: milliseconds, to: &output) }
  }

  private func printRecord(_ parser: borrowing EventStreamParser, to output: inout ByteWriter) throws(NotJSON) {
    let data = parser.data
    let document = try json(data)
    output.beginRecord(event: parser.type.span, id: parser.lastEventID.span)
    if let document {
      if document.isCompact {
        output.append(data, document.root.range)
      } else {
        JSONWriter.writeCompact(JSONTree(document.root), to: &output)
      }
    } else {
      JSONString.write(data.span, to: &output)
    }
    if showsTime {
      output.append(",\"time\":\"")
      output.append(CivilTime(microseconds: Clock.now()).text)
      output.append("\"")
    }
    output.endRecord()
  }

  /// The data as JSON if it is to be embedded as such.
  private func json(_ data: [UInt8]) throws(NotJSON) -> JSONDocument? {
    switch dataForm {
    case .text: return nil
    case .auto:
      let first = data.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A }
      guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
      return try? JSONDocument(parsing: data)
    case .json:
      do throws(JSONError) { return try JSONDocument(parsing: data) } catch {
        throw NotJSON(reason: "the data is no JSON: \(error.message), at byte \(error.offset + 1) of it")
      }
    }
  }
}
