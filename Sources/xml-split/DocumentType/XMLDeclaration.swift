import FeedCore

/// The XML declaration ([23]), and the encodings that it may name.
struct XMLDeclaration {
  private(set) var encoding: [UInt8]?
  private(set) var isStandalone = false

  /// - Parameter range: from `<?xml` to after `?>`.
  init(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(XMLError) {
    var cursor = XMLCursor(array(bytes, range), at: range.lowerBound)
    cursor.index = 5
    try cursor.space("white space after '<?xml'")
    let versionOffset = cursor.offset
    let version = try cursor.pseudoAttribute("version")
    guard version.count > 2, version.starts(with: "1.".utf8), version.dropFirst(2).allSatisfy(\.isDigit) else {
      throw XMLError("expected version '1.0', found '\(shortened(version))'", at: versionOffset)
    }

    var hasSpace = cursor.skipSpace()
    if hasSpace, cursor.starts(with: "encoding") {
      let name = try cursor.pseudoAttribute("encoding")
      guard Self.isEncodingName(name) else { throw cursor.error("'\(shortened(name))' is not the name of an encoding") }
      encoding = name
      hasSpace = cursor.skipSpace()
    }
    if hasSpace, cursor.starts(with: "standalone") {
      let answer = try cursor.pseudoAttribute("standalone")
      switch String(decoding: answer, as: UTF8.self) {
      case "yes": isStandalone = true
      case "no": break
      default: throw cursor.error("expected standalone 'yes' or 'no', found '\(shortened(answer))'")
      }
      _ = cursor.skipSpace()
    }
    guard cursor.take("?>") else { throw cursor.error("expected '?>' after an XML declaration") }
  }

  /// [81] EncName.
  private static func isEncodingName(_ name: [UInt8]) -> Bool {
    name.first?.isLetter == true && name.allSatisfy { $0.isLetter || $0.isDigit || "._-".utf8.contains($0) }
  }

  /// The encoding of the document, after UTF-16 has been transcoded.
  /// - Parameters:
  ///   - wasUTF16: whether the text was transcoded from UTF-16.
  ///   - hasMark: whether there was a UTF-8 byte order mark.
  func charset(wasUTF16: Bool, hasMark: Bool, at offset: Int) throws(XMLError) -> Charset {
    guard let name = encoding else { return .utf8 }
    let isWide = Charset.isUTF16(name)
    if wasUTF16, isWide { return .utf8 }
    let charset = Charset(label: name)
    if wasUTF16 || isWide || (hasMark && charset != .utf8) {
      throw XMLError("the text is not in the encoding '\(shortened(name))' that it names", at: offset)
    }
    guard let charset else { throw .unsupportedEncoding(name, at: offset) }
    return charset
  }
}
