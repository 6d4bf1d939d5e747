import FeedCore
import FeedHTTP

/// The options of a walk, from the command line or remembered by a store.
struct WalkOptions: Sendable {
  /// `--next`; nil is `none`.
  var rules: [NextRule?] = []
  /// Nil: to be detected from the first page.
  var items: ItemPlace?
  var id: JSONPointer?
  var hasMore: HasMore?
  var total: TotalPlace?
  var orderKey: JSONPointer?
  var since: SinceRule?
  /// Whether to detect the id of an item if it is not given: a store needs it.
  var findsID = false
  /// Whether earlier pages are known to have had items at `items`.
  var hasKnownItems = false
  /// Whether a request may be made again by a later run.
  var keepsRequests = false
  /// The statuses of a request past the last page.
  var endStatuses = StatusSet.none
  /// Ends before the first item for which this holds.
  var stopBefore: Condition?
  /// Whether the method was typed, so that a body does not make a POST of a GET.
  var keepsMethod = false
  /// Whether to find the next link of a page without following it (`--print-next`).
  var findsLink = false
  var allowedHosts: [HostPattern] = []
  var trustedHosts: [HostPattern] = []

  /// The rules of the command line; nil if none is typed that moves, so that one is to be detected from the first page.
  var next: NextRules? {
    if rules.contains(nil) { return NextRules.none }
    let typed = NextRules(rules.compactMap(\.self))
    return typed.canMove ? typed : nil
  }

  /// What is set beside the rule that is detected.
  var still: NextRules { NextRules(rules.compactMap(\.self)) }

  /// Whether the id of an item is known without a search: a member has its name.
  var hasIDs: Bool { id != nil || items?.isMembers == true }

  /// - Throws: a usage error if the options contradict each other or the first request.
  func check(_ first: PageRequest?) throws(WalkError) {
    if rules.contains(nil), rules.count > 1 { throw WalkError(.usage, "option '--next none' excludes other rules") }
    guard let first else { return }
    do throws(NextError) {
      try NextRule.check(next ?? still, first)
      if let since { try NextRule.check(NextRules([since.rule]), first) }
    } catch {
      throw WalkError(error)
    }
    try next?.checkKept(keepsRequests)
  }
}

extension NextRules {
  /// - Parameter isKept: whether requests are kept for a later run.
  func checkKept(_ isKept: Bool) throws(WalkError) {
    guard isKept, isScroll else { return }
    throw WalkError(
      .usage, "a store cannot keep a scroll, which the server forgets: type --next body:/search_after=last:/sort")
  }
}

extension WalkError {
  init(_ error: NextError) { self.init(error.isUsage ? .usage : .page, error.message, at: error.offset) }
}
