import FeedCore
import FeedHTTP
import TestSupport
import Testing

@testable import http_cat

/// When a resource is requested again, without a network and with the test's own clock.
@Suite struct PollingTests {
  private func head(_ fields: String) -> HTTPHead {
    var head = HTTPHead()
    for line in ["HTTP/1.1 200 OK"] + fields.split(separator: "|").map(String.init) {
      _ = head.take(Array("\(line)\r\n".utf8))
    }
    return head
  }

  private func resource(every interval: Double) throws -> Resource {
    let policy = RetryPolicy(base: interval, .spread(longest: 10 * interval)) { 1 }
    return Resource(try HTTPURL(Array("http://a/".utf8)), due: 0, policy)
  }

  static let fresh: [(fields: String, seconds: Double)] = [
    ("", 60), ("Cache-Control: no-cache", 5), ("Cache-Control: no-store, max-age=60", 5),
    ("Cache-Control: no-cache=\"set-cookie\"", 60), ("Cache-Control: must-revalidate, max-age=30", 30),
    ("Cache-Control: max-age=30, No-Cache", 5),
    ("Cache-Control: max-age=30", 30),
    ("Cache-Control: max-age=30|Age: 10", 20),
    ("Cache-Control: public, Max-Age=\"120\"", 120), ("Cache-Control: max-age=1", 5), ("Cache-Control: max-age=0", 5),
    ("Cache-Control: max-age=86400", 3600), ("Cache-Control: max-age=30|Age: 100", 5),
    ("Cache-Control: max-age=-1", 60),
    ("Cache-Control: max-age=99999999999999999999", 3600), ("Cache-Control: max-age=", 60),
    ("Cache-Control: no-transform|Cache-Control: max-age=40", 40),
    // Of two fields, the first.
    ("Cache-Control: max-age=100|Age: 10|Age: 90", 90), ("Cache-Control: max-age=100|Age: 10, 90", 90),
    // Without max-age, Expires less Date.
    ("Date: Sun, 06 Nov 1994 08:49:37 GMT|Expires: Sun, 06 Nov 1994 08:51:37 GMT", 120),
    ("Date: Sun, 06 Nov 1994 08:49:37 GMT|Expires: Sun, 06 Nov 1994 08:51:37 GMT|Age: 100", 20),
    ("Date: Sun, 06 Nov 1994 08:49:37 GMT|Expires: Sun, 06 Nov 1994 08:49:00 GMT", 5),
    ("Cache-Control: max-age=30|Date: Sun, 06 Nov 1994 08:49:37 GMT|Expires: Sun, 06 Nov 1994 08:51:37 GMT", 30),
    ("Expires: 0", 5), ("Expires: Sun, 06 Nov 1994 08:49:37 GMT", 5), ("Expires: Fri, 01 Jan 2100 00:00:00 GMT", 3600),
  ]

  @Test(arguments: fresh.indices)
  func anResponseIsFreshAsLongAsTheServerSays(_ index: Int) {
    let (fields, seconds) = Self.fresh[index]
    #expect(head(fields).freshness() == seconds, "\(fields)")
  }

  @Test func theIntervalIsFromStartToStart() throws {
    var resource = try resource(every: 10)
    resource.polls.begin(at: 100)
    resource.polls.succeed(head(""), every: .fixed(10), jitter: 0, now: 104)
    #expect(resource.polls.due == 110)
    resource.polls.succeed(head(""), every: .fixed(10), jitter: 0.1, now: 104)
    #expect(resource.polls.due == 111)
    // After a suspend, or with a slow reader, it is due at once, but only once.
    resource.polls.succeed(head(""), every: .fixed(10), jitter: 0, now: 500)
    #expect(resource.polls.due == 110)
    resource.polls.begin(at: 500)
    resource.polls.succeed(head(""), every: .fixed(10), jitter: 0, now: 501)
    #expect(resource.polls.due == 510)
    resource.polls.succeed(head("Cache-Control: max-age=30"), every: .auto, jitter: 0.5, now: 501)
    #expect(resource.polls.due == 501 + 45)
  }

  @Test func failuresBackOff() throws {
    var resource = try resource(every: 10)
    let url = try HTTPURL(Array("http://a/".utf8))
    let failure = PollFailure(HTTPError(.transient, "connection refused"), of: url)
    var waits: [Double] = []
    for now in stride(from: 0.0, to: 600, by: 100) {
      let wait = resource.fail(failure, now: now)
      waits.append(wait?.seconds ?? -1)
      #expect(resource.polls.due == now + (waits.last ?? 0))
    }
    #expect(waits == [20, 40, 80, 100, 100, 100])
    // The wait is the server's if that is longer.
    let asked = PollFailure(failure: failure.failure, kind: .status(HTTPHead(status: 503)), asked: 3000)
    let wait = resource.fail(asked, now: 0)
    #expect(wait?.seconds == 3000)
  }

  @Test func aMistakeIsNotTheServers() {
    let failure = ToolFailure.failed(.remote, "x")
    func isFinal(_ kind: PollFailure.Kind, after hasSucceeded: Bool = false) -> Bool {
      PollFailure(failure: failure, kind: kind).isFinal(hasSucceeded: hasSucceeded)
    }
    let passing = (300..<600).filter { !isFinal(.status(HTTPHead(status: $0))) }
    #expect(passing == [408, 420, 425, 429, 500] + (502..<600).filter { $0 != 505 })
    #expect((300..<600).filter { isFinal(.status(HTTPHead(status: $0)), after: true) } == [410])
    #expect(isFinal(.network(.permanent)) && !isFinal(.network(.transient)) && !isFinal(.content))
    #expect(!isFinal(.network(.permanent), after: true) && isFinal(.network(.local), after: true))
  }
}

/// What is known of a body, by its validators.
@Suite struct KnownBodyTests {
  private let url: HTTPURL

  init() throws { url = try HTTPURL(Array("http://a/x".utf8)) }

  private func validators(_ tag: String, _ date: String = "") -> Validators? {
    Validators(url: url, tag: Array(tag.utf8), date: Array(date.utf8))
  }

  private func confirmed(_ validators: Validators?, by fields: String) -> Validators? {
    var head = HTTPHead()
    for line in ["HTTP/1.1 304 Not Modified"] + fields.split(separator: "|").map(String.init) {
      _ = head.take(Array("\(line)\r\n".utf8))
    }
    return validators?.confirmed(by: head)
  }

  @Test func aTagOfApacheIsSentInBothForms() throws {
    #expect(validators("") == nil)
    for (tag, sent) in [
      (#""a""#, #""a""#), (#"W/"a""#, #"W/"a""#), (#""a-gzip""#, #""a-gzip", "a""#),
      (#"W/"a-gzip""#, #"W/"a-gzip", W/"a""#),
      (#""-gzip""#, #""-gzip", """#), (#"a-gzip"#, "a-gzip"), ("bare", "bare"),
    ] {
      #expect(String(decoding: try #require(validators(tag)).tags, as: UTF8.self) == sent)
    }
  }

  /// A 304 may bring another date for the known tag, but no validators of a body that was not seen.
  @Test func aConfirmationBringsNoOtherTag() {
    let known = validators(#""a""#, "Fri, 20 Nov 2026 10:00:00 GMT")
    let moved = validators(#""a""#, "Sat, 21 Nov 2026 10:00:00 GMT")
    #expect(confirmed(known, by: "") == known)
    #expect(confirmed(known, by: #"ETag: "b""#) == known)
    #expect(confirmed(known, by: #"ETag: "b"|Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT"#) == known)
    #expect(confirmed(known, by: "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT") == known)
    for tag in [#""a""#, #"W/"a""#, #""a-gzip""#] {
      #expect(confirmed(known, by: "ETag: \(tag)|Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT") == moved)
    }
    let dated = validators("", "Fri, 20 Nov 2026 10:00:00 GMT")
    #expect(confirmed(dated, by: "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT") == dated)
  }

  /// The id of a record restores the validators.
  @Test func anIDIsReadAgain() {
    let digest = Array("6b86b273".utf8)
    for (validators, text) in [
      (validators(#""a""#), #"17 "a""#), (validators(#"W/"ä b""#), #"17 W/"ä b""#),
      (validators("", "Fri, 20 Nov 2026 10:00:00 GMT"), "17 lm:Fri, 20 Nov 2026 10:00:00 GMT"),
      (nil, "17 sha256:6b86b273"),
    ] {
      let id = KnownBody.id(number: Array("17".utf8), validators, digest: digest)
      #expect(String(decoding: id, as: UTF8.self) == text)
      let known = KnownBody(id: id, of: url)
      #expect(known.validators == validators && known.id == id)
      #expect(known.digest == (validators == nil ? digest : []))
    }
  }

  @Test func whatCannotBeAnIDIsADigest() {
    let digest = Array("6b86b273".utf8)
    for tag in [Array("lm:x".utf8), Array("sha256:x".utf8), [0x22, 0xFF, 0x22], [UInt8](repeating: 0x61, count: 1001)] {
      let validators = Validators(url: url, tag: tag, date: [])
      #expect(KnownBody.id(number: [0x31], validators, digest: digest) == Array("1 sha256:6b86b273".utf8))
    }
  }

  /// A checkpoint keeps no query, because many APIs expect their key there.
  @Test func aCheckpointKeepsNoQuery() throws {
    let resource = try HTTPURL(Array("http://a/x?key=secret".utf8))
    for (source, isKept) in [("http://a/x?key=secret", true), ("http://b/y", true), ("http://b/y?key=secret", false)] {
      var known = KnownBody()
      known.validators = Validators(url: try HTTPURL(Array(source.utf8)), tag: Array(#""a""#.utf8), date: [])
      let saved = known.checkpoint(of: resource)
      #expect(!String(decoding: saved.extra.values.flatMap(\.self), as: UTF8.self).contains("secret"))
      #expect(KnownBody(saved, of: resource).validators == (isKept ? known.validators : nil))
    }
  }

  @Test(arguments: ["", "x", "17", "x \"a\"", "-1 \"a\"", "99999999999999999999999 \"a\"", " \"a\""])
  func aStrangeIDIsAFreshStart(_ id: String) {
    let known = KnownBody(id: Array(id.utf8), of: url)
    #expect(known.validators == nil && known.digest.isEmpty)
  }
}
