import FeedCore
import FeedHTTP

/// Prints whole bodies: plain, or as event records with their time and source.
struct BodyPrinter {
  private static let event = Array("data".utf8)

  private let printsRecords: Bool
  private(set) var count = 0
  private var output: ByteWriter

  init(_ options: Options, _ streams: StandardStreams) {
    printsRecords = options.printsRecords
    output = ByteWriter(streams.output, records: .network)
  }

  /// - Parameter now: the time of the response, in microseconds since 1970.
  mutating func print(_ body: PolledBody, of resource: Resource, _ response: HTTPResponse, now: Int64) {
    count += 1
    guard printsRecords else { return body.write(to: &output) }
    output.beginRecord(event: Self.event.span, id: resource.known.id.span)
    body.writeData(to: &output)
    output.appendTime(now)
    write("url", Array(response.url.display.utf8))
    if let tag = response.head.value(of: "etag"), !tag.isEmpty { write("etag", tag) }
    output.appendSource(resource.name)
    output.endRecord()
  }

  mutating func print(_ note: Note) { output.append(note) }

  mutating func flush() throws(ToolFailure) { try output.flushOutput() }

  private mutating func write(_ name: StaticString, _ value: [UInt8]) {
    output.append(",\"")
    output.append(name)
    output.append("\":")
    var text = value
    text.repairUTF8()
    JSONString.write(text.span, to: &output)
  }
}
