import Testing

@testable import FeedHTTP

struct HeaderValueTests {
  /// 1994-11-06T08:49:37Z, the example of RFC 9110.
  static let example = 784_111_777

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func theThreeFormsOfADate(_ text: String) {
    #expect(HTTPDate.seconds(Array(text.utf8), now: Int64(Self.example) * 1_000_000) == Self.example)
  }

  @Test(arguments: ["", "yesterday", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT", "1 2 3 4 5 6 7"])
  func noDates(_ text: String) { #expect(HTTPDate.seconds(Array(text.utf8)) == nil) }

  @Test(arguments: [
    ("120", 120.0), ("0", 0), ("1.5", 1.5), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:40:37 GMT", 0),
  ])
  func retryAfter(_ text: String, _ seconds: Double) {
    #expect(AskedWait.retryAfter(Array(text.utf8), now: Int64(Self.example) * 1_000_000) == seconds)
  }

  @Test(arguments: ["", "-1", "soon", "1.2.3", "."])
  func noRetryAfter(_ text: String) { #expect(AskedWait.retryAfter(Array(text.utf8), now: 0) == nil) }

  @Test func statusSets() throws {
    let set = try #require(StatusSet(Array("429,5xx".utf8)))
    #expect([429, 500, 599].allSatisfy(set.contains))
    #expect(![428, 499, 600].contains(where: set.contains))
    #expect(StatusSet(Array("none".utf8)) == StatusSet.none)
    for text in ["", "5x", "x29", "42", "4291", "429,", "5xx,none", "+29"] {
      #expect(StatusSet(Array(text.utf8)) == nil)
    }
  }

  @Test(arguments: [
    ("text/event-stream", "text/event-stream"), ("Text/Event-Stream;charset=UTF-8", "text/event-stream"),
    (" text/event-stream ; x", "text/event-stream"), ("text/event-streams", "text/event-streams"),
  ])
  func mediaTypes(_ value: String, _ essence: String) {
    var head = HTTPHead()
    #expect(head.take(Array("HTTP/1.1 200 OK\r\n".utf8)) == false)
    #expect(head.take(Array("Content-Type: \(value)\r\n".utf8)) == false)
    #expect(head.take(Array("\r\n".utf8)) == true)
    #expect(head.mediaType == essence)
  }

  @Test func anInterimResponseIsForgotten() {
    var head = HTTPHead()
    for line in ["HTTP/1.1 100 Continue", "X-A: 1", ""] { #expect(head.take(Array(line.utf8)) == false) }
    #expect(head.take(Array("HTTP/2 404".utf8)) == false)
    #expect(head.take([]) == true)
    #expect(head.status == 404)
    #expect(head.value(of: "x-a") == nil)
  }
}
