// The step of an offset. To set a parameter, its name is never guessed. Here one is only read, if its name is known
// from APIs with offsets.

import FeedCore

enum PageSize {
  private static let names: Set<String> = [
    "limit", "per_page", "perpage", "per-page", "page_size", "pagesize", "page-size", "page[size]", "page[limit]",
    "size", "count", "rows", "maxresults", "max_results", "max-results", "$top", "length",
  ]

  /// The page size: the limit in the request's URL, or the smaller one that the page says the server has used; else the
  /// number of items on the page.
  static func step(of context: PageContext) -> DecimalText {
    let received = DecimalText(context.page.items.count)
    guard let (name, asked) = asked(QueryString(context.request.url)) else { return received }
    let said = context.page.root.member(name) ?? context.page.root.member("itemsPerPage")  // SCIM
    guard let used = said.flatMap(JSONText.scalar).flatMap({ DecimalText($0) }),
      DecimalText(0) < used, used < asked
    else { return asked }
    return used
  }

  private static func asked(_ url: QueryString) -> (name: [UInt8], DecimalText)? {
    for name in url.names {
      let key = String(decoding: name, as: UTF8.self).lowercased()
      guard names.contains(key) || key.hasSuffix("_limit") || key == "$limit" else { continue }
      if let number = url.value(of: name).flatMap({ DecimalText($0) }), DecimalText(0) < number {
        return (name, number)
      }
    }
    return nil
  }
}
