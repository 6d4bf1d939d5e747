import FeedCore
import FeedHTTP

/// A body that never ends, over any number of connections.
struct EndlessBody: Resuming {
  private let url: HTTPURL
  private let options: Options
  private let client: HTTPClient
  private var printer: StreamPrinter

  init(_ url: HTTPURL, _ options: Options, _ streams: StandardStreams) throws(ToolFailure) {
    self.url = url
    self.options = options
    printer = try StreamPrinter(options, source: url.display, streams)
    client = try HTTPClient(keepsCookies: true)
  }

  var count: Int { printer.count }

  mutating func flush() throws(ToolFailure) { try printer.flush() }

  mutating func print(_ note: Note) throws(ToolFailure) { try printer.print(note) }

  mutating func abandon() { try? printer.flush() }

  var point: ResumePoint {
    get { printer.point }
    set { printer.point = newValue }
  }

  mutating func connectOnce(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding {
    var request = follower.http.request(url)
    request.mayRepeat = options.connection.reconnects
    request.setDefault("Accept", Array("*/*".utf8))
    try printer.point.values.apply(to: &request)
    var connection: FeedConnection
    switch try follower.open(&self, request, of: client, { _ in nil }) {
    case .ended(let ending): return ending
    case .open(let opened): connection = opened
    }
    printer.begin(connection.head, of: request)
    let ending = try connection.run(&printer)
    if point.isForgotten { return ending }
    var isWhole = false
    // If the end is not marked, a last line without a line end may be incomplete.
    if case .closed = ending { isWhole = connection.head.marksEnd }
    let (dropped, progress) = try printer.end(isWhole: isWhole)
    if dropped > 0 {
      let bytes = dropped == 1 ? "1 byte" : "\(dropped) bytes"
      follower.complain("the connection ended inside a line: \(bytes) dropped")
    }
    return progress == .finished ? .finished : ending
  }
}
