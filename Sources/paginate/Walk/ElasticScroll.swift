// Elasticsearch's and OpenSearch's scroll
// (https://www.elastic.co/guide/en/elasticsearch/reference/current/scroll-api.html): a search whose URL has `scroll=1m`
// stays open on the server for that time. Each next page is a POST to `/_search/scroll` with the newest id. The id may
// be the same each time, so only an empty page shows the end.

import FeedCore

enum ElasticScroll {
  static let member = Array("scroll_id".utf8)
  private static let time = Array("scroll".utf8)
  private static let path = Array("/_search/scroll".utf8)

  /// - Throws: a usage error if the first request opens no scroll, or if its requests are kept for a later run.
  static func check(_ first: PageRequest, isKept: Bool) throws(WalkError) {
    if isKept {
      throw WalkError(.usage, "a store cannot keep a scroll, which the server forgets (--next search-after)")
    }
    guard QueryString(first.url).value(of: time) == nil else { return }
    throw WalkError(.usage, "option '--next scroll' needs 'scroll' in the URL, such as '?scroll=1m'")
  }

  static func next(_ context: PageContext) throws(WalkError) -> NextStep {
    if context.page.items.isEmpty { return .none }
    guard let id = context.page.root.member("_scroll_id"), id.kind.isString else {
      throw WalkError(.page, "no string '_scroll_id' in the answer, which --next scroll needs", at: 0)
    }
    let kept = QueryString(context.first.url).value(of: time) ?? []
    let members = [
      (JSONPointer(tokens: [time]), JSONText.string(kept)), (JSONPointer(tokens: [member]), JSONTree(id)),
    ]
    return .request(try PathPost.request(path, members, context), cursor: JSONString.decoded(id))
  }
}
