// Prints a message: as an event record, or as its bytes.

import FeedCore

struct MessagePrinter {
  private let isRaw: Bool
  private let dataForm: PayloadForm
  private let terminator: UInt8
  private let stamp: RecordStamp
  private static let binary = Array("binary".utf8)

  init(_ options: Options) {
    isRaw = options.isRaw
    dataForm = options.dataForm
    terminator = options.endsWithNull ? 0 : UInt8(ascii: "\n")
    stamp = options.stamp
  }

  /// - Parameters:
  ///   - parsed: the result of parsing a text as JSON, if known already.
  ///   - event: the name of the event; for a binary message always `binary`.
  ///   - id: empty for none.
  func print(
    _ message: [UInt8], isText: Bool, parsed: Result<JSONDocument, FormatError>?, event: [UInt8],
    id: [UInt8], to output: inout ByteWriter
  ) throws(FormatError) {
    if isRaw {
      output.append(message)
      output.endLine(terminator)
      return
    }
    if isText {
      let document: JSONDocument?
      if let parsed { document = try dataForm.document(parsed) } else { document = try dataForm.document(of: message) }
      output.beginRecord(event: event.span, id: id.span)
      output.appendPayload(message, document)
    } else {
      output.beginRecord(event: Self.binary.span, id: id.span)
      output.append("\"")
      output.append(Base64.encoded(message))
      output.append("\"")
    }
    output.endRecord(stamp)
  }
}
