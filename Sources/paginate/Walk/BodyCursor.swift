// Cursors in the body of a POST. All other bytes of the body stay as the user wrote them.

import FeedCore

enum BodyCursor {
  /// Copies a value of the answer into the request's body. Any kind of value is allowed: DynamoDB's cursor is an
  /// object.
  static func copied(_ from: JSONPointer, to into: JSONPointer, _ context: PageContext) throws(WalkError) -> NextStep {
    guard let value = context.page.root.value(at: from), value.kind != .null, value.kind != .false else { return .none }
    if value.string?.isEmpty == true, !context.followsEmptyCursor { return .none }
    return .request(try setting(value, at: into, in: context.request), cursor: value.text)
  }

  /// Sets `search_after` to the `sort` values of the last hit, and the body's `pit` to the newest `pit_id`.
  static func searchAfter(_ context: PageContext) throws(WalkError) -> NextStep {
    guard let last = context.page.items.last?.value else { return .none }
    guard let sort = last.member("sort"), sort.kind == .array else {
      throw WalkError(
        .page, "item \(context.page.items.count): no array 'sort', which --next search-after needs (sort the query)",
        at: last.range.lowerBound)
    }
    var request = try setting(sort, at: pointer("search_after"), in: context.request)
    if let newest = context.page.root.member("pit_id"), newest.kind.isString,
      let body = request.body, let document = try? JSONDocument(parsing: body),
      let old = document.root.value(at: pointer("pit", "id")), !JSONEquality.equal(JSONTree(old), JSONTree(newest))
    {
      request = try setting(newest, at: pointer("pit", "id"), in: request)
    }
    return .request(request, cursor: sort.text)
  }

  static func pointer(_ tokens: String...) -> JSONPointer { JSONPointer(tokens: tokens.map { Array($0.utf8) }) }

  /// Sets a member of the request's JSON body.
  static func setting(
    _ value: JSONValue, at pointer: JSONPointer, in request: PageRequest
  ) throws(WalkError) -> PageRequest {
    let document = try document(of: request)
    var tree = JSONTree(document.root)
    // `"variables":null` counts as absent.
    if pointer.tokens.count > 1, document.root.value(at: pointer.prefix(1))?.isNull == true {
      _ = try? tree.replace(at: pointer.prefix(1), with: .emptyObject)
    }
    do { _ = try tree.add(JSONTree(value), at: pointer, makingParents: true) } catch {
      throw WalkError(.usage, "the body (--data) has no place for \(pointer.shown): \(error.message)")
    }
    var next = request
    next.body = JSONText.edited(tree, of: document)
    return next
  }

  static func document(of request: PageRequest) throws(WalkError) -> JSONDocument {
    guard let body = request.body else { throw WalkError(.usage, "option '--next' needs a JSON body (--data)") }
    do { return try JSONDocument(parsing: body) } catch {
      throw WalkError(.usage, "the body (--data) must be JSON: \(error.message)")
    }
  }
}
