import FeedCore

/// The names of files (--files): a pattern with the number of the file, `%d` or `%05d`, and values from the element,
/// `{@id}`. A value is percent-encoded, so that it can neither lead to another folder nor hide the file.
struct FileNamePattern {
  private enum PatternPart {
    case text([UInt8])
    case number(width: Int)
    case value(Field)
  }

  private var parts: [PatternPart] = []

  /// Whether the contents of an element are needed.
  var usesValues: Bool { parts.contains { if case .value = $0 { true } else { false } } }

  private var usesNumber: Bool { parts.contains { if case .number = $0 { true } else { false } } }

  /// The largest width of a padded number, in digits.
  private static let maxWidth = 20

  /// - Parameter text: `%d`, `%0Nd`, `%%` and `{FIELD}` have a meaning; everything else is literal.
  init(_ text: [UInt8]) throws(OptionRefusal) {
    var rest = text[...]
    var plain: [UInt8] = []
    func problem(_ message: String) -> OptionRefusal {
      OptionRefusal("\(message), found '\(quoted(text))'")
    }
    while let byte = rest.popFirst() {
      let part: PatternPart
      switch byte {
      case UInt8(ascii: "%"):
        let digits = rest.prefix(while: \.isDigit)
        rest = rest.dropFirst(digits.count)
        if digits.isEmpty, rest.first == byte {
          plain.append(byte)
          rest.removeFirst()
          continue
        }
        let width = digits.isEmpty ? 0 : Int(decimal: digits) ?? .max
        guard rest.popFirst() == UInt8(ascii: "d"), digits.isEmpty || digits.first == UInt8(ascii: "0"),
          width <= Self.maxWidth
        else { throw problem("expected '%d', '%05d' or '%%'") }
        part = .number(width: width)
      case UInt8(ascii: "{"):
        guard let end = Field.end(rest, at: UInt8(ascii: "}")) else { throw problem("expected '}'") }
        part = .value(try Field(Array(rest[..<end])))
        rest = rest[(end + 1)...]
      default:
        plain.append(byte)
        continue
      }
      if !plain.isEmpty { parts.append(.text(plain)) }
      plain = []
      parts.append(part)
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    guard usesNumber || usesValues else { throw problem("expected '%d' or a value such as '{@id}' in the name") }
    guard text.last != UInt8(ascii: "/") else { throw problem("expected the name of a file") }
  }

  /// The same pattern, with the namespaces that some prefixes stand for.
  func resolved(_ namespaces: [[UInt8]: [UInt8]]) -> FileNamePattern {
    var pattern = self
    pattern.parts = parts.map { if case .value(let field) = $0 { .value(field.resolved(namespaces)) } else { $0 } }
    return pattern
  }

  /// A name made from the pattern.
  struct FileName {
    fileprivate(set) var bytes: [UInt8] = []
    /// Where the first value of the element begins.
    fileprivate var value: Int?

    /// The paths that must not be symbolic links: the folders and the file from the one with the first value on. The
    /// input chooses these names, so a link could lead it to any file.
    var unfollowed: [[UInt8]] {
      guard let value else { return [] }
      let slashes = bytes.indices[value...].filter { bytes[$0] == UInt8(ascii: "/") }
      return slashes.map { Array(bytes[..<$0]) } + [bytes]
    }
  }

  /// The name of a file.
  /// - Parameters:
  ///   - number: from 1.
  ///   - tree: its first element, if values are used.
  ///   - start: the offset of that element, for an error.
  func name(_ number: Int, _ tree: ElementTree, at start: Int) throws(XMLError) -> FileName {
    var result = FileName()
    for part in parts {
      switch part {
      case .text(let text): result.bytes += text
      case .number(let width):
        let digits = Array(String(number).utf8)
        result.bytes += [UInt8](repeating: UInt8(ascii: "0"), count: max(0, width - digits.count)) + digits
      case .value(let field):
        let value = field.value(in: tree)
        guard let value, !value.isEmpty else {
          let what = value == nil ? "an element without" : "an element with an empty"
          throw XMLError("\(what) '\(quoted(field.text))', which the name of its file needs", at: start)
        }
        if result.value == nil { result.value = result.bytes.count }
        result.bytes += Self.coded(value)
      }
    }
    return result
  }

  /// A value with all except the unreserved characters percent-encoded (RFC 3986 §2.3), and also a leading dot or
  /// hyphen.
  private static func coded(_ value: [UInt8]) -> [UInt8] {
    let first = value.prefix(1).percentEncoded { $0.isUnreserved && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
    return first + value.dropFirst().percentEncoded()
  }
}
