import FeedCore

/// The step of a rule that counts items. To set a parameter, its name is never guessed. Here one is only read, if its name
/// is known from APIs with offsets.
enum PageSize {
  private static let names: Set<String> = [
    "limit", "per_page", "perpage", "per-page", "page_size", "pagesize", "page-size", "page[size]", "page[limit]",
    "size", "count", "rows", "maxresults", "max_results", "max-results", "$top", "length", "first", "take",
  ]

  /// The page size: the limit beside the target, in the query or the body, or the smaller one that the page says the
  /// server has used; else the number of items on the page.
  static func step(beside target: NextRule.Target, _ response: NextResponse) -> DecimalText {
    let received = DecimalText(response.count)
    guard let (name, asked) = asked(beside: target, response.request) else { return received }
    let said = response.root.member(name) ?? response.root.member("itemsPerPage")  // SCIM
    guard let used = said.flatMap(JSONText.scalar).flatMap({ DecimalText($0) }),
      DecimalText(0) < used, used < asked
    else { return asked }
    return used
  }

  private static func asked(
    beside target: NextRule.Target, _ request: PageRequest
  ) -> (name: [UInt8], DecimalText)? {
    for (name, value) in parameters(beside: target, request) where isSize(name) {
      if let number = DecimalText(value), DecimalText(0) < number { return (name, number) }
    }
    return nil
  }

  private static func isSize(_ name: [UInt8]) -> Bool {
    let key = String(decoding: name, as: UTF8.self).lowercased()
    return names.contains(key) || key.hasSuffix("_limit") || key == "$limit"
  }

  private static func parameters(
    beside target: NextRule.Target, _ request: PageRequest
  ) -> [(name: [UInt8], value: [UInt8])] {
    guard case .body(let pointer) = target, !pointer.tokens.isEmpty else { return QueryString(request.url).pairs }
    let body = request.body.flatMap { try? JSONDocument(parsing: $0) }?.root
    let object = body?.value(at: pointer.prefix(pointer.tokens.count - 1))
    return object?.children.compactMap { child in
      guard let name = child.key?.string, let value = JSONText.scalar(child.value) else { return nil }
      return (name, value)
    } ?? []
  }
}
