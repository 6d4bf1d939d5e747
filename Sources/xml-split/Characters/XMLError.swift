import FeedCore

/// What is wrong with an XML text, and where.
struct XMLError: LocatedError, Equatable {
  let message: String
  /// In the bytes that were given to the parser.
  var offset: Int

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

extension XMLError {
  /// A reference that would have no meaning in the output.
  static func entity(_ name: [UInt8], at offset: Int) -> XMLError {
    XMLError("entity '\(shortened(name))' is not expanded (--entities literal)", at: offset)
  }

  /// - Parameter what: what the input was in the middle of.
  static func inputEnds(inside what: String, at offset: Int) -> XMLError {
    XMLError("the input ends inside \(what)", at: offset)
  }

  /// - Parameter what: what the document was in the middle of when another began.
  static func documentIsCutOff(inside what: String, at offset: Int) -> XMLError {
    XMLError("the document was cut off inside \(what)", at: offset)
  }
}
