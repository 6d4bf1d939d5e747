// The requests of a server: cuts change nothing, bytes after a request are left alone, a request keeps its meaning when
// it is written again, and nothing exceeds the limits.
//
// The input is what a client sends.

/// The result for some bytes: the requests in them, and why no more are read.
private struct Verdict: Equatable {
  var requests: [ClientRequest] = []
  var refusal: RequestParser.RequestProblem?
  /// How many bytes belong to the requests.
  var taken = 0
}

func fuzzServe(_ bytes: [UInt8]) {
  let whole = verdict(bytes, endingPiecesAt: [bytes.count])
  for ends in Cuts.ways(bytes) {
    let pieces = verdict(bytes, endingPiecesAt: ends)
    promise(pieces == whole, "cut at \(ends): \(pieces), whole: \(whole)")
  }
  promise(whole.taken <= bytes.count, "past the end")
  // A refusal is final, and earlier requests do not depend on later bytes.
  if whole.refusal != nil {
    let more = verdict(bytes + Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), endingPiecesAt: [bytes.count + 26])
    promise(more == whole, "not refused any more: \(more)")
  }
  let alone = verdict(Array(bytes.prefix(whole.taken)), endingPiecesAt: [whole.taken])
  promise(alone.requests == whole.requests && alone.refusal == nil, "other requests without the rest: \(alone)")

  for request in whole.requests {
    check(request)
    let text = written(request)
    let again = verdict(text, endingPiecesAt: [text.count])
    promise(again.refusal == nil && again.requests == [request], "\(shown(text)) is \(again), not \(request)")
  }
}

private func verdict(_ bytes: [UInt8], endingPiecesAt ends: [Int]) -> Verdict {
  var verdict = Verdict()
  var parser = RequestParser()
  var start = 0
  for end in ends {
    let piece = Array(bytes[start..<min(end, bytes.count)])
    var index = 0
    while index < piece.count {
      do {
        guard let request = try parser.next(piece.span, from: &index) else {
          promise(index == piece.count, "stopped before the end of the piece")
          break
        }
        verdict.requests.append(request)
        verdict.taken = start + index
        parser = RequestParser()
      } catch {
        verdict.refusal = error
        return verdict
      }
    }
    start += piece.count
  }
  return verdict
}

private func check(_ request: ClientRequest) {
  let size = request.path.count + request.query.count
  promise(size <= RequestParser.maxRequestLine, "a longer target than may be")
  for value in [request.host, request.origin, request.authorization, request.ifNoneMatch, request.lastEventIDField] {
    guard let value else { continue }
    promise(value.count <= RequestParser.maxHeaders, "a longer value than may be")
    promise(!value.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a line end in a value: \(value)")
  }
  promise(!(request.hasBody && request.keepsAlive), "a request behind a body that is not read")
  let isTarget = (request.path + request.query).allSatisfy { $0 > 0x20 && $0 < 0x7F }
  promise(isTarget, "no target: \(request)")
  // Some requests are for everybody, the others only for clients with the token.
  let access = ClientAccess(token: Array("a token that no fuzzer knows".utf8))
  func isAllowed(_ request: ClientRequest, needsToken: Bool = true) -> Bool {
    do { try access.check(request, needsToken: needsToken) } catch { return false }
    return true
  }
  let isOpen = request.method == .options && !request.hasBody
  promise(isAllowed(request) == isOpen, "served without the token: \(request)")
  var known = request
  known.authorization = Array("Bearer a token that no fuzzer knows".utf8)
  let isHere = request.method != .other && !request.hasBody
  promise(isAllowed(known) == isHere && isAllowed(request, needsToken: false) == isHere, "\(request)")
}

/// The request in its plainest form, with the same meaning.
private func written(_ request: ClientRequest) -> [UInt8] {
  let methods: [(ClientRequest.Method, String)] = [
    (.get, "GET"), (.head, "HEAD"), (.options, "OPTIONS"), (.other, "POST"),
  ]
  let method = methods.first { $0.0 == request.method }?.1 ?? ""
  var target = request.method == .other ? [UInt8(ascii: "/")] : request.path
  if !request.query.isEmpty { target += [UInt8(ascii: "?")] + request.query }
  let version = request.takesChunks ? "HTTP/1.1" : "HTTP/1.0"
  var text = Array("\(method) ".utf8) + target + Array(" \(version)\r\n".utf8)
  func put(_ name: String, _ value: [UInt8]?) {
    guard let value else { return }
    text += Array("\(name): ".utf8) + value + Array("\r\n".utf8)
  }
  put("Host", request.host)
  put("Origin", request.origin)
  put("Authorization", request.authorization)
  put("If-None-Match", request.ifNoneMatch)
  put("Last-Event-ID", request.lastEventIDField)
  if request.acceptsGzip { put("Accept-Encoding", Array("gzip".utf8)) }
  if request.acceptsHTML { put("Accept", Array("text/html".utf8)) }
  if request.acceptsEvents { put("Accept", Array("text/event-stream".utf8)) }
  if request.isPreflight { put("Access-Control-Request-Method", []) }
  if request.hasBody { put("Content-Length", [UInt8(ascii: "1")]) }
  put("Connection", Array((request.keepsAlive ? "keep-alive" : "close").utf8))
  return text + Array("\r\n".utf8)
}
