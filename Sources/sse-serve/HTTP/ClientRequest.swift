// The parts of a request that this server looks at. Nothing else of the head is kept.

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
  /// Whether a body follows, which no resource here takes.
  var hasBody = false

  /// Who is asked for, with a port if one is named.
  var host: [UInt8]?
  var origin: [UInt8]?
  var authorization: [UInt8]?
  var ifNoneMatch: [UInt8]?
  var lastEventIDField: [UInt8]?
  /// A browser asks which requests it may send (Fetch §4.8).
  var isPreflight = false

  /// The id of the last event that the client has; empty for none. `EventSource` sends a header; the
  /// libraries that replace it may not be able to, and use the query `lastEventId`.
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
