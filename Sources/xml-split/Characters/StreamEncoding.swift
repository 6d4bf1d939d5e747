import FeedCore

/// The encoding of all documents in a stream: that of the first.
struct StreamEncoding {
  /// Whether the text was transcoded from UTF-16, which has no name here.
  var isUTF16 = false
  /// Nil before the first document.
  var charset: Charset?
  /// As the first document has it; UTF-8 is the default.
  private(set) var name: [UInt8] = []

  /// Whether text after the first XML declaration must be converted.
  var isToConvert: Bool { charset.map { $0 != .utf8 } ?? false }

  /// Takes the encoding of a document.
  /// - Throws: if the documents before it are in another one.
  mutating func check(_ charset: Charset, named name: [UInt8]? = nil, at offset: Int) throws(XMLError) {
    let name = name ?? Array("UTF-8".utf8)
    guard let known = self.charset else {
      self.charset = charset
      self.name = name
      return
    }
    if known == charset { return }
    throw XMLError(
      "a document in \(shortened(name)) after one in \(shortened(self.name)): put a form feed between them, or use "
        + "--length-prefixed", at: offset)
  }
}
