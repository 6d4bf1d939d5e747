/// What is wrong with an XML text, and where.
struct XMLError: Error, Equatable {
  let message: String
  /// In the bytes that were given to the parser.
  var offset: Int

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}
