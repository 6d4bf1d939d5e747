// The head of an HTTP/1.1 request (RFC 9112 §3 and §5), in pieces that may be cut anywhere. Each line is checked at its
// last byte, and each limit at the byte that exceeds it. So the result does not depend on the cuts.
//
// The grammar is strict. Attackers use ambiguous heads (a folded line, a space before the colon, two lengths) to make
// two servers see two different requests; honest clients never send them. The one exception: a bare LF ends a line
// (§2.2), for requests typed by hand.

import FeedCore

/// The parts of a request that this server uses. The rest of the head is not kept.
struct ClientRequest: Equatable {
  /// The method, by its name in messages. Other methods are refused, whatever they are called.
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
  /// Whether the client understands a body in chunks: it speaks HTTP/1.1 (RFC 9112 §7.1).
  var takesChunks = false
  /// Whether a body follows; no resource here accepts one.
  var hasBody = false

  /// The requested host, with a port if one is given.
  var host: [UInt8]?
  /// The origin of the page that asks, as the browser sends it (Fetch §3.2); nil outside of browsers.
  var origin: [UInt8]?
  /// The scheme and the token (RFC 6750 §2.1), not yet taken apart.
  var authorization: [UInt8]?
  /// The entity tags of all such fields, with commas between them.
  var ifNoneMatch: [UInt8]?
  /// The header `Last-Event-ID`, which counts before the query.
  var lastEventIDField: [UInt8]?
  /// Whether the client takes responses in gzip.
  var acceptsGzip = false
  /// Whether the client takes HTML, and whether it takes an event stream by that name.
  fileprivate(set) var (acceptsHTML, acceptsEvents) = (false, false)
  /// Whether a browser asks which requests it may send (Fetch §4.8).
  var isPreflight = false

  /// Whether a person reads the response: a browser that opens a page asks for HTML. `EventSource` does not.
  var wantsHTML: Bool { acceptsHTML && !acceptsEvents }

  /// For messages: the method and the path, without the query, which may have a token.
  var shown: String { "\(method.rawValue) \(path.isEmpty ? "-" : shortened(path))" }

  /// The id of the client's last event; empty for none. `EventSource` sends a header. Libraries that replace it may be
  /// unable to, and use the query parameter `lastEventId` or `Last-Event-ID`.
  var lastEventID: [UInt8] {
    lastEventIDField ?? parameter("lasteventid") ?? parameter("last-event-id") ?? []
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

  /// Whether the If-None-Match contains an entity tag (RFC 9110 §13.1.2, weak comparison).
  func isCurrent(_ tag: String) -> Bool {
    (ifNoneMatch ?? []).split(separator: UInt8(ascii: ",")).contains { item in
      var item = item.trimmed(\.isBlank)
      if item.elementsEqual("*".utf8) { return true }
      if item.starts(with: "W/".utf8) { item = item.dropFirst(2) }
      return item.elementsEqual(tag.utf8)
    }
  }
}

/// Parses bytes into requests; a new parser for each request.
struct RequestParser {
  /// Why a request is refused: a status, and a few words for the body.
  struct RequestProblem: Error, Equatable {
    let status: Int
    let reason: String
  }

  /// For the request line: the minimum that RFC 9112 §3 requires.
  static let maxRequestLine = 8000
  /// For all header lines together.
  static let maxHeaders = 16 * 1024
  /// The most empty lines before a request (RFC 9112 §2.2 requires one).
  private static let maxEmptyLines = 4

  /// Whether no part of a request has come yet.
  private(set) var isFresh = true

  private var line: [UInt8] = []
  private var emptyLines = 0
  private var isInHeaders = false
  private var headerSize = 0
  private var request = ClientRequest()
  private var isHTTP11 = true
  private var saysClose = false
  private var hasTransferCoding = false
  /// The host in a target that is a complete URL.
  private var targetHost: [UInt8]?
  private var length: Int?

  /// Whether the part that has come asks for no body.
  var asksForHead: Bool { request.method == .head || line.starts(with: "HEAD ".utf8) }

  /// Continues in `bytes` at `index`.
  /// - Returns: the request, with `index` after its head; nil if all bytes are used up first.
  mutating func next(_ bytes: borrowing Span<UInt8>, from index: inout Int) throws(RequestProblem) -> ClientRequest? {
    while index < bytes.count {
      isFresh = false
      let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes, index..<bytes.count)
      try append(bytes.extracting(index..<(end ?? bytes.count)), isEnded: end != nil)
      index = (end ?? bytes.count - 1) + 1
      guard end != nil else { break }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      let isComplete = try endLine()
      line.removeAll(keepingCapacity: true)
      if isComplete { return request }
    }
    return nil
  }

  private mutating func append(_ piece: borrowing Span<UInt8>, isEnded: Bool) throws(RequestProblem) {
    if isInHeaders {
      headerSize += piece.count + (isEnded ? 1 : 0)
      if headerSize > Self.maxHeaders { throw RequestProblem(status: 431, reason: "request header fields too large") }
    } else if line.isEmpty, piece.count > 0, !piece[0].isTokenByte, piece[0] != UInt8(ascii: "\r") {
      // Refused at once: a client of another protocol (usually TLS) waits for a response.
      throw Self.bad("not an HTTP request")
    } else if line.count + piece.count - (endsInReturn(piece) ? 1 : 0) > Self.maxRequestLine {
      throw RequestProblem(status: 414, reason: "URI too long")
    }
    line.append(span: piece)
  }

  /// Whether the line, with this piece, ends in a CR, which may be the first half of its end.
  private func endsInReturn(_ piece: borrowing Span<UInt8>) -> Bool {
    (piece.count > 0 ? piece[piece.count - 1] : line.last) == UInt8(ascii: "\r")
  }

  /// - Returns: whether the head is complete.
  private mutating func endLine() throws(RequestProblem) -> Bool {
    if isInHeaders {
      if line.isEmpty {
        try finish()
        return true
      }
      try takeField()
    } else if line.isEmpty {
      emptyLines += 1
      if emptyLines > Self.maxEmptyLines { throw Self.bad("not an HTTP request") }
    } else {
      try takeRequestLine()
      isInHeaders = true
    }
    return false
  }

  private static func bad(_ reason: String) -> RequestProblem { RequestProblem(status: 400, reason: reason) }

  // MARK: The request line

  private mutating func takeRequestLine() throws(RequestProblem) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenByte) else {
      throw Self.bad("malformed request line")
    }
    try takeVersion(parts[2])
    request.method = .init(rawValue: String(decoding: parts[0], as: UTF8.self)) ?? .other
    try takeTarget(parts[1])
  }

  private mutating func takeVersion(_ version: ArraySlice<UInt8>) throws(RequestProblem) {
    let text = Array(version)
    guard text.count == 8, text.starts(with: "HTTP/".utf8), text[5].isDigit, text[6] == UInt8(ascii: "."),
      text[7].isDigit
    else { throw Self.bad("malformed HTTP version") }
    guard text[5] == UInt8(ascii: "1") else { throw RequestProblem(status: 505, reason: "HTTP version not supported") }
    isHTTP11 = text[7] != UInt8(ascii: "0")
  }

  /// A path with a query (§3.2.1), or a complete URL as for a proxy (§3.2.2), whose host replaces the header's.
  private mutating func takeTarget(_ target: ArraySlice<UInt8>) throws(RequestProblem) {
    guard !target.isEmpty, target.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else {
      throw Self.bad("malformed request target")
    }
    // Other methods are refused, whatever their target.
    if request.method == .other { return }
    var rest = target
    let isAsterisk = rest.elementsEqual("*".utf8) && request.method == .options
    if rest.first != UInt8(ascii: "/"), !isAsterisk {
      let lower = target.lowercased
      guard let scheme = ["http://", "https://"].first(where: { lower.starts(with: $0.utf8) }) else {
        throw Self.bad("malformed request target")
      }
      let authority = target.dropFirst(scheme.utf8.count)
      let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? authority.endIndex
      guard end > authority.startIndex, authority[..<end].allSatisfy(isHostByte) else {
        throw Self.bad("malformed request target")
      }
      rest = authority[end...]
      targetHost = Array(authority[..<end])
    }
    let cut = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    request.path = rest.startIndex == cut ? [UInt8(ascii: "/")] : Array(rest[..<cut])
    request.query = Array(rest[cut...].dropFirst())
  }

  // MARK: Header fields

  private mutating func takeField() throws(RequestProblem) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(\.isTokenByte) else {
      throw Self.bad("malformed header field")
    }
    let value = line[(colon + 1)...].trimmed(\.isBlank)
    // Other control characters are harmless here, and an id may contain them (RFC 9110 §5.5).
    guard !value.contains(0), !value.contains(UInt8(ascii: "\r")) else {
      throw Self.bad("control characters in a header field")
    }
    switch String(decoding: line[..<colon].lowercased, as: UTF8.self) {
    case "host":
      guard value.allSatisfy(isHostByte) else { throw Self.bad("malformed host") }
      try Self.take(value, into: &request.host)
    case "origin": try Self.take(value, into: &request.origin)
    case "authorization": try Self.take(value, into: &request.authorization)
    case "last-event-id": try Self.take(value, into: &request.lastEventIDField)
    case "if-none-match": request.ifNoneMatch = request.ifNoneMatch.map { $0 + Array(",".utf8) + value } ?? Array(value)
    case "accept-encoding": if Self.accepts(["gzip", "x-gzip"], value) { request.acceptsGzip = true }
    case "accept":
      if Self.accepts(["text/html"], value) { request.acceptsHTML = true }
      if Self.accepts(["text/event-stream"], value) { request.acceptsEvents = true }
    case "access-control-request-method": request.isPreflight = true
    case "transfer-encoding": hasTransferCoding = true
    case "content-length": try takeLength(value)
    case "connection":
      let options = value.split(separator: UInt8(ascii: ",")).map { $0.trimmed(\.isBlank).lowercased }
      if options.contains(Array("close".utf8)) { saysClose = true }
    default: break
    }
  }

  /// Whether an Accept or Accept-Encoding has one of these names, with a weight that is not 0 (RFC 9110 §12.4.2).
  private static func accepts(_ names: [String], _ value: ArraySlice<UInt8>) -> Bool {
    value.split(separator: UInt8(ascii: ",")).contains { item in
      let parts = item.lowercased.split(separator: UInt8(ascii: ";")).map { $0.trimmed(\.isBlank) }
      guard let name = parts.first, names.contains(where: { name.elementsEqual($0.utf8) }) else { return false }
      let weight = parts.dropFirst().first { $0.starts(with: "q=".utf8) }?.dropFirst(2)
      return weight.map { $0.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } } ?? true
    }
  }

  /// Sets a field that may occur only once.
  private static func take(_ value: ArraySlice<UInt8>, into field: inout [UInt8]?) throws(RequestProblem) {
    if field != nil { throw bad("a header field occurs twice") }
    field = Array(value)
  }

  private mutating func takeLength(_ value: ArraySlice<UInt8>) throws(RequestProblem) {
    guard !value.isEmpty, value.allSatisfy(\.isDigit), length == nil else { throw Self.bad("malformed content length") }
    length = value.allSatisfy { $0 == UInt8(ascii: "0") } ? 0 : 1
  }

  private mutating func finish() throws(RequestProblem) {
    if isHTTP11 && request.host == nil { throw Self.bad("no Host header") }
    // RFC 9112 §6.1: the end of such a request is unknown.
    if hasTransferCoding && (length != nil || !isHTTP11) { throw Self.bad("the end of the request is unclear") }
    if let targetHost { request.host = targetHost }
    request.hasBody = hasTransferCoding || length == 1
    request.keepsAlive = !saysClose && !request.hasBody && isHTTP11
    request.takesChunks = isHTTP11
  }
}

/// Whether a byte may be in a host and port (RFC 3986 §3.2.2).
private func isHostByte(_ byte: UInt8) -> Bool { byte.isTokenByte || "():;,=[]".utf8.contains(byte) }
