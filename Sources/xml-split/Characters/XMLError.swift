import FeedCore

/// An error in an XML text, and its offset.
struct XMLError: LocatedError, Equatable {
  let message: String
  /// In the bytes given to the parser.
  var offset: Int

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// The same error, in a part of the text that begins at an offset.
  func moved(by start: Int) -> XMLError { XMLError(message, at: start + offset) }
}

extension XMLError {
  /// The error for a reference that would have no meaning in the output.
  static func entity(_ name: [UInt8], at offset: Int) -> XMLError {
    XMLError("entity '\(shortened(name))' is not expanded (--entities literal)", at: offset)
  }

  static func undeclaredEntity(_ name: [UInt8], at offset: Int) -> XMLError {
    XMLError("entity '\(shortened(name))' is not declared", at: offset)
  }

  /// - Parameter what: the markup or element that was not complete.
  static func inputEnds(inside what: String, at offset: Int) -> XMLError {
    XMLError("the input ends inside \(what)", at: offset)
  }

  /// - Parameter what: the part that was not complete when another document began.
  static func documentIsCutOff(inside what: String, at offset: Int) -> XMLError {
    XMLError("the document was cut off inside \(what)", at: offset)
  }

  static func textAfterDocument(at offset: Int) -> XMLError {
    XMLError("unexpected text after the document", at: offset)
  }

  static func lateDeclaration(at offset: Int) -> XMLError {
    XMLError("an XML declaration that is not at the start", at: offset)
  }

  static func undeclared(prefix: [UInt8], at offset: Int) -> XMLError {
    XMLError("prefix '\(shortened(prefix))' is not declared", at: offset)
  }

  /// - Parameter name: the encoding, as the document names it.
  static func unsupportedEncoding(_ name: [UInt8], at offset: Int) -> XMLError {
    XMLError("the encoding '\(shortened(name))' is not supported", at: offset)
  }
}
