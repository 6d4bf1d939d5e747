import FeedCore

/// The options of tools that ask again: which value of what came goes into the next request, and what is done when the
/// server has forgotten it.
package struct NextOptions: Sendable {
  private typealias Option = OptionRow<NextOptions>

  package var rules: [NextRule] = []
  /// The statuses that refuse a value.
  private var goneStatuses = StatusSet.none
  /// What a line or body looks like that refuses a value.
  private var goneMatch: Condition?

  package init() {}

  /// The rows of a tool.
  /// - Parameter isHandshake: whether the requests are handshakes, which have no body and go to one URL.
  @OptionRows<NextOptions> package static func rows(
    isHandshake: Bool = false
  ) -> OptionRows<NextOptions>.OptionPart {
    Option(
      "next", isHandshake ? .handshakeRule : .followingRule, \.rules,
      "put a value of what came into the next request; repeatable")
    Option("gone", .statuses, "the statuses by which a server says that it has forgotten the value") {
      $0.goneStatuses = $1
    }
    .default("410").needs(\.rules)
    Option("gone-match", .condition, \.goneMatch, "a line or body with this value says it").needs(\.rules)
  }

  /// Whether a response says that the server has forgotten the value of its request.
  package func isGone(_ head: HTTPHead) -> Bool { goneStatuses.contains(head.status) }

  /// Whether a line or body says it.
  package func isGone(_ root: JSONValue?) -> Bool { root.flatMap { root in goneMatch?.holds(for: root) } ?? false }

  /// Whether lines must be parsed.
  package var looksInside: Bool { !rules.isEmpty || goneMatch != nil }
}

extension OptionType<NextRule> {
  /// A rule for handshakes.
  fileprivate static let handshakeRule = Self("RULE", .beginnings(["cursor=/", "header:", "path:"])) {
    bytes throws(OptionRefusal) in
    let rule = try following(bytes)
    switch rule.target {
    case .query, .header, .path, .all: return rule
    case .body, .url:
      let text = "a handshake has no body and no other URL; set a parameter, a header or a part of the path"
      throw OptionRefusal("'\(quoted(bytes))': \(text)")
    }
  }

  /// A rule for requests that have no pages.
  fileprivate static let followingRule = Self("RULE", .beginnings(["since=/", "header:", "body:/", "path:"])) {
    bytes throws(OptionRefusal) in
    try following(bytes)
  }

  private static func following(_ bytes: [UInt8]) throws(OptionRefusal) -> NextRule {
    guard let rule = try NextRule.parse(bytes, hasPages: false) else {
      throw OptionRefusal("'none' is for pages; leave --next out")
    }
    if rule.counter != nil {
      throw OptionRefusal("'\(quoted(bytes))' counts pages; type \(quoted(rule.target.text))=/POINTER for a value")
    }
    return rule
  }
}

extension OptionType<NextRule?> {
  /// A rule for pages; nil for `none`.
  package static let rule = Self("RULE", .beginnings(NextRule.beginnings)) { bytes throws(OptionRefusal) in
    try NextRule.parse(bytes)
  }
}
