import FeedCore

extension Side {
  /// - Parameter source: the origin of the document, for messages; nil if it was made here.
  init(_ document: JSONDocument, _ scope: Scope, of source: String?, record: String? = nil) throws(ToolFailure) {
    do { try self.init(document, scope) } catch {
      throw .failed(.error, error.message, source: source, record: record)
    }
  }
}
