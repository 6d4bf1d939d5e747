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
  @OptionRows<NextOptions> package static func rows() -> OptionRows<NextOptions>.OptionPart {
    Option("next", .followingRule, \.rules, "put a value of what came into the next request; repeatable")
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
  /// A rule for requests that have no pages.
  package static let followingRule = Self("RULE", .beginnings(["since=/", "header:", "body:/", "path:"])) {
    bytes throws(OptionRefusal) in
    guard let rule = try NextRule.parse(bytes) else { throw OptionRefusal("'none' is for pages; leave --next out") }
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
