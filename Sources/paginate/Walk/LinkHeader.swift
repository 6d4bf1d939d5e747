// The Link header field (RFC 8288), by the parser that its appendix B gives: it takes what makes sense from the left,
// and stops at what does not. One pass over the bytes, whatever they are.

import FeedCore
import FeedHTTP

/// One link of a Link field.
struct LinkHeader: Equatable, Sendable {
  /// As it stands between `<` and `>`: a URL or a reference.
  let target: [UInt8]
  /// The relation types in lower case; those of the first `rel`, for others must be ignored (§3.3).
  let relations: [[UInt8]]
  /// The reference of the page that the link goes out from, where that is another (§3.2).
  let anchor: [UInt8]?

  /// The links of a field's value.
  static func parse(_ value: [UInt8]) -> [LinkHeader] {
    var links: [LinkHeader] = []
    var scanner = Scanner(value)
    while let link = scanner.link() { links.append(link) }
    return links
  }

  /// The target of the first link of relation `relation` that goes out from the page.
  /// - Parameter page: where the field came with.
  static func target(of relation: String, in head: HTTPHead, page: HTTPURL?) -> [UInt8]? {
    let relation = Array(relation.utf8)
    for field in head.fields where field.name == "link" {
      var scanner = Scanner(field.value)
      while let link = scanner.link() {
        if link.relations.contains(relation), link.isOf(page) { return link.target }
      }
    }
    return nil
  }

  /// Whether the head has links of any of these relations.
  static func has(anyOf relations: [String], in head: HTTPHead, page: HTTPURL?) -> Bool {
    relations.contains { target(of: $0, in: head, page: page) != nil }
  }

  /// Whether the link's context is the page itself, and not another document or a part of the page.
  private func isOf(_ page: HTTPURL?) -> Bool {
    guard let anchor, !anchor.isEmpty else { return true }
    if anchor.contains(UInt8(ascii: "#")) { return false }
    guard let page, let context = try? page.resolving(anchor) else { return false }
    return context.text == page.text
  }

  // MARK: RFC 8288 appendix B

  private struct Scanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Appendix B.2; nil when the field has no more.
    mutating func link() -> LinkHeader? {
      // Empty elements of a list are to be ignored (RFC 9110 §5.6.1).
      skip { $0.isBlank || $0 == UInt8(ascii: ",") }
      guard next == UInt8(ascii: "<") else { return nil }
      index += 1
      let target = take { $0 != UInt8(ascii: ">") }
      guard next == UInt8(ascii: ">") else { return nil }
      index += 1

      var relation: [UInt8]?
      var anchor: [UInt8]?
      while let (name, value) = parameter() {
        if name == Array("rel".utf8), relation == nil { relation = value }
        if name == Array("anchor".utf8), anchor == nil { anchor = value }
      }
      let relations = (relation ?? []).split(whereSeparator: \.isBlank)
      return LinkHeader(target: target, relations: relations.map(\.lowercased), anchor: anchor)
    }

    /// Appendix B.3; nil when the link has no more.
    private mutating func parameter() -> (name: [UInt8], value: [UInt8])? {
      skipSpace()
      guard next == UInt8(ascii: ";") else { return nil }
      index += 1
      skipSpace()
      let name = take { !$0.isBlank && $0 != UInt8(ascii: "=") && !Self.isDelimiter($0) }
      skipSpace()
      var value: [UInt8] = []
      if next == UInt8(ascii: "=") {
        index += 1
        skipSpace()
        if next == UInt8(ascii: "\"") {
          value = quotedString()
        } else {
          value = Array(take { !Self.isDelimiter($0) }.trimmed(\.isBlank))
        }
      }
      return (name.lowercased, value)
    }

    /// Appendix B.4.
    private mutating func quotedString() -> [UInt8] {
      index += 1
      var value: [UInt8] = []
      while let byte = next {
        index += 1
        if byte == UInt8(ascii: "\"") { break }
        guard byte == UInt8(ascii: "\\") else {
          value.append(byte)
          continue
        }
        guard let escaped = next else { break }
        index += 1
        value.append(escaped)
      }
      return value
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

    private mutating func skipSpace() { skip(\.isBlank) }

    private mutating func skip(_ isWanted: (UInt8) -> Bool) {
      while let byte = next, isWanted(byte) { index += 1 }
    }

    private mutating func take(_ isWanted: (UInt8) -> Bool) -> [UInt8] {
      let start = index
      skip(isWanted)
      return Array(bytes[start..<index])
    }
  }
}
