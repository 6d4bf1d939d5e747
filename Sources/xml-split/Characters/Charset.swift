import FeedCore

/// The encodings that an XML declaration may name: the labels of the Encoding standard (WHATWG, §4.2), and some that are
/// older. Other than for HTML, ISO-8859-1 is itself and not windows-1252, and the same is true of US-ASCII, ISO-8859-9
/// and ISO-8859-11: that is what XML says, and what all XML parsers do.
///
/// Encodings in which a byte of ASCII may mean something else are missing: ISO-2022, HZ, UTF-7, EBCDIC.
struct Charset: Equatable {
  /// How an encoding is converted to UTF-8.
  enum Kind {
    case utf8
    /// One byte for each character, of which the first 128 are those of ASCII.
    case ascii, latin1, windows1252
    case single(StaticString)
    /// The same, of Windows: a byte from 0x80 to 0x9F that the C library leaves out is a control character, as in the
    /// Encoding standard (WHATWG, §9).
    case codePage(StaticString)
    /// Up to four bytes for each character. The names for iconv(3), the best first: systems know different ones.
    /// `more` is an encoding for characters that this one lacks.
    case multiple([StaticString], more: StaticString? = nil)
  }

  /// Its place in the table.
  private let row: Int

  static let utf8 = Charset(row: 0)

  private init(row: Int) { self.row = row }

  /// - Parameter label: in any case.
  /// - Returns: nil for an encoding that is not supported.
  init?(label: [UInt8]) {
    guard let row = Self.rows[label.lowercased] else { return nil }
    self.row = row
  }

  /// The encoding that text in this one probably has, if it has errors. As in the Encoding standard, US-ASCII is
  /// windows-1252.
  var assumed: Charset {
    if case .ascii = kind, let other = Charset(label: Array("windows-1252".utf8)) { other } else { self }
  }

  private static let rows: [[UInt8]: Int] = {
    var rows: [[UInt8]: Int] = [:]
    for (row, (kind, labels)) in table.enumerated() {
      for label in String(describing: labels).split(separator: " ") { rows[Array(label.utf8)] = row }
      switch kind {
      case .single(let name), .codePage(let name): rows[Array(name.description.utf8).lowercased] = row
      case .utf8, .ascii, .latin1, .windows1252, .multiple: break
      }
    }
    return rows
  }()

  var kind: Kind { Self.table[row].kind }

  /// Whether a label means UTF-16.
  static func isUTF16(_ label: [UInt8]) -> Bool {
    ["utf-16", "utf-16le", "utf-16be", "iso-10646-ucs-2", "ucs-2"].contains(
      String(decoding: label.lowercased, as: UTF8.self))
  }

  /// The lowercase form of the one name of an encoding for iconv(3) is a label too.
  private static let table: [(kind: Kind, labels: StaticString)] = [
    (.utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
    (.ascii, "us-ascii ascii ansi_x3.4-1968 iso646-us"),
    (
      .latin1,
      "iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 latin1 l1 csisolatin1 cp819 ibm819"
    ),
    (.windows1252, "windows-1252 cp1252 x-cp1252"),
    (.single("ISO-8859-2"), "iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 latin2 l2 csisolatin2"),
    (.single("ISO-8859-3"), "iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 latin3 l3 csisolatin3"),
    (.single("ISO-8859-4"), "iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 latin4 l4 csisolatin4"),
    (.single("ISO-8859-5"), "iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 cyrillic csisolatincyrillic"),
    (
      .single("ISO-8859-6"),
      """
      iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-8859-6-e iso-8859-6-i iso-ir-127 arabic asmo-708 ecma-114 \
      csisolatinarabic csiso88596e csiso88596i
      """
    ),
    (
      .single("ISO-8859-7"),
      """
      iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 greek greek8 ecma-118 elot_928 sun_eu_greek \
      csisolatingreek
      """
    ),
    (
      .single("ISO-8859-8"),
      """
      iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-8859-8-e iso-8859-8-i iso-ir-138 hebrew visual logical \
      csisolatinhebrew csiso88598e csiso88598i
      """
    ),
    (.single("ISO-8859-9"), "iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 latin5 l5 csisolatin5"),
    (.single("ISO-8859-10"), "iso8859-10 iso885910 iso-ir-157 latin6 l6 csisolatin6"),
    (.single("ISO-8859-11"), "iso8859-11 iso885911"),
    (.single("ISO-8859-13"), "iso8859-13 iso885913 iso_8859-13 iso-ir-179 latin7 l7"),
    (.single("ISO-8859-14"), "iso8859-14 iso885914 iso_8859-14 iso-ir-199 iso-celtic latin8 l8"),
    (.single("ISO-8859-15"), "iso8859-15 iso885915 iso_8859-15 iso-ir-203 csisolatin9 latin9 latin-9 l9"),
    (.single("ISO-8859-16"), "iso8859-16 iso885916 iso_8859-16 iso-ir-226 latin10 l10"),
    (.codePage("CP1250"), "windows-1250 x-cp1250"),
    (.codePage("CP1251"), "windows-1251 x-cp1251"),
    (.codePage("CP1253"), "windows-1253 x-cp1253"),
    (.codePage("CP1254"), "windows-1254 x-cp1254"),
    (.codePage("CP1255"), "windows-1255 x-cp1255"),
    (.codePage("CP1256"), "windows-1256 x-cp1256"),
    (.codePage("CP1257"), "windows-1257 x-cp1257"),
    (.codePage("CP1258"), "windows-1258 x-cp1258"),
    (.codePage("CP874"), "windows-874 dos-874 tis-620"),
    (.single("KOI8-R"), "koi koi8 koi8_r cskoi8r"),
    (.single("KOI8-U"), "koi8-ru"),
    (.single("MACINTOSH"), "mac x-mac-roman csmacintosh"),
    (.single("MAC-CYRILLIC"), "x-mac-cyrillic x-mac-ukrainian maccyrillic ms-mac-cyrillic"),
    (.single("MAC-UK"), "macuk macukrainian"),
    (.single("MAC-CENTRALEUROPE"), "x-mac-ce maccentraleurope"),
    (.single("CP437"), "ibm437 cspc8codepage437"),
    (.single("CP737"), "ibm737"), (.single("CP775"), "ibm775 cspc775baltic"),
    (.single("CP850"), "ibm850 cspc850multilingual"), (.single("CP852"), "ibm852 cspcp852"),
    (.single("CP855"), "ibm855 csibm855"), (.single("CP857"), "ibm857 csibm857"),
    (.single("CP858"), "cp00858 ibm858 ibm00858 cspc858multilingual"),
    (.single("CP860"), "ibm860 csibm860"), (.single("CP861"), "ibm861 cp-is csibm861"),
    (.single("CP862"), "ibm862 cspc862latinhebrew"), (.single("CP863"), "ibm863 csibm863"),
    (.single("CP865"), "ibm865 csibm865"), (.single("CP866"), "ibm866 csibm866"),
    (.single("CP869"), "ibm869 cp-gr csibm869"), (.single("CP1125"), "ibm1125 ruscii"),
    (.single("KOI8-T"), ""), (.single("ARMSCII-8"), "armscii8"),
    (.single("GEORGIAN-ACADEMY"), ""), (.single("GEORGIAN-PS"), ""),
    (.single("PT154"), "ptcp154 cp154 cyrillic-asian csptcp154"),
    (.single("RK1048"), "strk1048-2002 kz-1048 cskz1048"),
    (.single("HP-ROMAN8"), "roman8 r8 cshproman8"),
    // The standard's encodings of this name are those of Windows, which have more characters.
    (
      .multiple(["CP949", "UHC", "EUC-KR"]),
      """
      euc-kr euckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean iso-ir-149 cseuckr csksc56011987 windows-949 \
      cp949 uhc
      """
    ),
    (
      .multiple(["GBK"]),
      """
      gbk gb2312 gb_2312 gb_2312-80 euc-cn chinese iso-ir-58 csgb2312 csiso58gb231280 x-gbk cp936 windows-936
      """
    ),
    (.multiple(["GB18030"]), "gb18030"),
    // Its characters for the bars 0xA15A, 0xA1C3 and 0xA1C5 are missing in glibc.
    (.multiple(["BIG5-HKSCS"], more: "BIG5"), "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    (.multiple(["CP950"]), "cp950 windows-950"),
    (
      .multiple(["CP932", "SHIFT_JIS"]),
      "shift_jis shift-jis sjis x-sjis csshiftjis ms_kanji ms932 windows-31j cswindows31j cp932"
    ),
    (.multiple(["EUC-JP-MS", "EUC-JP"]), "euc-jp x-euc-jp cseucpkdfmtjapanese"),
    (.multiple(["EUC-TW"]), "euc-tw"),
  ]
}

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
