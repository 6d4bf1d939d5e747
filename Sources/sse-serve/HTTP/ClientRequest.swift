// A request, as far as this server looks at it: what is asked for, by whom, and what came before. Nothing else of the
// head is kept.

import FeedCore

struct ClientRequest: Equatable {
  enum Method: Equatable { case get, head, options, other }

  var method = Method.get
  /// As sent, up to the question mark.
  var path: [UInt8] = []
  /// What is behind the question mark.
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
  /// A browser asks beforehand what it may do (Fetch §4.8).
  var isPreflight = false

  /// The id of the last event that the client has; empty for none. `EventSource` sends a header; what stands in for it
  /// where there is none cannot, and has the query `lastEventId`.
  var lastEventID: [UInt8] {
    if let lastEventIDField { return lastEventIDField }
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let cut = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard Array(pair[..<cut]).lowercasedASCII == Array("lasteventid".utf8) else { continue }
      return Self.percentDecoded(pair[cut...].dropFirst())
    }
    return []
  }

  private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        result.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest[rest.startIndex]),
        let low = digit(rest[rest.startIndex + 1])
      {
        result.append(high << 4 | low)
        rest.removeFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): (byte & 0xDF) - 55
    default: nil
    }
  }
}

extension [UInt8] {
  /// With small letters in place of the capitals of ASCII.
  var lowercasedASCII: [UInt8] { map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 } }
}
