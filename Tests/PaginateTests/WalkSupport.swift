import TestSupport
import Testing

@testable import FeedCore
@testable import FeedHTTP
@testable import paginate

extension String {
  var bytes: [UInt8] { Array(utf8) }
}

func text(_ bytes: [UInt8]?) -> String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none" }

func json(_ text: String) throws -> JSONDocument { try JSONDocument(parsing: text.bytes) }

/// A head as received.
func makeHead(_ lines: [String], status: Int = 200) -> HTTPHead {
  var head = HTTPHead()
  for line in ["HTTP/1.1 \(status) X"] + lines + [""] { _ = head.take(line.bytes) }
  return head
}

extension Options {
  /// The options of a walk as typed, separated by spaces; quotes are left out.
  init(typed: String) throws {
    let words = typed.split(separator: " ").map { $0.utf8.filter { $0 != UInt8(ascii: "'") } }
    let invocation = try paginate.parse(words + ["https://api.example/".bytes])
    self = try Options(invocation, StandardStreams(program: "paginate"))
  }
}

extension WalkOptions {
  init(typed: String) throws { self = try Options(typed: typed).walk }
}

extension NextRules {
  init(typed rules: String...) { self.init(rules.compactMap { try? NextRule.parse($0.bytes) }) }

  /// The request that a response without items leads to.
  func request(after body: String, of first: PageRequest) throws -> PageRequest? {
    let response = NextResponse(
      head: nil, root: try json(body).root, request: first, first: first, url: nil, count: 0
    ) { _ in preconditionFailure() }
    return try step(after: response)?.request(from: first, at: nil, sendsSecrets: true, keepsMethod: false)
  }
}

extension NextError {
  fileprivate var kind: String { isUsage ? "usage" : "page" }
}

/// A server with prepared responses, which records its requests.
struct FakeServer {
  struct Response {
    var head: [String] = []
    let body: String
  }

  /// A walk through some responses, in order, whatever is requested.
  struct Walk {
    var requests: [PageRequest] = []
    var ids: [String] = []
    /// The ids of the printed items, or the items if they have none.
    var printed: [String] = []
    /// The name of the ending, or the kind and message of the error.
    var end = ""
    var shape: Shape?
  }

  /// Walks without a store, through the engine.
  static func walk(_ options: Options, _ first: PageRequest, _ responses: [Response]) -> Walk {
    var walk = Walk()
    let walker: Walker
    do { walker = try Walker(options.walk, first: first) } catch {
      walk.end = "\(error.kind): \(error.message)"
      return walk
    }
    var lines: [UInt8] = []
    var printer = FeedPrinter { bytes, _ in
      for index in bytes.indices { lines.append(bytes[index]) }
      return (bytes.count, nil)
    }
    printer.form = .record(RecordStamp())
    printer.remaining = options.limit == .max ? nil : options.limit
    var session = FeedSession(
      PassingStorage(dedupes: options.dedupes), FeedOptions(first, options), Answers(walker, responses[...], walk),
      printer)
    guard let outcome = try? session.run(), outcome.outputError == nil else { return walk }
    walk = session.fetcher.walk
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let record = try? JSONDocument(parsing: Array(line)).root
      guard let record, let data = record.member("data") else { continue }
      let id = record.member("id")?.string
      if let id { walk.ids.append(text(id)) }
      walk.printed.append(text(id ?? (data.string ?? data.text)))
    }
    if outcome.isStopped {
      walk.end = session.fetcher.hasEnd ? "stopBefore" : "limit"
    } else if let failure = outcome.failure, session.fetcher.error == nil, failure.status != .no {
      walk.end = "loop: \(failure.message)"
    } else if walk.end.isEmpty {
      walk.end = "maxPages"
    }
    return walk
  }

  /// Responses in order, whatever is requested.
  private struct Answers: PageFetcher {
    var walker: Walker
    var responses: ArraySlice<Response>
    var walk: Walk
    var error: NextError?
    /// Whether `--stop-before` was met.
    var hasEnd = false

    init(_ walker: Walker, _ responses: ArraySlice<Response>, _ walk: Walk) {
      (self.walker, self.responses, self.walk) = (walker, responses, walk)
    }

    mutating func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
      do throws(NextError) {
        var request = PageRequest(json: request)
        while true {
          if let request { walk.requests.append(request) }
          guard let response = responses.popFirst() else { return fail("no response left") }
          guard let document = try? JSONDocument(parsing: response.body.bytes) else {
            return fail("bad JSON in the test: \(response.body)")
          }
          let step = try walker.take(request, makeHead(response.head), document, after: progress)
          walk.shape = walker.shape
          if case .part(let next) = step.outcome {
            request = next
            continue
          }
          return .page(page(step, request?.json ?? []))
        }
      } catch {
        self.error = error
        walk.shape = walker.shape ?? walk.shape
        return fail("\(error.kind): \(error.message)")
      }
    }

    private mutating func fail(_ end: String) -> FeedResponse {
      error = error ?? NextError.response(end)
      walk.end = end
      return .failed(FeedFailure(status: .remote, message: end))
    }

    private mutating func page(_ step: Walker.Step, _ request: [UInt8]) -> FeedPage {
      var next: [UInt8]?
      var failure: FeedFailure?
      switch step.outcome {
      case .next(let request): next = request.json
      case .end(.incomplete(let reason)): failure = FeedFailure(status: .no, message: reason)
      case .failure(let error):
        self.error = error
        failure = FeedFailure(status: .remote, message: error.message)
      default: break
      }
      var page = FeedPage(step, by: walker.shape?.next, of: request, next: next, failure)
      page.items = ItemTexts(step.page).all
      if step.end != nil { hasEnd = true }
      switch step.outcome {
      case .end(.open(let reason)): walk.end = "open: \(reason)"
      case .end(.incomplete(let reason)): walk.end = "incomplete: \(reason)"
      case .end(let ending): walk.end = "\(ending)"
      case .failure(let error): walk.end = "\(error.kind): \(error.message)"
      case .link: walk.end = "link"
      case .next, .part: walk.end = ""
      }
      return page
    }
  }
}

extension PageRequest {
  /// `POST https://… BODY`
  init(line: String) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    self.init(url: words[1].bytes, method: words[0], body: words.count > 2 ? words[2].bytes : nil)
  }

  var line: String {
    let cursors = headers.map { " [\(text($0.name)): \(text($0.value))]" }.joined()
    return "\(method) \(text(url))" + (body.map { " " + text($0) } ?? "") + cursors
  }

  /// Whether two requests ask for the same; bodies are compared as JSON.
  func isSame(as other: PageRequest) -> Bool {
    guard method == other.method, url == other.url, (body == nil) == (other.body == nil) else { return false }
    guard let body, let otherBody = other.body else { return true }
    guard let a = try? JSONDocument(parsing: body), let b = try? JSONDocument(parsing: otherBody) else {
      return body == otherBody
    }
    return JSONTree.equal(JSONTree(a.root), JSONTree(b.root))
  }
}
