// All answers except the stream itself.

import FeedCore

struct Reply {
  let status: Int
  /// The head, followed by a short body.
  let text: [UInt8]
  /// The rest of the body, for a document.
  private(set) var body: SharedText?
  var closes: Bool

  private static let noCache = "no-cache"

  /// - Parameters:
  ///   - list: the answer to `/`, if there are many streams.
  ///   - metrics: the answer to `/metrics`.
  init(
    _ route: Route, _ request: ClientRequest, _ options: Options, snapshot: Publisher.Snapshot = .none,
    list: StreamList? = nil, metrics: [UInt8] = []
  ) {
    closes = !request.keepsAlive
    switch route {
    case .stream:
      closes = true
      (status, text) = (200, Self.streamHead(request, options))
    case .list:
      guard let list else {
        (status, text) = Self.short(404, "not found", request, options, closes)
        return
      }
      var head = ResponseHead(200, closes: closes)
      let page = list.isHTML ? list.head() : nil
      head.set("Content-Type", list.type)
      if let page { head.set("Content-Security-Policy", page.policy) }
      head.set("Vary", "Accept")
      head.set("Cache-Control", Self.noCache)
      head.set("Content-Length", "\((page?.text.count ?? 0) + list.text.bytes.count)")
      head.end(for: request, options)
      if request.method == .get { body = list.text }
      (status, text) = (200, head.finished + (request.method == .get ? page?.text ?? [] : []))
    case .metrics:
      var head = ResponseHead(200, closes: closes)
      head.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
      head.set("Cache-Control", Self.noCache)
      head.set("Content-Length", "\(metrics.count)")
      head.end(for: request, options)
      (status, text) = (200, head.finished + (request.method == .get ? metrics : []))
    case .health: (status, text) = Self.short(200, "ok", request, options, closes)
    case .methods: (status, text) = (204, Self.methods(request, options, closes))
    case .refused(let code, let reason):
      // After a request that was not understood, the start of the next one is unknown.
      if ![401, 404].contains(code) { closes = true }
      (status, text) = Self.short(code, reason, request, options, closes)
    case .snapshot:
      switch snapshot {
      case .none where options.isPlain, .notThere:
        (status, text) = Self.short(404, "not found", request, options, closes)
      case .none: (status, text) = Self.short(503, "no document yet", request, options, closes)
      case .document(let document, let tag):
        let isKnown = Router.matches(request.ifNoneMatch, tag)
        var head = ResponseHead(isKnown ? 304 : 200, closes: closes)
        head.set("ETag", tag)
        head.set("Cache-Control", Self.noCache)
        if !isKnown {
          head.set("Content-Type", "application/json")
          head.set("Content-Length", "\(document.bytes.count)")
          if request.method == .get { body = document }
        }
        head.end(for: request, options)
        (status, text) = (head.status, head.finished)
      }
    }
  }

  /// The head of the event stream.
  static func streamHead(_ request: ClientRequest, _ options: Options) -> [UInt8] {
    var head = ResponseHead(200, closes: true)
    head.set("Content-Type", "text/event-stream")
    head.set("Cache-Control", noCache)
    // Asks nginx to forward each event at once.
    head.set("X-Accel-Buffering", "no")
    if options.compresses {
      head.set("Vary", "Accept-Encoding")
      if request.acceptsGzip { head.set("Content-Encoding", "gzip") }
    }
    head.end(for: request, options)
    return head.finished
  }

  private static func short(
    _ status: Int, _ words: String, _ request: ClientRequest, _ options: Options, _ closes: Bool
  ) -> (Int, [UInt8]) {
    var head = ResponseHead(status, closes: closes)
    switch status {
    case 401:
      let hasToken =
        request.authorization != nil || options.takesTokenFromQuery && request.parameter("access_token") != nil
      head.set("WWW-Authenticate", hasToken ? "Bearer error=\"invalid_token\"" : "Bearer")
    case 405: head.set("Allow", "GET, HEAD, OPTIONS")
    case 503: head.set("Retry-After", "5")
    default: break
    }
    head.set("Content-Type", "text/plain")
    head.set("Cache-Control", status == 200 ? noCache : "no-store")
    head.set("Content-Length", "\(words.utf8.count + 1)")
    head.end(for: request, options)
    return (status, head.finished + (request.method == .head ? [] : Array((words + "\n").utf8)))
  }

  /// The allowed methods; for a browser's preflight, also what a page may send (Fetch §4.8).
  private static func methods(_ request: ClientRequest, _ options: Options, _ closes: Bool) -> [UInt8] {
    var head = ResponseHead(204, closes: closes)
    head.set("Allow", "GET, HEAD, OPTIONS")
    head.end(for: request, options)
    if request.isPreflight && !options.allowedOrigins.isEmpty {
      head.set("Access-Control-Allow-Methods", "GET, HEAD")
      head.set("Access-Control-Allow-Headers", "Authorization, Cache-Control, If-None-Match, Last-Event-ID")
      head.set("Access-Control-Max-Age", "86400")
    }
    return head.finished
  }
}

extension ResponseHead {
  /// Adds the fields that every answer has.
  fileprivate mutating func end(for request: ClientRequest, _ options: Options) {
    // A page may have the token in its URL, which must not go to the targets of its links.
    if options.takesTokenFromQuery { set("Referrer-Policy", "no-referrer") }
    share(with: request.origin, allowed: options.allowedOrigins)
  }
}
