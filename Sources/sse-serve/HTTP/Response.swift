import FeedCore

/// A response to a request. The event stream comes in chunks, or ends with the connection. All others give the length of
/// their body.
struct Response {
  /// One of those in `phrases`.
  var status = 200
  /// Those besides Date, Connection, Content-Length and the ones that every response has.
  var fields: [(name: String, value: String)]
  /// A short body; nil for a response that has none.
  var words: [UInt8]?
  /// The rest of the body, for a document.
  var document: SharedText?
  /// Whether no other request may follow: after one that was not understood, the start of the next one is unknown.
  var closes = false

  /// A cache may keep the response, but must ask each time whether it is still right (RFC 9111 §5.2.2.4).
  static let freshness = (name: "Cache-Control", value: "no-cache")
  private static let phrases = [
    200: "OK", 204: "No Content", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 413: "Content Too Large", 414: "URI Too Long",
    421: "Misdirected Request", 431: "Request Header Fields Too Large", 503: "Service Unavailable",
    505: "HTTP Version Not Supported",
  ]

  /// The head and the short body, as a client gets them.
  func text(for request: ClientRequest, _ options: Options) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\n"
    func set(_ name: String, _ value: String) { head += "\(name): \(value)\r\n" }
    set("Date", Self.date(Clock.now()))
    if closes || !request.keepsAlive { set("Connection", "close") }
    for field in fields { set(field.name, field.value) }
    if let words { set("Content-Length", "\(words.count + (document?.bytes.count ?? 0))") }
    // A page may have the token in its URL, which must not go to the targets of its links.
    if options.takesTokenFromQuery { set("Referrer-Policy", "no-referrer") }
    for field in Self.sharing(with: request.origin, options.allowedOrigins) { set(field.name, field.value) }
    return Array((head + "\r\n").utf8) + (request.method == .head ? [] : words ?? [])
  }

  /// The fields of cross-origin sharing (Fetch §3.3), for a page of `origin`.
  private static func sharing(with origin: [UInt8]?, _ allowed: [[UInt8]]) -> [(name: String, value: String)] {
    let exposed = ("Access-Control-Expose-Headers", "ETag")
    if allowed.contains(Array("*".utf8)) { return [("Access-Control-Allow-Origin", "*"), exposed] }
    if allowed.isEmpty { return [] }
    // A cache must not give one origin the response for another.
    let vary = ("Vary", "Origin")
    guard let origin, allowed.contains(origin) else { return [vary] }
    return [vary, ("Access-Control-Allow-Origin", String(decoding: origin, as: UTF8.self)), exposed]
  }

  /// In the form of RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
  /// - Parameter microseconds: since 1970.
  static func date(_ microseconds: Int64) -> String {
    let time = CivilTime(microseconds: microseconds)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // The first day of 1970 was a Thursday.
    let day = days[(time.seconds / 86_400 + 4) % 7]
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(day), \(twoDigits(time.day)) \(months[time.month - 1]) \(time.year) "
      + "\(twoDigits(time.hour)):\(twoDigits(time.minute)):\(twoDigits(time.second)) GMT"
  }
}

extension Response {
  /// Words for a person.
  /// - Parameter challenge: of status 401.
  init(_ status: Int, _ words: String, closes: Bool = false, challenge: String = "Bearer") {
    let more: [Int: (String, String)] = [
      401: ("WWW-Authenticate", challenge), 405: ("Allow", Self.methods), 503: ("Retry-After", "5"),
    ]
    let caching = status == 200 ? Self.freshness : ("Cache-Control", "no-store")
    self.init(
      status: status, fields: (more[status].map { [$0] } ?? []) + [("Content-Type", "text/plain"), caching],
      words: Array((words + "\n").utf8), closes: closes)
  }

  private static let methods = "GET, HEAD, OPTIONS"

  /// The allowed methods; for a browser's preflight, also what a page may send (Fetch §4.8).
  static func methods(for request: ClientRequest, _ options: Options) -> Response {
    let isPreflight = request.isPreflight && !options.allowedOrigins.isEmpty
    let allowed = [
      ("Access-Control-Allow-Methods", "GET, HEAD"),
      ("Access-Control-Allow-Headers", "Authorization, Cache-Control, If-None-Match, Last-Event-ID"),
      ("Access-Control-Max-Age", "86400"),
    ]
    return Response(status: 204, fields: [("Allow", methods)] + (isPreflight ? allowed : []))
  }

  /// The head of the event stream. Its connection ends with it.
  static func stream(for request: ClientRequest, _ options: Options) -> Response {
    var fields = [
      ("Content-Type", "text/event-stream"),
      // Some proxies hold what they compress: they must not (RFC 9111 §5.2.2.6).
      ("Cache-Control", "no-cache, no-transform"),
      // nginx forwards each event at once.
      ("X-Accel-Buffering", "no"),
    ]
    // A browser gets a page.
    if !options.isPlain { fields.append(("Vary", "Accept")) }
    if request.takesChunks { fields.append(("Transfer-Encoding", "chunked")) }
    if options.compresses {
      fields.append(("Vary", "Accept-Encoding"))
      if request.acceptsGzip { fields.append(("Content-Encoding", "gzip")) }
    }
    return Response(fields: fields, closes: true)
  }

  /// The document of a stream, unless the client has it.
  static func document(_ document: SharedText, for request: ClientRequest) -> Response {
    let always = [("ETag", document.tag), freshness]
    if request.isCurrent(document.tag) { return Response(status: 304, fields: always) }
    return Response(fields: always + [("Content-Type", "application/json")], words: [], document: document)
  }

  /// The list of all streams.
  static func list(_ list: StreamList, _ options: Options) -> Response {
    let page = list.isHTML ? list.head(isPlain: options.isPlain) : nil
    let policy = page.map { [("Content-Security-Policy", $0.policy)] } ?? []
    return Response(
      fields: [("Content-Type", list.type)] + policy + [("Vary", "Accept"), freshness], words: page?.text ?? [],
      document: list.text)
  }

  /// The page of a stream with a document.
  static func page(_ page: WebPage) -> Response {
    Response(
      fields: [
        ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", page.policy), ("Vary", "Accept"),
        freshness,
      ], words: page.text)
  }
}
