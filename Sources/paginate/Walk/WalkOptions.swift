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
  var since: NextRule?
  /// Whether to detect the id of an item if it is not given: a store needs it.
  var findsID = false
  /// Whether earlier pages are known to have had items at `items`.
  var hasKnownItems = false
  /// Whether a request may be made again by a later run.
  var keepsRequests = false
  /// The statuses of a request past the last page.
  var endStatuses = StatusSet.none
  /// The statuses that say that the server has forgotten a request of an earlier run, or the value of `--since`.
  var goneStatuses = Self.usualGone
  static let usualGone = StatusSet(400, 404, 410, 412)
  /// What a failed page has (`--fail-match`); nil is `none`.
  var failMatches: [Condition?] = []
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
  func check(_ first: PageRequest?) throws(NextError) {
    if rules.contains(nil), rules.count > 1 { throw .usage("option '--next none' excludes other rules") }
    guard let first else { return }
    try NextRule.check(next ?? still, first)
    if let since { try NextRule.check(NextRules([since]), first) }
    try next?.checkKept(keepsRequests)
  }
}

extension NextRules {
  /// - Parameter isKept: whether requests are kept for a later run.
  func checkKept(_ isKept: Bool) throws(NextError) {
    guard isKept, isScroll else { return }
    throw .usage("a store cannot keep a scroll, which the server forgets: type --next body:/search_after=last:/sort")
  }
}

/// The exit status depends on where the pages come from, which an error does not know.
extension NextError {
  /// - Parameter isLocal: whether the page came from standard input or a file.
  func status(isLocal: Bool) -> ExitStatus { kind == .failed ? .remote : isUsage || isLocal ? .error : .remote }

  /// - Parameters:
  ///   - source: `-`, or the page's URL without its secrets.
  ///   - page: the number of the page, from 1.
  ///   - position: the start of the body in the source.
  ///   - body: the page's bytes.
  func failure(
    in source: String, page: Int, isLocal: Bool, body: [UInt8] = [], from position: TextPlace = TextPlace()
  ) -> ToolFailure {
    if isUsage { return .usage(message) }
    return .failed(
      status(isLocal: isLocal), message, source: source, place: offset.map { position.place(of: $0, in: body) },
      record: "page \(page)")
  }
}
