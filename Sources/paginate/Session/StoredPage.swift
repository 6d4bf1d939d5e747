import FeedCore

/// A page of a stored feed, as it is printed.
struct StoredPage {
  /// In the order of the feed.
  var items: [WaitingItem] = []
  /// Whether items above the page are known.
  var hasPrevious = false
  /// Whether items below the page are known.
  var hasMore = false
  /// Whether items are missing between the page and the known item above it.
  var isBelowGap = false
  /// What is below the page if it ends where its run ends.
  var lowerEnd: FeedRun.LowerEnd?

  /// Writes `{"items":[…],"prev":"9","next":"7","has_more":true,"gap":true,"below":"open"}` as a line.
  func write(to output: inout ByteWriter) {
    output.append("{\"items\":[")
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(",") }
      output.append(item.data)
    }
    output.append("]")
    if hasPrevious { Self.write(items.first, as: ",\"prev\":", to: &output) }
    if hasMore { Self.write(items.last, as: ",\"next\":", to: &output) }
    output.append(hasMore ? ",\"has_more\":true" : ",\"has_more\":false")
    if isBelowGap { output.append(",\"gap_above\":true") }
    if let lowerEnd {
      if lowerEnd.isGap { output.append(",\"gap\":true") }
      output.append(",\"below\":\"\(lowerEnd.rawValue)\"")
    }
    output.append("}")
    output.endLine()
  }

  private static func write(_ item: WaitingItem?, as member: StaticString, to output: inout ByteWriter) {
    guard let item else { return }
    output.append(member)
    JSONString.write(item.id, to: &output)
  }
}

extension FeedRun.LowerEnd {
  /// Whether items are missing here.
  var isGap: Bool {
    switch self {
    case .open, .lost: true
    case .end, .unread, .wanted: false
    }
  }
}
