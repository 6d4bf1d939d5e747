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

extension WalkOptions {
  /// The options of a walk as typed, separated by spaces; quotes are left out.
  init(typed: String) throws {
    let words = typed.split(separator: " ").map { $0.utf8.filter { $0 != UInt8(ascii: "'") } }
    let invocation = try paginate.parse(words + ["https://api.example/".bytes])
    self = try Options(invocation, StandardStreams(program: "paginate")).walk
  }
}

extension NextRules {
  init(typed rules: String...) { self.init(rules.compactMap { try? NextRule.parse($0.bytes) }) }

  /// The request that an answer without items leads to.
  func request(after body: String, of first: PageRequest) throws -> PageRequest? {
    let answer = NextAnswer(
      head: nil, root: try json(body).root, request: first, first: first, url: nil, count: 0
    ) { _ in preconditionFailure() }
    return try step(after: answer)?.request(from: first, at: nil, sendsSecrets: true, keepsMethod: false)
  }
}

/// A server with prepared answers, which records its requests.
struct FakeServer {
  struct Answer {
    var head: [String] = []
    let body: String
  }

  /// A walk through some answers, in order, whatever is requested.
  struct Walk {
    var requests: [PageRequest] = []
    var ids: [String] = []
    /// The ids of the printed items, or the items if they have none.
    var printed: [String] = []
    /// The name of the ending, or the kind and message of the error.
    var end = ""
    var shape: Shape?
  }

  static func walk(_ options: WalkOptions, _ first: PageRequest, _ answers: [Answer]) -> Walk {
    var walk = Walk()
    do throws(WalkError) {
      var walker = try Walker(options, first: first)
      var request = first
      for answer in answers {
        walk.requests.append(request)
        guard let document = try? JSONDocument(parsing: answer.body.bytes) else {
          walk.end = "bad JSON in the test: \(answer.body)"
          return walk
        }
        let step = try walker.take(request, makeHead(answer.head), document)
        walk.shape = walker.shape
        walk.ids += step.items.map { text($0.id) }
        walk.printed += step.items.map { item in
          if let id = item.id { return text(id) }
          var output = ByteWriter()
          item.write(to: &output)
          return text(output.take())
        }
        switch step.outcome {
        case .next(let next), .part(let next): request = next
        case .end(let ending):
          walk.end =
            switch ending {
            case .open(let reason): "open: \(reason)"
            case .incomplete(let reason): "incomplete: \(reason)"
            default: "\(ending)"
            }
          return walk
        case .failure(let error): throw error
        case .link: walk.end = "link"
        }
      }
      walk.requests.append(request)
      walk.end = "no answer left"
    } catch {
      walk.end = "\(error.kind): \(error.message)"
    }
    return walk
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
    return JSONEquality.equal(JSONTree(a.root), JSONTree(b.root))
  }
}
