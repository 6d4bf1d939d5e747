import FeedCore

/// The responses to requests. All but the event stream give the length of their body.
struct Response {
  let status: Int
  /// The head, followed by a short body.
  let text: [UInt8]
  /// The rest of the body, for a document.
  private(set) var body: SharedText?
  let closes: Bool

  private static let freshness = ("Cache-Control", "no-cache")

  /// - Parameters:
  ///   - fields: those besides Date, Connection, Content-Length and the ones of `end(for:_:)`.
  ///   - words: a short body; nil for a response that has none.
  ///   - document: the rest of the body.
  private init(
    _ status: Int, to request: ClientRequest, _ options: Options, closes: Bool = false, _ fields: [(String, String)],
    words: [UInt8]?, document: SharedText? = nil
  ) {
    self.status = status
    self.closes = closes || !request.keepsAlive
    var head = ResponseHead(status, closes: self.closes)
    for (name, value) in fields { head.set(name, value) }
    if let words { head.set("Content-Length", "\(words.count + (document?.bytes.count ?? 0))") }
    head.end(for: request, options)
    let hasBody = request.method != .head
    text = head.finished + (hasBody ? words ?? [] : [])
    body = hasBody ? document : nil
  }

  /// Words for a person.
  init(_ status: Int, _ words: String, to request: ClientRequest, _ options: Options, closes: Bool = false) {
    var fields: [(String, String)] = []
    switch status {
    case 401:
      let hasToken =
        request.authorization != nil || options.takesTokenFromQuery && request.parameter("access_token") != nil
      fields.append(("WWW-Authenticate", hasToken ? "Bearer error=\"invalid_token\"" : "Bearer"))
    case 405: fields.append(("Allow", "GET, HEAD, OPTIONS"))
    case 503: fields.append(("Retry-After", "5"))
    default: break
    }
    fields += [("Content-Type", "text/plain"), status == 200 ? Self.freshness : ("Cache-Control", "no-store")]
    self.init(status, to: request, options, closes: closes, fields, words: Array((words + "\n").utf8))
  }

  /// After a request that was not understood, the start of the next one is unknown.
  static func refusal(_ status: Int, _ reason: String, of request: ClientRequest, _ options: Options) -> Response {
    Response(status, reason, to: request, options, closes: ![401, 404].contains(status))
  }

  /// The document of a stream.
  init(_ snapshot: Publisher.Snapshot, to request: ClientRequest, _ options: Options) {
    switch snapshot {
    case .none where options.isPlain, .notThere: self.init(404, "not found", to: request, options)
    case .none: self.init(503, "no document yet", to: request, options)
    case .document(let document, let tag):
      let always = [("ETag", String(decoding: tag, as: UTF8.self)), Self.freshness]
      if Router.matches(request.ifNoneMatch, tag) {
        self.init(304, to: request, options, always, words: nil)
      } else {
        let type = ("Content-Type", "application/json")
        self.init(200, to: request, options, always + [type], words: [], document: document)
      }
    }
  }

  /// The list of all streams.
  init(_ list: StreamList, to request: ClientRequest, _ options: Options) {
    let page = list.isHTML ? list.head() : nil
    let policy = page.map { [("Content-Security-Policy", $0.policy)] } ?? []
    self.init(
      200, to: request, options, [("Content-Type", list.type)] + policy + [("Vary", "Accept"), Self.freshness],
      words: page?.text ?? [], document: list.text)
  }

  static func metrics(_ text: [UInt8], to request: ClientRequest, _ options: Options) -> Response {
    let type = ("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
    return Response(200, to: request, options, [type, freshness], words: text)
  }

  /// The allowed methods; for a browser's preflight, also what a page may send (Fetch §4.8).
  static func methods(to request: ClientRequest, _ options: Options) -> Response {
    let isPreflight = request.isPreflight && !options.allowedOrigins.isEmpty
    let allowed = [
      ("Access-Control-Allow-Methods", "GET, HEAD"),
      ("Access-Control-Allow-Headers", "Authorization, Cache-Control, If-None-Match, Last-Event-ID"),
      ("Access-Control-Max-Age", "86400"),
    ]
    return Response(
      204, to: request, options, [("Allow", "GET, HEAD, OPTIONS")] + (isPreflight ? allowed : []), words: nil)
  }

  /// The event stream. Its connection ends with it: every client and proxy understands that, and all clients can get the
  /// same bytes.
  static func stream(to request: ClientRequest, _ options: Options) -> Response {
    // The second asks nginx to forward each event at once.
    var fields = [("Content-Type", "text/event-stream"), freshness, ("X-Accel-Buffering", "no")]
    if options.compresses {
      fields.append(("Vary", "Accept-Encoding"))
      if request.acceptsGzip { fields.append(("Content-Encoding", "gzip")) }
    }
    return Response(200, to: request, options, closes: true, fields, words: nil)
  }
}

extension ResponseHead {
  /// Adds the fields that every response has.
  fileprivate mutating func end(for request: ClientRequest, _ options: Options) {
    // A page may have the token in its URL, which must not go to the targets of its links.
    if options.takesTokenFromQuery { set("Referrer-Policy", "no-referrer") }
    share(with: request.origin, allowed: options.allowedOrigins)
  }
}
