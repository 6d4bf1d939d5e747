import FeedCore
import Foundation
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// The public samples of well-known APIs, walked with the options that a person would type, and without them.
@Suite(.enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"))
struct ConformanceTests {
  /// The typed options, and the options detected with only `--id-from`; nil if they cannot be detected.
  static let options: [String: (typed: String, found: String?)] = [
    "stackexchange-2.3": (
      "--items /items --id-from /question_id --next page=+1 --has-more /has_more",
      "--next page=+1 --items /items --has-more /has_more"
    ),
    "github-rest": ("--id-from /id --next link", "--next link --items ''"),
    "github-graphql": (
      "--items /data/repository/issues/nodes --id-from /id "
        + "--next body:/variables/endCursor=/data/repository/issues/pageInfo/endCursor "
        + "--has-more /data/repository/issues/pageInfo/hasNextPage",
      "--next body:/variables/endCursor=/data/repository/issues/pageInfo/endCursor "
        + "--items /data/repository/issues/nodes --has-more /data/repository/issues/pageInfo/hasNextPage"
    ),
    "slack": (
      "--items /channels --id-from /id --next cursor=/response_metadata/next_cursor",
      "--next cursor=/response_metadata/next_cursor --items /channels"
    ),
    "mastodon": ("--id-from /id --next link", "--next link --items ''"),
    "nyt-newswire": ("--items /results --id-from /uri --next offset=+items --total /num_results", nil),
    "shopify-rest": ("--items /products --id-from /id --next link", "--next link --items /products"),
    "twitter-1.1-timeline": ("--items '' --id-from /id_str --next max_id=min-1", nil),
    "elasticsearch-search_after": (
      "--items /hits/hits --id-from /_id --next body:/search_after=last:/sort --next body:/pit/id=/pit_id",
      "--next body:/search_after=last:/sort --next body:/pit/id=/pit_id --items /hits/hits"
    ),
    "notion": (
      "--items /results --id-from /id --next body:/start_cursor=/next_cursor --has-more /has_more",
      "--next body:/start_cursor=/next_cursor --items /results --has-more /has_more"
    ),
    "json-api-1.1": ("--items /data --id-from /id --next /links/next", "--next /links/next --items /data"),
    "odata-v4": (
      "--items /value --id-from /UserName --next /@odata.nextLink", "--next /@odata.nextLink --items /value"
    ),
    "paddle": (
      "--items /data --id-from /id --next /meta/pagination/next --has-more /meta/pagination/has_more",
      "--next /meta/pagination/next --items /data --has-more /meta/pagination/has_more"
    ),
  ]

  @Test func everyAPIWithOptions() throws {
    for api in try Self.apis() {
      let typed = try #require(Self.options[api.name], "no options for \(api.name)").typed
      try api.check(typed)
    }
  }

  @Test func everyAPIThatCanBeTold() throws {
    for api in try Self.apis() {
      let (typed, found) = try #require(Self.options[api.name])
      let words = typed.split(separator: " ").map(String.init)
      let id = try #require(words.firstIndex(of: "--id-from")).advanced(by: 1)
      guard let found else {
        let walk = FakeServer.walk(try Options(typed: "--id-from \(words[id])"), api.requests[0], api.responses)
        #expect(
          walk.end.hasPrefix("usage: cannot tell how to ask for the next page") || walk.end.hasPrefix("open:"),
          "\(api.name): \(walk.end)")
        continue
      }
      let shape = try api.check("--id-from \(words[id])")
      #expect(shape?.found(beyond: try WalkOptions(typed: "--id-from \(words[id])")) == found, "\(api.name)")
    }
  }

  // MARK: The file

  struct API {
    let name: String
    let requests: [PageRequest]
    let responses: [FakeServer.Response]
    let ids: [String]

    @discardableResult
    func check(_ typed: String) throws -> Shape? {
      let walk = FakeServer.walk(try Options(typed: typed), requests[0], responses)
      #expect(walk.ids == ids, "\(name) \(typed): \(walk.end)")
      #expect(walk.requests.count == requests.count, "\(name) \(typed): \(walk.end)")
      for (found, expected) in zip(walk.requests, requests) {
        #expect(found.isSame(as: expected), "\(name) \(typed)\n  found    \(found.line)\n  expected \(expected.line)")
      }
      #expect(!walk.end.contains(":") && walk.end != "no response left", "\(name) \(typed): \(walk.end)")
      return walk.shape
    }
  }

  /// The APIs in the file, read by our own parser: another one might change the numbers.
  static func apis() throws -> [API] {
    let root = try JSONDocument(parsing: [UInt8](Repository.conformanceFile("paginate-apis.json"))).root
    let apis = try #require(root.member("apis")).children.map { try api($0.value) }
    #expect(apis.count >= 13)
    return apis
  }

  private static func api(_ value: JSONValue) throws -> API {
    let pages = try #require(value.member("pages")).children.map(\.value)
    let requests = try pages.map { page in
      let request = try #require(page.member("request"))
      return PageRequest(
        url: try #require(request.member("url")?.string), method: text(request.member("method")?.string),
        body: request.member("body")?.text)
    }
    let responses = try pages.map { page in
      let response = try #require(page.member("response"))
      let head = response.member("headers")?.children.map { "\(text($0.key?.string)): \(text($0.value.string))" } ?? []
      return FakeServer.Response(head: head, body: text(try #require(response.member("body")).text))
    }
    return API(
      name: text(value.member("api")?.string), requests: requests, responses: responses,
      ids: try #require(value.member("expected_ids")).children.map { text($0.value.string) })
  }
}
