import FeedCore
import Foundation
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// The public samples again, with the real tool and a server: the output is what was asked for.
@Suite(.enabled(if: Repository.conformance != nil && Repository.has("python3"), "FEEDUTILS_CONFORMANCE is unset"))
struct ServerTests {
  @Test(arguments: ConformanceTests.options.keys.sorted())
  func everyAPI(_ name: String) throws {
    let api = try #require(try ConformanceTests.apis().first { $0.name == name })
    let typed = try #require(ConformanceTests.options[name]).typed
    let origin = try #require(Self.origin(of: api.requests[0]))
    let responses = api.responses.map { Self.response($0, origin) }
    let script = String(decoding: try JSONSerialization.data(withJSONObject: responses), as: UTF8.self)
    let body = try api.requests[0].body.map { "-d " + Command.quote(try Self.onOneLine($0)) } ?? ""
    let url = text(api.requests[0].url).replacingOccurrences(of: origin, with: "{0}")
    let scratch = try ScratchFolder()
    let result = try Command.shell(
      "serve-script \(Command.quote(script)) -- paginate --records \(typed) \(body) \(Command.quote(url))",
      in: scratch.path)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    let ids = try result.text.split(separator: "\n").map {
      text(try JSONDocument(parsing: Array($0.utf8)).root.member("id")?.string)
    }
    #expect(ids == api.ids)
    let requests = try String(contentsOfFile: scratch.file("requests"), encoding: .utf8).split(separator: "\n")
    #expect(requests.count == api.requests.count)
    for (line, expected) in zip(requests, api.requests) {
      let path = text(expected.url).replacingOccurrences(of: origin, with: "")
      #expect(line.hasPrefix("0 \(expected.method) \(path)"), "\(line)")
      if let body = expected.body {
        let parts = line.components(separatedBy: " | ")
        let found = try JSONDocument(parsing: Array(try #require(parts.last).utf8))
        #expect(JSONTree.equal(JSONTree(found.root), JSONTree(try JSONDocument(parsing: body).root)), "\(line)")
      }
    }
  }

  private static func onOneLine(_ json: [UInt8]) throws -> String {
    var output = ByteWriter()
    JSONWriter.writeCompact(JSONTree(try JSONDocument(parsing: json).root), to: &output)
    return text(output.take())
  }

  private static func origin(of request: PageRequest) -> String? {
    let url = text(request.url)
    guard let start = url.range(of: "://"), let end = url[start.upperBound...].firstIndex(of: "/") else { return nil }
    return String(url[..<end])
  }

  /// In the form of serve-script.
  private static func response(_ response: FakeServer.Response, _ origin: String) -> [String: Any] {
    var headers: [String: String] = [:]
    for line in response.head {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        .replacingOccurrences(of: origin, with: "{0}")
    }
    let type = headers.removeValue(forKey: "Content-Type") ?? "application/json"
    let isPacked = headers.removeValue(forKey: "Content-Encoding") == "gzip"
    // Stack Exchange asks for ten seconds before its next page.
    let body = response.body.replacingOccurrences(of: origin, with: "{0}")
      .replacingOccurrences(of: #""backoff": 10"#, with: #""backoff": 1"#)
    return ["type": type, "headers": headers, "body": body, "gzip": isPacked]
  }
}
