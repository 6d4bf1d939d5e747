import FeedCore

/// Prints a message: as an event record, or as its bytes.
struct MessagePrinter {
  private let isRaw: Bool
  private let dataForm: PayloadForm
  private let terminator: UInt8
  private let stamp: RecordStamp
  private static let binary = Array("binary".utf8)
  private static let noID: [UInt8] = []

  init(_ options: Options) {
    isRaw = options.isRaw
    dataForm = options.dataForm
    terminator = options.endsWithNull ? 0 : UInt8(ascii: "\n")
    stamp = options.stamp
  }

  /// Prints a text.
  /// - Parameters:
  ///   - isParsed: whether it was parsed; then `document` is nil if it is not JSON.
  ///   - id: empty for none.
  func print(
    text: [UInt8], _ document: JSONDocument?, isParsed: Bool, event: [UInt8], id: [UInt8], to output: inout ByteWriter
  ) throws(FormatError) {
    if isRaw { return print(raw: text, to: &output) }
    let embedded =
      isParsed ? try dataForm.document(of: text, parsed: document) : try dataForm.document(of: text)
    output.beginRecord(event: event.span, id: id.span)
    output.appendPayload(text, embedded)
    output.endRecord(stamp)
  }

  /// Prints a binary message.
  func print(binary message: [UInt8], to output: inout ByteWriter) {
    if isRaw { return print(raw: message, to: &output) }
    output.beginRecord(event: Self.binary.span, id: Self.noID.span)
    output.append("\"")
    output.append(Base64.encoded(message))
    output.append("\"")
    output.endRecord(stamp)
  }

  private func print(raw message: [UInt8], to output: inout ByteWriter) {
    output.append(message)
    output.endLine(terminator)
  }
}
