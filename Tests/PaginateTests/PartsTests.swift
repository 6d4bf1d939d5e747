import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

struct RequestTests {
  static let requests = [
    PageRequest(url: "https://a/".bytes),
    PageRequest(url: "https://a/?q=\"\\".bytes, method: "POST", body: "{\"a\": 1}\n".bytes),
    PageRequest(
      url: "https://a/".bytes, method: "POST", body: [],
      headers: [.init(name: "X-Cursor".bytes, value: "é\t".bytes), .init(name: "B".bytes, value: [])]),
    PageRequest(url: "https://a/".bytes, method: "PUT", body: [0, 0xFF, 0x80, 0x22]),
  ]

  @Test(arguments: requests)
  func aRequestComesBackFromItsJSON(_ request: PageRequest) throws {
    #expect(PageRequest(json: request.json) == request)
  }

  @Test func theJSONIsCompact() {
    #expect(text(Self.requests[0].json) == #"{"method":"GET","url":"https://a/"}"#)
    #expect(
      text(Self.requests[3].json) == #"{"method":"PUT","url":"https://a/","bodyHex":"00ff8022"}"#)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"method":"GET"}"#, #"{"method":1,"url":"x"}"#, #"{"method":"GET","url":"x","body":1}"#,
    #"{"method":"GET","url":"x","bodyHex":"0"}"#, #"{"method":"GET","url":"x","bodyHex":"+f"}"#,
    #"{"method":"GET","url":"x","bodyHex":"zz"}"#, #"{"method":"GET","url":"x","headers":[["a"]]}"#,
  ])
  func whatIsNoRequest(_ text: String) { #expect(PageRequest(json: text.bytes) == nil) }

  @Test func identitiesDiffer() {
    let identities = Set(Self.requests.map(\.identity))
    #expect(identities.count == Self.requests.count)
    let left = PageRequest(url: "https://a/b".bytes, body: "c".bytes)
    let right = PageRequest(url: "https://a/".bytes, body: "bc".bytes)
    #expect(left.identity != right.identity)
  }

  @Test func aHeaderIsSetOnce() {
    var request = Self.requests[2]
    request.setHeader("x-cursor".bytes, to: "2".bytes)
    #expect(request.headers.map { text($0.value) } == ["2", ""])
  }
}

struct SecretTests {
  /// The first URL, a later one, the stored part of it, and the URL requested with a new key.
  @Test(arguments: [
    ("https://a/?api-key=K1&x=1", "https://a/?api-key=K1&x=2", "https://a/?api-key=&x=2", "https://a/?api-key=K2&x=2"),
    // The API moves the key, or leaves it out.
    ("https://a/?api-key=K1&x=1", "https://a/?x=2&api-key=K1", "https://a/?x=2&api-key=", "https://a/?x=2&api-key=K2"),
    ("https://a/?api-key=K1&x=1", "https://a/?x=2", "https://a/?x=2", "https://a/?x=2"),
    // A key that only the server has added, so no command line could put it back.
    ("https://a/?x=1", "https://a/?access_token=K1&x=2", "https://a/?x=2", "https://a/?x=2"),
    ("https://a/?x=1", "https://a/?Access_Token=K1", "https://a/", "https://a/"),
    // A name that is a secret on the command line, but a cursor elsewhere.
    ("https://a/?key=K1", "https://a/?key=K1&c=2", "https://a/?key=&c=2", "https://a/?key=K2&c=2"),
    ("https://a/?x=1", "https://a/?token=cursor", "https://a/?token=cursor", "https://a/?token=cursor"),
    ("https://a/?monkey=1", "https://a/?monkey=2", "https://a/?monkey=2", "https://a/?monkey=2"),
    // Named by --secret-param.
    ("https://a/?badge=K1&x", "https://a/?badge=K1&x", "https://a/?badge=&x", "https://a/?badge=K2&x"),
    ("https://a/?b%41dge=K1", "https://a/?bAdge=K1", "https://a/?bAdge=", "https://a/?bAdge=K2"),
    ("https://a/", "https://a/?badge=K1&x", "https://a/?x", "https://a/?x"),
    // Byte for byte.
    ("https://a/?apikey=K1%2f+", "https://a/?apikey=K1%2f+", "https://a/?apikey=", "https://a/?apikey=K2%2f+"),
    // By a part of the name, and several parameters with one name.
    (
      "https://a/?my_api_key_2=K1&y", "https://a/?my_api_key_2=K1", "https://a/?my_api_key_2=",
      "https://a/?my_api_key_2=K2"
    ),
    ("https://a/?sid=K1&sid=L1", "https://a/?sid=K1&sid=L1", "https://a/?sid=&sid=", "https://a/?sid=K2&sid=L1"),
  ])
  func secretsOfURLs(_ first: String, _ later: String, _ stored: String, _ again: String) {
    let names = ["badge".bytes]
    let cut = SecretParameters(names, of: PageRequest(url: first.bytes), next: nil).redacted(
      PageRequest(url: later.bytes))
    #expect(text(cut.url) == stored)
    let next = SecretParameters(names, of: PageRequest(url: first.replacing("K1", with: "K2").bytes), next: nil)
    #expect(text(next.restored(cut).url) == again)
  }

  /// The value of a header may come back in a link, under a name that alone proves nothing.
  @Test func credentialsOfHeaders() {
    let first = PageRequest(url: "https://a/".bytes)
    let secrets = SecretParameters([], of: first, next: nil, credentials: ["K1234567890ab".bytes, "2022-11-28".bytes])
    let link = PageRequest(url: "https://a/?key=K1234567890ab&since=2022-11-28".bytes)
    #expect(text(secrets.redacted(link).url) == "https://a/?since=2022-11-28")
  }

  @Test(arguments: [
    (#"{"client_id":"x", "secret": "K1", "n":1}"#, #"{"client_id":"x", "secret": "", "n":1}"#),
    ("a=b&api_key=K1&c=d", "a=b&api_key=&c=d"),
    (#"{"key":"title","token":"x"}"#, #"{"key":"","token":""}"#),
    // At any depth, of any kind; of two members with one name, both.
    (
      #"{"a":[{"Password": 1e3}, {"passwd":[true,null,{"b":"x"}]}]}"#,
      #"{"a":[{"Password": ""}, {"passwd":["",null,{"b":""}]}]}"#
    ),
    (#"{"jwt":"a","jwt":"b"}"#, #"{"jwt":"","jwt":""}"#),
    // A value that may be a secret or something else counts as a secret, because it is on the command line.
    (
      #"{"session":{"page":2},"key":["id"],"code":7}"#, #"{"session":{"page":""},"key":[""],"code":""}"#
    ),
    // Several documents, as in a bulk request.
    (
      "{\"index\":\"a\"}\n{\"password\":\"K1\"}\n {\"password\":2}\n",
      "{\"index\":\"a\"}\n{\"password\":\"\"}\n {\"password\":\"\"}\n"
    ),
    // A body that cannot be searched is not stored.
    (#"{"secret":"#, "-"), ("<password>K1</password>", "-"), (#""password":"K1""#, "-"), ("password: K1", "-"),
    ("K1", "-"),
  ])
  func secretsOfBodies(_ body: String, _ stored: String) {
    let first = PageRequest(url: "https://a/".bytes, method: "POST", body: body.bytes)
    let secrets = SecretParameters([], of: first, next: nil)
    let cut = secrets.redacted(first)
    #expect(cut.body.map(text) ?? "-" == stored)
    #expect(secrets.restored(cut) == first)
  }
}

struct OriginTests {
  /// A name has one form in ASCII, however its characters are composed.
  @Test(arguments: [
    ("a.example", "a.example"), ("[::1]", "[::1]"), ("a\u{301}", "xn--1ca"), ("\u{E1}", "xn--1ca"),
  ])
  func partsOfAnOrigin(_ typed: String, _ host: String) throws {
    let url = try HTTPURL("http://\(typed):8080/b:c".bytes)
    #expect(url.origin.bytes == "http://\(host):8080".bytes && url.host.bytes == host.bytes)
  }
}

struct SeenTests {
  @Test func firstSightWins() {
    var seen = SeenIDs()
    for round in 0..<2 {
      for number in 0..<20_000 {
        let isNew = seen.insert("item-\(number)".bytes)
        #expect(isNew == (round == 0))
      }
    }
    #expect(seen.count == 20_000)
    #expect(seen.contains(Digest(of: "item-19999".bytes)) && !seen.contains(Digest(of: "item-20000".bytes)))
    #expect(!SeenIDs().contains(Digest(of: [UInt8]())))
  }

  @Test func digestsDifferByLength() {
    var seen = SeenIDs()
    for length in 0..<40 {
      let isNew = seen.insert([UInt8](repeating: 0, count: length))
      #expect(isNew)
    }
  }
}

struct GraphQLTests {
  @Test(arguments: [
    ("{a(after:$x)}", ["x"]), ("{a(first: 1, after : $ x_1)}", ["x_1"]),
    ("query($after:String){a(after:$after)}", ["after"]),
    ("{a(after:$x){b(after:$y)}}", ["x", "y"]), ("{a(after:$x) b(after:$x)}", ["x"]), ("{a(after:\"$x\")}", []),
    ("# after:$y\n{a(after:$x)}", ["x"]), ("{a(s:\"after:$y\\\"\",after:$x)}", ["x"]),
    ("{a(s:\"\"\"\" after:$y \"\"\", after:$x)}", ["x"]), ("{a(hereafter:$x)}", []), ("{a(after:", []), ("\"", []),
    ("\"\\", []), ("{a(after:$)}", []),
  ])
  func variablesOfAQuery(_ query: String, _ names: [String]) {
    #expect(GraphQLCursor.afterVariables(query.bytes).map { text($0) } == names)
  }

  @Test(arguments: [
    (#"{"query":"{a(after:$x){b(after:$y)}}","variables":{"y":"1"}}"#, "x"),
    (#"{"query":"{a(after:$x){b(after:$y)}}","variables":{}}"#, "cannot tell which variable takes the cursor: $x, $y"),
    (#"{"variables":{"a":null,"b":null}}"#, "cannot tell which variable takes the cursor: $a, $b"),
    (#"{"query":"{a}","variables":{"a":1,"b":null}}"#, "b"),
  ])
  func theVariable(_ body: String, _ expected: String) throws {
    let request = PageRequest(url: [], method: "POST", body: body.bytes)
    do throws(NextError) {
      #expect(text(try GraphQLCursor.variable(of: request)) == expected)
    } catch {
      #expect(error.message == expected)
    }
  }

  @Test func variablesThatAreNull() throws {
    let request = PageRequest(url: [], method: "POST", body: #"{"query":"{a(after:$x)}","variables":null}"#.bytes)
    let next = try #require(try NextRules(typed: "body:/variables/x=/c").request(after: #"{"c":"c"}"#, of: request))
    #expect(text(next.body) == #"{"query":"{a(after:$x)}","variables":{"x":"c"}}"#)
  }
}
