// How to recognise well-known APIs. A convention applies if all of its signs are on a page. It may then say how to ask
// for the next page, because the names of the API's parameters are documented. Nothing undocumented is guessed.
//
// To support a new API, add a row; the first convention that applies is used.

import FeedCore

/// A documented way of paging.
struct Convention: Sendable {
  /// JSON Pointers that must all exist.
  let signs: [String]
  /// A value of `--next`.
  let next: String
  /// A value of `--items`, if another array could be mistaken for the items.
  var items: String?
  var total: String?
  var id: String?
  /// Further conditions on `signs`: pointers and the strings that must be there.
  var words: [String: String] = [:]
  /// Whether the request must have a JSON body; nil if it does not matter.
  var isInBody: Bool?

  /// Links: a URL, `null`, or an object or array with the link. The first that exists is used.
  static let links = [
    "/links/next", "/_links/next", "/@odata.nextLink", "/odata.nextLink", "/@nextLink", "/d/__next", "/nextLink",
    "/meta/pagination/next", "/meta/next", "/pagination/next", "/paging/next", "/info/next", "/next_page_url",
    "/pagination/next_url", "/next_url", "/next_href", "/nextRecordsUrl", "/hydra:view/hydra:next", "/hydra:view/next",
    "/view/next", "/next_page", "/next", "/topic_list/more_topics_url", "/links", "/link",
  ]

  /// Pages that would have a link if there were a next page.
  static let withoutLink = [
    Convention(signs: ["/links/self"], next: "/links/next"),
    Convention(signs: ["/links/first"], next: "/links/next"),
    Convention(signs: ["/links/prev"], next: "/links/next"),
    Convention(signs: ["/_links/self"], next: "/_links/next"),
    Convention(signs: ["/@odata.context", "/value"], next: "/@odata.nextLink"),
    Convention(signs: ["/d/results"], next: "/d/__next"),
    Convention(signs: ["/paging/cursors", "/data"], next: "/paging/next"),
    Convention(signs: ["/meta/pagination/has_more"], next: "/meta/pagination/next"),
    Convention(signs: ["/topic_list/topics"], next: "/topic_list/more_topics_url", items: "/topic_list/topics"),
  ]

  static let cursors = [
    // Elasticsearch and OpenSearch, with a sorted query
    Convention(signs: ["/hits/hits/0/sort", "/_shards"], next: "search-after", items: "/hits/hits", isInBody: true),
    Convention(signs: ["/hits/hits/0/sort", "/took"], next: "search-after", items: "/hits/hits", isInBody: true),
    // Slack
    Convention(signs: ["/response_metadata/next_cursor", "/ok"], next: "cursor:cursor=/response_metadata/next_cursor"),
    // Notion
    Convention(
      signs: ["/object", "/next_cursor", "/has_more"], next: "cursor-body:/start_cursor=/next_cursor",
      words: ["/object": "list"], isInBody: true),
    Convention(
      signs: ["/object", "/next_cursor", "/has_more"], next: "cursor:start_cursor=/next_cursor",
      words: ["/object": "list"]),
    // Stripe
    Convention(
      signs: ["/object", "/data", "/has_more", "/url"], next: "last-id:starting_after", items: "/data", id: "/id",
      words: ["/object": "list"]),
    // Stack Exchange
    Convention(signs: ["/items", "/has_more", "/quota_remaining"], next: "page:page", items: "/items"),
    // Reddit
    Convention(
      signs: ["/kind", "/data/children", "/data/after"], next: "cursor:after=/data/after", items: "/data/children",
      words: ["/kind": "Listing"]),
    // Twitter 2
    Convention(
      signs: ["/meta/result_count"], next: "cursor:pagination_token=/meta/next_token", items: "/data"),
    // Jira Cloud (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/)
    Convention(
      signs: ["/issues", "/isLast"], next: "cursor-body:/nextPageToken=/nextPageToken", items: "/issues", isInBody: true
    ),
    Convention(signs: ["/issues", "/isLast"], next: "cursor:nextPageToken=/nextPageToken", items: "/issues"),
    Convention(
      signs: ["/issues", "/nextPageToken"], next: "cursor-body:/nextPageToken=/nextPageToken", items: "/issues",
      isInBody: true),
    Convention(signs: ["/issues", "/nextPageToken"], next: "cursor:nextPageToken=/nextPageToken", items: "/issues"),
    // Google
    Convention(signs: ["/nextPageToken"], next: "cursor:pageToken=/nextPageToken"),
    // Solr
    Convention(
      signs: ["/nextCursorMark", "/response/docs"], next: "cursor:cursorMark=/nextCursorMark", items: "/response/docs"),
    // Airtable
    Convention(signs: ["/records", "/offset"], next: "cursor:offset=/offset", items: "/records"),
    // Bitbucket Server
    Convention(signs: ["/values", "/isLastPage"], next: "cursor:start=/nextPageStart", items: "/values"),
    // DynamoDB
    Convention(
      signs: ["/LastEvaluatedKey", "/Items"], next: "cursor-body:/ExclusiveStartKey=/LastEvaluatedKey", items: "/Items",
      isInBody: true),
    // Jira
    Convention(signs: ["/startAt", "/maxResults", "/total"], next: "offset:startAt", total: "/total"),
    // Contentful
    Convention(
      signs: ["/sys", "/skip", "/limit", "/total", "/items"], next: "offset:skip", items: "/items", total: "/total"),
  ]

  /// Members that say whether there is more; used if they are booleans.
  static let hasMore = [
    "/has_more", "/hasMore", "/meta/has_more", "/meta/hasMore", "/meta/pagination/has_more", "/pagination/has_more",
    "/paging/has_more", "!/isLast", "!/isLastPage", "!/end_of_stream",
  ]

  /// Arrays of objects that are not the items.
  static let besideItems: Set<String> = [
    "included", "includes", "errors", "warnings", "links", "link", "facets", "curies",
  ]

  /// HAL's object of links. It contains no items, but may have an array of objects (`curies`).
  static let linkObject = Array("_links".utf8)

  func applies(to root: JSONValue, isInBody: Bool) -> Bool {
    if let wanted = self.isInBody, wanted != isInBody { return false }
    let isThere = signs.allSatisfy { Self.value($0, root) != nil }
    return isThere && words.allSatisfy { Self.value($0.key, root)?.string == Array($0.value.utf8) }
  }

  static func value(_ pointer: String, _ root: JSONValue) -> JSONValue? { root.value(at: Self.pointer(pointer)) }

  /// A pointer from the tables above; tests check them.
  static func pointer(_ text: String) -> JSONPointer { (try? JSONPointer(Array(text.utf8))) ?? JSONPointer() }
}
