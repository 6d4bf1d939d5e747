// The rows of known APIs; `Convention` says what they mean. Each has a sample in Tests/Fixtures/paginate/apis, with the
// address of its documentation. CONTRIBUTING.md says how to add one.

extension Convention {
  /// Links: a URL, `null`, or an object or array with the link. The first that exists is used.
  static let links = [
    "/links/next", "/_links/next", "/@odata.nextLink", "/odata.nextLink", "/@nextLink", "/d/__next", "/nextLink",
    "/meta/pagination/next", "/meta/next", "/pagination/next", "/paging/next", "/info/next", "/next_page_url",
    "/pagination/next_url", "/next_url", "/next_href", "/nextRecordsUrl", "/hydra:view/hydra:next", "/hydra:view/next",
    "/view/next", "/next_page", "/next", "/pages/next", "/_pagination/next", "/topic_list/more_topics_url", "/links",
    "/link",
  ]

  /// Pages that would have a link if there were a next page.
  static let withoutLink = [
    Convention("JSON:API", ["/links/self", "!/links/first"], "/links/next"),
    Convention("JSON:API", ["/links/first"], "/links/next"),
    Convention("JSON:API", ["/links/prev", "!/links/first", "!/links/self"], "/links/next"),
    Convention("HAL", ["/_links/self"], "/_links/next"),
    Convention("OData", ["/@odata.context", "/value"], "/@odata.nextLink"),
    Convention("OData 2", ["/d/results"], "/d/__next"),
    Convention("Facebook", ["/paging/cursors", "/data"], "/paging/next"),
    Convention("Paddle", ["/meta/pagination/has_more"], "/meta/pagination/next"),
    Convention("Salesforce", ["/done", "/totalSize", "/records"], "/nextRecordsUrl", items: "/records"),
    Convention("JSON Feed", ["/version=https://jsonfeed.org/version/1.1"], "/next_url", items: "/items"),
    Convention("JSON Feed", ["/version=https://jsonfeed.org/version/1"], "/next_url", items: "/items"),
    Convention("Okta", ["header:x-okta-request-id"], "link"),
    Convention(
      "Docker Registry", ["header:docker-distribution-api-version", "/repositories"], "link", items: "/repositories"),
    Convention("Docker Registry", ["header:docker-distribution-api-version", "/tags"], "link", items: "/tags"),
    Convention("ActivityPub", ["/type=OrderedCollection", "/first"], "/next /first", items: "/orderedItems"),
    Convention("Matrix", ["/chunk", "/start"], "from=/end", items: "/chunk"),
    Convention("Datasette", ["/database", "/columns", "/rows", "/truncated"], "/next_url", items: "/rows"),
    Convention("Discourse", ["/topic_list/topics"], "/topic_list/more_topics_url", items: "/topic_list/topics"),
  ]

  static let cursors = [
    Convention(
      "Elasticsearch with scroll", ["/_scroll_id", "/hits/hits"],
      "url=value:/_search/scroll body:=value:{\"scroll\":\"{scroll}\"} body:/scroll_id=/_scroll_id", items: "/hits/hits"
    ),
    Convention(
      "Elasticsearch", ["/hits/hits/0/sort", "/took", "!/_scroll_id"],
      "body:/search_after=last:/sort body:/pit/id=/pit_id", items: "/hits/hits", isInBody: true),
    Convention("Slack", ["/ok", "/response_metadata/next_cursor"], "cursor=/response_metadata/next_cursor"),
    Convention("Notion", ["/object=list", "/next_cursor", "/has_more"], "{body}start_cursor=/next_cursor"),
    Convention(
      "Stripe", ["/object=list", "/data", "/has_more", "/url"], "starting_after=last", items: "/data", id: "/id"),
    Convention("Stripe search", ["/object=search_result", "/data", "/has_more"], "page=/next_page", items: "/data"),
    Convention("Stack Exchange", ["/items", "/has_more", "/quota_remaining"], "page=+1", items: "/items"),
    Convention(
      "Reddit", ["/kind=Listing", "/data/children", "/data/after"], "after=/data/after", items: "/data/children"),
    Convention("X", ["/meta/result_count"], "pagination_token=/meta/next_token", items: "/data"),
    Convention("Jira", ["/issues", "/isLast"], "{body}nextPageToken=/nextPageToken", items: "/issues"),
    Convention(
      "Jira", ["/issues", "/nextPageToken", "!/isLast"], "{body}nextPageToken=/nextPageToken", items: "/issues"),
    Convention("Jira", ["/startAt", "/maxResults", "/total"], "{body}startAt=+items", total: "/total"),
    Convention("Google", ["/nextPageToken", "!/issues"], "{body}pageToken=/nextPageToken"),
    Convention("Solr", ["/response/docs", "/nextCursorMark"], "cursorMark=/nextCursorMark", items: "/response/docs"),
    Convention(
      "Solr", ["/response/docs", "/response/numFound", "/response/start", "!/nextCursorMark"], "start=+items",
      items: "/response/docs", total: "/response/numFound", isInBody: false),
    Convention("Airtable", ["/records", "/offset", "!/limit"], "offset=/offset", items: "/records"),
    Convention(
      "Airtable", ["/records/0/createdTime", "/records/0/fields", "!/offset"], "offset=/offset", items: "/records"),
    Convention("Bitbucket Server", ["/values", "/isLastPage"], "start=/nextPageStart", items: "/values"),
    Convention(
      "DynamoDB", ["/Items", "/LastEvaluatedKey"], "body:/ExclusiveStartKey=/LastEvaluatedKey", items: "/Items",
      isInBody: true),
    Convention(
      "DynamoDB", ["/Items", "/Count", "/ScannedCount", "!/LastEvaluatedKey"],
      "body:/ExclusiveStartKey=/LastEvaluatedKey", items: "/Items", isInBody: true),
    Convention("AWS", ["/NextToken"], "body:/NextToken=/NextToken", isInBody: true),
    Convention("AWS", ["/nextToken"], "body:/nextToken=/nextToken", isInBody: true),
    Convention(
      "Contentful", ["/sys", "/skip", "/limit", "/total", "/items"], "skip=+items", items: "/items", total: "/total"),
    Convention("Twitch", ["/data", "/pagination/cursor"], "after=/pagination/cursor", items: "/data"),
    Convention("Twitch", ["/data", "/pagination={}"], "after=/pagination/cursor", items: "/data"),
    Convention(
      "Intercom", ["/pages/type=pages", "!/pages/next/href"],
      "body:/pagination/starting_after=/pages/next/starting_after", isInBody: true),
    Convention(
      "Intercom", ["/pages/type=pages", "!/pages/next/href"], "starting_after=/pages/next/starting_after",
      isInBody: false), Convention("Square", ["header:square-version"], "{body}cursor=/cursor"),
    Convention(
      "HubSpot", ["/results", "/paging/next/after"], "body:/after=/paging/next/after", items: "/results",
      isInBody: true),
    Convention(
      "SCIM", ["/schemas/0=urn:ietf:params:scim:api:messages:2.0:ListResponse", "/totalResults"],
      "startIndex=+items@1", items: "/Resources", total: "/totalResults", isInBody: false),
    Convention("Algolia", ["/hits", "/page", "/nbPages"], "{body}page=+1@0", items: "/hits", total: "/nbPages"),
    Convention(
      "OpenAlex", ["/meta/db_response_time_ms", "/meta/next_cursor"], "cursor=/meta/next_cursor", items: "/results"),
    Convention(
      "OpenAlex", ["/meta/db_response_time_ms", "/meta/page", "/meta/per_page", "!/meta/next_cursor"], "page=+1",
      items: "/results", total: "/meta/count"),
    Convention(
      "Crossref", ["/message-type", "/message/items", "/message/next-cursor"], "cursor=/message/next-cursor",
      items: "/message/items", total: "/message/total-results"),
    Convention("MediaWiki", ["/query", "/continue/continue"], "*=/continue"),
    Convention("MediaWiki", ["/query", "/batchcomplete", "!/continue"], "*=/continue"),
    Convention(
      "Dropbox", ["/entries", "/cursor", "/has_more"],
      "url=value:/2/files/list_folder/continue body:=value:{} body:/cursor=/cursor", items: "/entries", isInBody: true),
    Convention(
      "Kubernetes", ["/apiVersion", "/kind", "/metadata", "/items"], "continue=/metadata/continue", items: "/items"),
    Convention(
      "CouchDB", ["/rows", "/offset", "/total_rows"], "skip=+items", items: "/rows", total: "/total_rows",
      isInBody: false), Convention("Auth0", ["/start", "/limit", "/length", "/total"], "page=+1@0", total: "/total"),
    Convention("PagerDuty", ["/offset", "/limit", "/more"], "offset=+items", hasMore: "/more"),
    Convention("PagerDuty", ["/records", "/limit", "/next_cursor"], "cursor=/next_cursor", items: "/records"),
    Convention("Datadog", ["/data", "/meta/page/after"], "body:/page/cursor=/meta/page/after", isInBody: true),
    Convention("MLflow", ["/runs", "/next_page_token"], "{body}page_token=/next_page_token", items: "/runs"),
    Convention(
      "MLflow", ["/experiments", "/next_page_token"], "{body}page_token=/next_page_token", items: "/experiments"),
    Convention(
      "MLflow", ["/registered_models", "/next_page_token"], "{body}page_token=/next_page_token",
      items: "/registered_models"),
    Convention(
      "Prefect", ["/results", "/count", "/limit", "/pages", "/page"], "body:/page=+1", items: "/results",
      total: "/pages", isInBody: true),
    Convention("Kinto", ["header:next-page", "/data"], "url=header:Next-Page", items: "/data"),
    Convention(
      "MCP", ["/jsonrpc=2.0", "/result/nextCursor"], "body:/params/cursor=/result/nextCursor", isInBody: true),
    Convention(
      "fastapi-pagination", ["/items", "/total", "/page", "/size", "/pages"], "page=+1", items: "/items",
      total: "/pages", isInBody: false),
    Convention(
      "fastapi-pagination", ["/items", "/total", "/limit", "/offset", "!/next", "!/href", "!/sys"], "offset=+items",
      items: "/items", total: "/total", isInBody: false),
    Convention(
      "fastapi-pagination", ["/items", "/current_page", "/current_page_backwards", "/next_page"],
      "cursor=/next_page", items: "/items", isInBody: false),
    Convention(
      "RabbitMQ", ["/items", "/page", "/page_count", "/page_size", "/item_count", "/filtered_count"], "page=+1",
      items: "/items", total: "/page_count"),
    Convention(
      "NATS", ["/connections", "/num_connections", "/offset", "/limit", "/total"], "offset=+items",
      items: "/connections", total: "/total"),
    Convention(
      "AWS", ["/events", "/nextForwardToken", "/nextBackwardToken"], "body:/nextToken=/nextForwardToken",
      items: "/events", isInBody: true),
    Convention("Zoom", ["/next_page_token", "/page_size"], "next_page_token=/next_page_token"),
    Convention("Steam", ["/query_summary", "/reviews", "/cursor"], "cursor=/cursor", items: "/reviews"),
    Convention(
      "Azure DevOps", ["/count", "/value", "header:x-ms-continuationtoken"],
      "continuationToken=header:x-ms-continuationtoken", items: "/value"),
    Convention(
      "Azure Cosmos DB", ["/_rid", "/_count", "header:x-ms-continuation"],
      "header:x-ms-continuation=header:x-ms-continuation"),
    Convention("Heroku", ["header:next-range", "header:content-range"], "header:Range=header:Next-Range"),
    Convention("GitLab", ["header:x-next-page", "header:x-page", "header:x-per-page"], "page=header:x-next-page"),
  ]

  /// Members that say whether there is more; used if they are booleans.
  static let hasMore = [
    "/has_more", "/hasMore", "/meta/has_more", "/meta/hasMore", "/meta/pagination/has_more", "/pagination/has_more",
    "/paging/has_more", "!/isLast", "!/isLastPage", "!/end_of_stream",
  ]

  /// Arrays of objects that are not the items.
  static let besideItems: Set<String> = [
    "included", "includes", "errors", "warnings", "links", "link", "facets", "suggested_facets", "curies", "normalized",
    "redirects", "interwiki", "searchedLogStreams",
  ]

  /// HAL's object of links. It contains no items, but may have an array of objects (`curies`).
  static let linkObject = Array("_links".utf8)
}
