import FeedCore
import FeedHTTP
import TestSupport
import Testing

@testable import ws_cat

/// The opening handshake, without a network.
@Suite struct OpeningTests {
  /// The example of RFC 6455 §1.3.
  static func opening(_ url: String = "http://server.example.com/chat") throws -> OpeningRequest {
    let request = HTTPOptions().request(try HTTPURL(Array(url.utf8)))
    return OpeningRequest(
      request, subprotocols: [Array("chat".utf8), Array("superchat".utf8)],
      nonce: Array("the sample nonce".utf8))
  }

  @Test func theRequest() throws {
    let text = String(decoding: try Self.opening().request.head(), as: UTF8.self)
    let lines = [
      "GET /chat HTTP/1.1", "Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Protocol: chat, superchat", "User-Agent: feedutils/\(ToolSpec.version)",
      "", "",
    ]
    #expect(text == lines.joined(separator: "\r\n"))
  }

  @Test(arguments: [
    ("http://a", "/", "a"), ("https://a:8443/b/c?d=e#f", "/b/c?d=e", "a:8443"), ("http://a?x", "/?x", "a"),
    ("http://u:p@[::1]:80/", "/", "[::1]"), ("https://a:80/", "/", "a:80"),
    ("https://a:443/", "/", "a"), ("http://a/%20 b", "/%20%20b", "a"),
  ])
  func targets(_ url: String, _ target: String, _ authority: String) throws {
    let url = try HTTPURL(Array(url.utf8))
    #expect(url.target == target)
    #expect(url.authority == authority)
  }

  struct Response: CustomTestStringConvertible, Sendable {
    let head: [UInt8]
    let verdict: String

    var testDescription: String { String(decoding: head, as: UTF8.self) + verdict }

    static let all: [Response] = {
      var responses: [Response] = []
      var lines: [String] = []
      let text = (try? Repository.contents("Tests/Fixtures/ws/responses.txt")) ?? ""
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix("#") {
        guard line.hasPrefix("=> ") else {
          if !(lines.isEmpty && line.isEmpty) { lines.append(String(line)) }
          continue
        }
        let head = (lines + ["", ""]).joined(separator: "\r\n")
        responses.append(Response(head: Array(head.utf8), verdict: String(line.dropFirst(3))))
        lines = []
      }
      return responses
    }()
  }

  @Test(arguments: Response.all)
  func responses(_ response: Response) throws {
    let opening = try Self.opening()
    for size in [1, 7, response.head.count] {
      #expect(Self.verdict(response.head, size, opening) == response.verdict, "in pieces of \(size)")
    }
  }

  @Test func thereAreResponses() { #expect(Response.all.count >= 15) }

  /// A frame may follow the head in the same packet: it is not read here.
  @Test func nothingBehindTheHeadIsTaken() throws {
    let head = try #require(Response.all.first).head
    let bytes = head + [0x81, 0x01, 0x61]
    var response = OpeningResponse()
    var index = 0
    #expect(try response.take(bytes.span, from: &index))
    #expect(index == head.count)
  }

  @Test func aHeadHasALimit() {
    let line = Array("X: \(String(repeating: "y", count: 998))\r\n".utf8)
    var response = OpeningResponse()
    var error: HTTPError?
    do throws(HTTPError) {
      var index = 0
      _ = try response.take(Array("HTTP/1.1 200 OK\r\n".utf8).span, from: &index)
      for _ in 0..<100 {
        index = 0
        _ = try response.take(line.span, from: &index)
      }
    } catch let thrown { error = thrown }
    #expect(error?.message == "the headers of the response are too large")
  }

  private static func verdict(_ bytes: [UInt8], _ size: Int, _ opening: OpeningRequest) -> String {
    var response = OpeningResponse()
    do throws(HTTPError) {
      for start in stride(from: 0, to: bytes.count, by: size) {
        var index = 0
        guard try response.take(bytes[start..<min(bytes.count, start + size)].span, from: &index) else { continue }
        guard let choice = try response.choice(opening) else { return "refused" }
        return "open" + (choice.subprotocol.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
          + (choice.compression.map { " \($0)" } ?? "")
      }
      return "incomplete"
    } catch {
      return "! " + bare(error)
    }
  }

  private static func bare(_ error: HTTPError) -> String {
    let prefix = "the handshake is malformed: "
    return error.message.hasPrefix(prefix) ? String(error.message.dropFirst(prefix.count)) : error.message
  }

  // MARK: Compression

  @Test(arguments: [
    ([], "none"), ([""], "none"), (["", " , "], "none"),
    (["permessage-deflate"], "server keeps, client keeps 15"),
    (["", "Permessage-Deflate ; Server_No_Context_Takeover"], "server forgets, client keeps 15"),
    (["permessage-deflate; client_no_context_takeover; server_max_window_bits=8"], "server keeps, client forgets 15"),
    (["permessage-deflate;client_max_window_bits=\"9\""], "server keeps, client keeps 9"),
    (["permessage-deflate; client_max_window_bits = 8"], "server keeps, client keeps 8"),
    (["permessage-deflate; client_max_window_bits"], "! invalid parameter 'client_max_window_bits'"),
    (["permessage-deflate; client_max_window_bits=16"], "! invalid parameter 'client_max_window_bits=16'"),
    (["permessage-deflate; client_max_window_bits=09"], "! invalid parameter 'client_max_window_bits=09'"),
    (["permessage-deflate; server_max_window_bits"], "! invalid parameter 'server_max_window_bits'"),
    (["permessage-deflate; server_max_window_bits=7"], "! invalid parameter 'server_max_window_bits=7'"),
    (["permessage-deflate; server_no_context_takeover=1"], "! invalid parameter 'server_no_context_takeover=1'"),
    (
      ["permessage-deflate; client_no_context_takeover; client_no_context_takeover"],
      "! invalid parameter 'client_no_context_takeover'"
    ),
    (["permessage-deflate; level=9"], "! invalid parameter 'level=9'"),
    (["permessage-deflate;"], "! invalid parameter ''"),
    (["permessage-deflate", "permessage-deflate"], "! the server chose an extension that was not offered"),
    (["permessage-deflate, x"], "! the server chose an extension that was not offered"),
    (["x-webkit-deflate-frame"], "! the server chose an extension that was not offered"),
  ])
  func choices(_ values: [String], _ expected: String) {
    #expect(
      Self.choice(values, of: PerMessageDeflate())
        == expected.replacing(#/^! invalid.*/#) { $0.0 + " of permessage-deflate" })
  }

  private static func choice(_ values: [String], of offer: PerMessageDeflate) -> String {
    do throws(HTTPError) {
      guard let agreed = try PerMessageDeflate.choice(values.map { Array($0.utf8) }, offer: offer) else {
        return "none"
      }
      return "server \(agreed.serverKeepsWindow ? "keeps" : "forgets"), client "
        + "\(agreed.clientKeepsWindow ? "keeps" : "forgets") \(agreed.clientWindowBits)"
    } catch {
      return "! " + bare(error)
    }
  }

  // MARK: Parts

  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
    (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
  ])
  func digests(_ text: String, _ digest: String) {
    let found = SHA1.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(found == digest)
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
  ])
  func base64(_ text: String, _ encoded: String) {
    #expect(Base64.encoded(Array(text.utf8)) == Array(encoded.utf8))
    #expect(Base64.decoded(Array(encoded.utf8)) == Array(text.utf8))
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "====", "=", "Zh==", "Zm9=", "Zm9v\n", "Zg==Zg==", "Z-9v", "A==="])
  func noBase64(_ text: String) { #expect(Base64.decoded(Array(text.utf8)) == nil) }

  @Test(arguments: [
    ("/a=1", "{\"a\":1}", true), ("/a=1", "{\"a\":1.0}", false), ("/a=1", "{\"a\":\"1\"}", true),
    ("/a=é\"", "{\"a\":\"\\u00e9\\\"\"}", true), ("/a/1=x", "{\"a\":[0,\"x\"]}", true), ("/a=", "{\"a\":\"\"}", true),
    ("/a=null", "{\"a\":null}", true), ("/b=null", "{\"a\":null}", false), ("/a={}", "{\"a\":{}}", false),
    ("=5", "5", true), ("/a=b=c", "{\"a\":\"b=c\"}", true), ("/a=true", "{\"a\":true}", true),
    ("/a", "{\"a\":0}", true), ("/a", "{\"a\":[]}", true), ("/a", "{\"a\":null}", false),
    ("/a", "{\"a\":false}", false), ("/a", "{\"b\":1}", false), ("", "1", true),
  ])
  func conditions(_ text: String, _ document: String, _ holds: Bool) throws {
    let condition = try Condition(typed: Array(text.utf8))
    #expect(condition.holds(for: try JSONDocument(parsing: Array(document.utf8)).root) == holds)
  }

  @Test(arguments: ["a", "a=b", "/a~=b"])
  func noConditions(_ text: String) { #expect(throws: OptionRefusal.self) { try Condition(typed: Array(text.utf8)) } }
}
