// The parts of a request that this server uses. The rest of the head is not kept.

import FeedCore

struct ClientRequest: Equatable {
  enum Method: Equatable { case get, head, options, other }

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
  /// Whether a browser asks which requests it may send (Fetch §4.8).
  var isPreflight = false

  /// The id of the client's last event; empty for none. `EventSource` sends a header. Libraries that replace it may be
  /// unable to, and use the query parameter `lastEventId`.
  var lastEventID: [UInt8] {
    if let lastEventIDField { return lastEventIDField }
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let cut = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard pair[..<cut].lowercased == Array("lasteventid".utf8) else { continue }
      return pair[cut...].dropFirst().percentDecoded
    }
    return []
  }
}
