// The Link header field (RFC 8288), by the parser of its appendix B: it accepts valid parts from the left, and stops at
// the first invalid one. One pass over any bytes.

import FeedCore

/// One link of a Link header field.
package struct LinkHeader: Equatable, Sendable {
  /// The text between `<` and `>`: a URL or a reference.
  package let target: [UInt8]
  /// The relation types in lower case, from the first `rel`; others must be ignored (§3.3).
  package let relations: [[UInt8]]
  /// The reference of the page that the link starts from, if it is another page (§3.2).
  let anchor: [UInt8]?
  /// Whether the link says that its target has no items (Sentry: https://docs.sentry.io/api/pagination/).
  var isEmpty = false

  /// The links of a field's value.
  package static func parse(_ value: [UInt8]) -> [LinkHeader] {
    var links: [LinkHeader] = []
    var scanner = Scanner(value)
    while let link = scanner.link() { links.append(link) }
    return links
  }

  private static func links(in head: HTTPHead) -> [LinkHeader] {
    head.fields.filter { $0.name == "link" }.flatMap { parse($0.value) }
  }

  /// The target of the first link with relation `relation` that starts from the page.
  /// - Parameter page: the URL of the response with the field.
  package static func target(of relation: String, in head: HTTPHead, page: HTTPURL?) -> [UInt8]? {
    let relation = Array(relation.utf8)
    return links(in: head).first { $0.relations.contains(relation) && $0.isOf(page) && !$0.isEmpty }?.target
  }

  /// What the links of a head say about the pages after this one.
  package enum Paging: Equatable {
    case next([UInt8])
    /// There is none.
    case end
    /// There is another last page, but no link that leads on.
    case otherLast
  }

  /// - Returns: nil if no link says anything. A name is no proof: most Link headers are about something else.
  package static func paging(in head: HTTPHead, page: HTTPURL?) -> Paging? {
    if let next = target(of: "next", in: head, page: page) { return .next(next) }
    let hasPrevious = ["prev", "previous"].contains { target(of: $0, in: head, page: page) != nil }
    if hasPrevious || links(in: head).contains(where: \.isEmpty) { return .end }
    guard let last = target(of: "last", in: head, page: page) else { return nil }
    let isHere = page.map { (try? $0.resolving(last))?.text == $0.text } == true
    return isHere || last == target(of: "first", in: head, page: page) ? .end : .otherLast
  }

  /// Whether the link's context is the page itself, rather than another document or a part of the page.
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

    /// Appendix B.2; nil if the field has no more links.
    mutating func link() -> LinkHeader? {
      // Empty list elements are ignored (RFC 9110 §5.6.1).
      skip { $0.isBlank || $0 == UInt8(ascii: ",") }
      guard next == UInt8(ascii: "<") else { return nil }
      index += 1
      let target = take { $0 != UInt8(ascii: ">") }
      guard next == UInt8(ascii: ">") else { return nil }
      index += 1

      var isEmpty = false
      var relation: [UInt8]?
      var anchor: [UInt8]?
      while let (name, value) = parameter() {
        if name == Array("rel".utf8), relation == nil { relation = value }
        if name == Array("anchor".utf8), anchor == nil { anchor = value }
        if name == Array("results".utf8), value == Array("false".utf8) { isEmpty = true }
      }
      let relations = (relation ?? []).split(whereSeparator: \.isBlank)
      return LinkHeader(target: target, relations: relations.map(\.lowercased), anchor: anchor, isEmpty: isEmpty)
    }

    /// Appendix B.3; nil if the link has no more parameters.
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
