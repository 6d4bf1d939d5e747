// The names of members in JSON. By default they are the names in the tags, with `@` before those of attributes, and
// `#text`. The user may change them, and then two members of an object can have the same name.

import FeedCore

struct JSONNames {
  enum Style {
    /// As in the tags.
    case written
    /// Without prefixes (--strip-prefixes).
    case local
    /// `{uri}name` for names in a namespace (--namespaces).
    case expanded
  }

  var style = Style.written
  var attributePrefix = Array("@".utf8)
  var textKey = Array("#text".utf8)
  /// The largest size in bytes of an element and of the namespaces in its names.
  var maxExpanded = Int.max

  /// The beginning of the name of each attribute, after the quote, and the name of the text, as JSON.
  var attributeStart: [UInt8] { Array(Self.json(attributePrefix).dropFirst().dropLast()) }
  var textStart: [UInt8] { Self.json(textKey) + [UInt8(ascii: ":")] }

  /// Whether attributes, elements and text can share a name.
  var canMix: Bool {
    XMLName.isName(attributePrefix + [UInt8(ascii: "a")]) || XMLName.isName(textKey)
      || (textKey.starts(with: attributePrefix) && XMLName.isName(Array(textKey.dropFirst(attributePrefix.count))))
  }

  private static func json(_ text: [UInt8]) -> [UInt8] {
    var output = ByteWriter()
    JSONString.write(text, to: &output)
    return output.take()
  }

  /// The part of a written name that is kept.
  func kept(_ name: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Range<Int> {
    guard style != .written, let prefix = XMLName.prefix(bytes, name) else { return name }
    return (prefix.upperBound + 1)..<name.upperBound
  }
}
