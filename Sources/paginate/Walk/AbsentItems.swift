import FeedCore
import FeedHTTP

/// A page with nothing at the place of its items. Some APIs leave out empty members (proto3's JSON, X): they send
/// `{"meta":{"result_count":0}}` or `{}` for a page without items. But a mistyped `--items` gives the same picture, and
/// so does an error with status 200. So a page may lack its items in two cases: an earlier page of the feed had them, or
/// the page itself shows that it has none. An error page never may.
enum AbsentItems {
  /// Whether nothing is at `pointer` because a member was left out, rather than because another value is in the way.
  static func areLeftOut(at pointer: JSONPointer, of root: JSONValue) -> Bool {
    guard root.kind == .object else { return false }
    var value = root
    for token in pointer.tokens {
      guard value.kind == .object else { return value.isNull }
      guard let inner = value.member(Array(token)) else { return true }
      value = inner
    }
    return false
  }

  /// Whether a page shows that it has no items: it says how to go on, or that there are none, or it is an empty object.
  /// - Parameters:
  ///   - place: where the items are on other pages; nil if that is not known.
  ///   - total: the place of `--total`.
  static func areShown(by root: JSONValue, at place: JSONPointer?, total: TotalPlace?, hasNext: Bool) -> Bool {
    guard root.kind == .object, !hasObjects(root) else { return false }
    if hasNext || root.isNothing { return true }
    return PageCounts(root, nil, total: total, items: place, count: 0).items?.value == DecimalText(0)
  }

  /// Whether a page has no items wherever they may be: it shows that, or it has an empty array and no rows.
  static func isPlainlyEmpty(_ root: JSONValue) -> Bool {
    guard root.kind == .object, !isError(root), !hasObjects(root) else { return false }
    if areShown(by: root, at: nil, total: nil, hasNext: false) { return true }
    let objects = [root] + root.children.map(\.value).filter { $0.kind == .object }
    if objects.contains(where: { $0.children.contains { ItemArray.isRows($0.value) } }) { return false }
    return objects.contains { object in
      object.children.contains { $0.value.kind == .array && !$0.value.hasChildren }
    } || ["data", "items", "results", "value", "records"].contains { root.member($0)?.isNull == true }
  }

  /// Whether there is an array of objects that may be the items. If so, `--items` is wrong.
  static func hasObjects(_ root: JSONValue) -> Bool {
    do throws(NextError) {
      return try ItemArray.find(in: root).flatMap { root.value(at: $0) }.map(isSomething) ?? false
    } catch {
      return true  // several
    }
  }

  // MARK: Error responses

  /// The error in a response with status 200: `; the response says 'invalid_auth'`. Empty if there is none.
  static func complaint(of root: JSONValue) -> String {
    Complaint.words(of: root).map { "; the response says '\(shortened($0))'" } ?? ""
  }

  /// Whether a page without items reports an error, whatever its status.
  static func isError(_ root: JSONValue) -> Bool {
    Complaint.words(of: root) != nil
      || Complaint(in: [(root, JSONPointer())], besides: nil, isEmpty: true)?.isFailure == true
  }

  /// Whether a value says something: neither nothing, nor 0, nor an empty array.
  private static func isSomething(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .number: PageCounts.whole(value) != DecimalText(0)
    case .array: value.hasChildren
    case .null, .true, .false, .string, .escapedString, .object: !value.isNothing
    }
  }
}

extension JSONValue {
  /// Whether an array or object has anything in it.
  var hasChildren: Bool { children.contains { _ in true } }
}
