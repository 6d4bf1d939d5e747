// The table of resources, and the responses to requests.

import FeedCore

/// A resource: where it is, who may have it, and what makes its response.
struct Route {
  /// NAME stands for the name of a stream, percent-encoded: a slash in a name is not one of the path (RFC 3986 §2.2).
  let path: String
  /// Whether only clients with the token of --token-file may have it.
  var needsToken = true
  /// Gets the name in the path, which is empty for the only stream.
  /// - Returns: nil if the stream begins.
  let respond: (inout Server, ClientConnection, ClientRequest, _ name: [UInt8]) -> Response?

  /// All resources. Each takes GET and HEAD.
  static func all(_ options: Options) -> [Route] {
    let isMany = options.sources != nil
    let list = Route(path: "/") { server, _, request, _ in
      let list = server.table.list(asHTML: request.wantsHTML, server.now)
      server.closeSlowClients(of: nil)
      return .list(list, options)
    }
    return (isMany ? [list] : []) + [
      Route(path: isMany ? "/streams/NAME" : "/") { server, connection, request, name in
        guard let stream = server.table.stream(named: name) else { return unknownStream }
        if request.wantsHTML, !options.isPlain { return .page(DocumentPage(of: name, options).page) }
        return server.begin(stream, connection, request)
      },
      Route(path: isMany ? "/streams/NAME/snapshot" : "/snapshot") { server, _, request, name in
        guard let stream = server.table.stream(named: name) else { return unknownStream }
        defer { server.closeSlowClients(of: stream) }
        if let document = stream.publisher.currentSnapshot() { return .document(document, for: request) }
        let isMissing = !options.isPlain && !stream.publisher.hasDocument
        return isMissing ? Response(503, "no document yet") : Response(404, "not found")
      },
      Route(path: "/metrics") { server, _, _, _ in
        let type = ("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        return Response(fields: [type, Response.freshness], words: server.metrics.text(of: server))
      },
      // Load balancers send no token with their checks.
      Route(path: "/healthz", needsToken: false) { _, _, _, _ in Response(200, "ok") },
    ]
  }

  private static var unknownStream: Response { Response(404, "unknown stream: GET / lists all streams") }

  /// What to answer where none of these is.
  static func notFound(_ routes: [Route], isPlain: Bool) -> Response {
    let paths = routes.map(\.path).filter { !isPlain || !$0.hasSuffix("/snapshot") }
    return Response(
      404, "not found: there are " + paths.dropLast().joined(separator: ", ") + " and " + (paths.last ?? ""))
  }

  /// The name in a path of this resource; nil for other paths.
  func name(in given: [UInt8]) -> [UInt8]? {
    let steps = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let given = given.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard steps.count == given.count else { return nil }
    var name: [UInt8] = []
    for (step, given) in zip(steps, given) {
      if step.elementsEqual("NAME".utf8), !given.isEmpty {
        name = given.pathDecoded
      } else if !given.elementsEqual(step) {
        return nil
      }
    }
    return name
  }
}

extension Server {
  /// Answers a request, or begins its stream, and counts and reports it. Nothing is sent yet.
  mutating func respond(to request: ClientRequest, _ connection: ClientConnection) {
    guard let response = response(to: request, connection) else { return }
    send(response, connection, request)
    log("\(request.shown) \(response.status)", of: connection)
  }

  /// - Returns: nil if the stream begins.
  private mutating func response(to request: ClientRequest, _ connection: ClientConnection) -> Response? {
    let found = routes.lazy.compactMap { route in route.name(in: request.path).map { (route, $0) } }.first
    do { try access.check(request, needsToken: found?.0.needsToken ?? true) } catch {
      let closes = error.status != 401
      return Response(error.status, error.reason, closes: closes, challenge: access.challenge(to: request))
    }
    if request.method == .options { return .methods(for: request, options) }
    guard let (route, name) = found else { return Route.notFound(routes, isPlain: options.isPlain) }
    return route.respond(&self, connection, request, name)
  }

  /// - Parameter request: nil if it was not understood.
  mutating func refuse(
    _ connection: ClientConnection, _ status: Int, _ reason: String, to request: ClientRequest? = nil,
    asHead: Bool = false
  ) {
    var refused = request ?? ClientRequest()
    if asHead { refused.method = .head }
    send(Response(status, reason, closes: true), connection, refused)
    log("\(request?.shown ?? "- -") \(status) \(reason)", of: connection)
  }

  private mutating func send(_ response: Response, _ connection: ClientConnection, _ request: ClientRequest) {
    metrics.requests[response.status, default: 0] += 1
    let document = request.method == .head ? nil : response.document
    connection.deadline = now + ServingLimits.responseTime
    connection.state = .responding(
      .init(response.text(for: request, options), document), closes: response.closes || !request.keepsAlive)
  }
}
