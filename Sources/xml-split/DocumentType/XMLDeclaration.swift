// The XML declaration ([23]), and the encodings that it may name.

import FeedCore

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

  /// The encoding of the document.
  /// - Parameters:
  ///   - wasUTF16: whether the text was transcoded from UTF-16.
  ///   - hasMark: whether there was a UTF-8 byte order mark.
  func resolvedEncoding(wasUTF16: Bool, hasMark: Bool, at offset: Int) throws(XMLError) -> XMLEncoding {
    guard let name = encoding else { return .utf8 }
    let lower = String(decoding: name, as: UTF8.self).lowercased()
    let isWide = ["utf-16", "utf-16le", "utf-16be", "iso-10646-ucs-2", "ucs-2"].contains(lower)
    let isUTF8 = lower == "utf-8" || lower == "utf8"
    if wasUTF16 || isWide || (hasMark && !isUTF8) {
      if wasUTF16 && isWide { return .utf8 }
      throw XMLError("the text is not in the encoding '\(shortened(name))' that it names", at: offset)
    }
    if isUTF8 { return .utf8 }
    switch lower {
    case "us-ascii", "ascii", "ansi_x3.4-1968": return .ascii
    case "iso-8859-1", "latin1", "iso_8859-1", "l1": return .latin1
    case "windows-1252", "cp1252": return .windows1252
    default: break
    }
    if ["shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "cp932", "ms_kanji"].contains(lower) {
      return .shiftJIS
    }
    if ["gbk", "gb18030", "cp936", "windows-936", "cp949", "windows-949", "cp950"].contains(lower) {
      return .doubleByte
    }
    if lower.hasPrefix("big5") { return .doubleByte }
    let passes = [
      "iso-8859-", "windows-125", "cp125", "windows-874", "euc-", "koi8-", "gb2312", "tis-620", "macintosh", "cp437",
      "cp850", "cp852", "cp855", "cp857", "cp858", "cp866", "ibm850", "ibm852", "ibm866",
    ]
    guard passes.contains(where: { lower.hasPrefix($0) }) else {
      throw XMLError("the encoding '\(shortened(name))' is not supported", at: offset)
    }
    return .opaque
  }
}
