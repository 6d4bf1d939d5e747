import FeedCore

/// The parts of a request that this server uses. The rest of the head is not kept.
struct ClientRequest: Equatable {
  enum Method: String, Equatable {
    case get = "GET"
    case head = "HEAD"
    case options = "OPTIONS"
    case other = "-"
  }

  var method = Method.get
  /// As sent, up to the question mark.
  var path: [UInt8] = []
  /// After the question mark.
  var query: [UInt8] = []
  /// Whether another request may follow on the connection.
  var keepsAlive = false
  /// Whether a body follows; no resource here accepts one.
  var hasBody = false

  /// The requested host, with a port if one is given.
  var host: [UInt8]?
  var origin: [UInt8]?
  var authorization: [UInt8]?
  var ifNoneMatch: [UInt8]?
  var lastEventIDField: [UInt8]?
  /// Whether the client takes responses in gzip.
  var acceptsGzip = false
  /// Whether a person may read the response: browsers ask for HTML.
  var wantsHTML = false
  /// Whether a browser asks which requests it may send (Fetch §4.8).
  var isPreflight = false

  /// For messages: the method and the path, without the query, which may have a token.
  var shown: String { "\(method.rawValue) \(path.isEmpty ? "-" : shortened(path))" }

  /// The id of the client's last event; empty for none. `EventSource` sends a header. Libraries that replace it may be
  /// unable to, and use the query parameter `lastEventId`.
  var lastEventID: [UInt8] {
    lastEventIDField ?? parameter("lasteventid") ?? []
  }

  /// The value of a parameter of the query; nil if there is none.
  /// - Parameter name: in lower case.
  func parameter(_ name: String) -> [UInt8]? {
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let cut = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      if pair[..<cut].lowercased.elementsEqual(name.utf8) { return pair[cut...].dropFirst().percentDecoded }
    }
    return nil
  }
}
