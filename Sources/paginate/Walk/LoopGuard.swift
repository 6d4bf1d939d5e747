// The walks that would never end because a request brings the same page again.

import FeedCore
import FeedHTTP

/// The requests of a walk, each with a digest of its page. A request that brings another page each time is no loop: the
/// server keeps the place.
struct LoopGuard: Sendable {
  /// After this many pages in a row that are the same, the server is taken not to know the parameter. If items have ids,
  /// fewer may come from a feed that grew by a page meanwhile.
  static let sameLimit = 10

  private var seen = SeenIDs()
  private var first: Digest?
  /// The last page, and how many in a row were the same.
  private var last: Digest?
  private var sameCount = 0

  /// Records a page.
  /// - Parameters:
  ///   - rules: those that led to it.
  ///   - hasIDs: whether an item that came before is not printed again.
  /// - Throws: if the page came before.
  mutating func add(
    _ page: Page, of request: PageRequest, by rules: NextRules?, hasIDs: Bool
  ) throws(NextError) {
    let digest = Digest(of: page.document.bytes)
    sameCount = digest == last ? sameCount + 1 : 1
    last = digest
    if !seen.insert(request.identity + digest.bytes) {
      throw .response("this page was already read in this run, so the walk would never end")
    }
    // The feed may have grown by a page, which shifts numbers. A cursor may include its item.
    let mayRepeat = hasIDs && (rules?.needsItems != true || page.items.count < 2)
    if sameCount == 2, digest == first, !mayRepeat {
      throw .response("the page has the same bytes as page 1" + Self.remedy(rules, request))
    }
    if first == nil { first = digest }
    if sameCount >= Self.sameLimit {
      throw .response("the last \(sameCount) pages are the same" + Self.remedy(rules, request))
    }
  }

  /// What the server may not know, and what to type.
  private static func remedy(_ rules: NextRules?, _ request: PageRequest) -> String {
    guard let rule = rules?.deciding, case .query(let name) = rule.target else { return "" }
    let shown = quoted(name)
    guard request.hasJSONBody else { return ": the server does not know '\(shown)' in the URL" }
    let text = String(decoding: rule.text.drop { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    return
      ": the server does not know '\(shown)' in the URL; if it belongs in the body, type --next body:/\(shown)\(text)"
  }
}
