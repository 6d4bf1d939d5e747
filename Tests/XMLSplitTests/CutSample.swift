/// A stream of documents in parts. For each part, the test knows what a cut inside it loses.
struct CutSample {
  enum Part {
    /// A wanted element.
    case record(String)
    /// The start tag of another element, at a place where a wanted one might be.
    case startTag(String)
    /// Other text, at a place where no wanted element can be.
    case inside(String)
    /// Other markup or text.
    case other(String)

    var text: String {
      switch self {
      case .record(let text), .startTag(let text), .inside(let text), .other(let text): text
      }
    }
  }

  /// How characters become bytes.
  struct Encoding: Sendable {
    let name: String
    let encode: @Sendable (String) -> [UInt8]
    /// Places between characters, or between units of two bytes, are multiples of this.
    var unit = 1
    /// Whether elements are written in it; otherwise in UTF-8.
    var isKept = true
    var isUTF16: Bool { unit == 2 }

    var formFeed: [UInt8] { encode("\u{C}") }
  }

  let parts: [Part]
  let encoding: Encoding
  let bytes: [UInt8]
  private let ends: [Int]

  init(_ parts: [Part], _ encoding: Encoding) {
    self.parts = parts
    self.encoding = encoding
    let pieces = parts.map { encoding.encode($0.text) }
    bytes = Array(pieces.joined())
    var end = 0
    ends = pieces.map {
      end += $0.count
      return end
    }
  }

  /// The records that are complete before a cut, as written with `-0`.
  func records(before cut: Int) -> [UInt8] {
    var output: [UInt8] = []
    for (part, end) in zip(parts, ends) where end <= cut {
      if case .record(let text) = part { output += (encoding.isKept ? encoding.encode(text) : Array(text.utf8)) + [0] }
    }
    return output
  }

  var records: [UInt8] { records(before: bytes.count) }

  /// The element that a cut loses, or may lose.
  func loss(at cut: Int) -> String? {
    guard let number = ends.firstIndex(where: { $0 > cut }) else { return nil }
    let start = number == 0 ? 0 : ends[number - 1]
    if start == cut { return nil }
    let isLessThan = cut - start == encoding.unit && parts[number].text.hasPrefix("<")
    switch parts[number] {
    case .inside: return nil
    case .other: return isLessThan ? "a tag" : nil
    case .startTag: return "a tag"
    case .record(let text):
      // Its element is open after the end of its start tag.
      let tag = text.prefix { $0 != ">" } + ">"
      return cut - start < encoding.encode(String(tag)).count ? "a tag" : "element 'status'"
    }
  }
}

extension CutSample.Encoding {
  static let utf8 = Self(name: "UTF-8") { Array($0.utf8) }
  static let latin1 = Self(name: "ISO-8859-1") { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
  /// Its non-ASCII characters have two bytes, or four.
  static let gb18030 = Self(
    name: "GB18030",
    encode: {
      $0.unicodeScalars.flatMap { scalar -> [UInt8] in
        switch scalar {
        case "\u{E9}": [0xA8, 0xA6]
        case "\u{1F600}": [0x94, 0x39, 0xFC, 0x36]
        default: [UInt8(scalar.value)]
        }
      }
    }, isKept: false)
  static let utf16LE = Self(
    name: "UTF-16", encode: { $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }, unit: 2, isKept: false)
  static let utf16BE = Self(
    name: "UTF-16", encode: { $0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }, unit: 2, isKept: false)
}
