// How to ask for what comes next, as a value: which part of the first request gets which value of a response. It is one
// line of text, which `NextRule+Text` reads and writes:
//
//     page=+1                      the query parameter `page` counts pages
//     cursor=/next_cursor          it gets the member of the response
//     body:/offset=+items          a member of the JSON body counts items
//     url=header:Next-Page         the whole URL is in a header
//     url=link, short: link        it is in the Link header
//
// Targets are what is set, sources are where the value comes from. Each source goes into each target.

import FeedCore

/// One rule: a part of the next request, and its value.
package struct NextRule: Equatable, Sendable {
  /// A part of the request.
  package enum Target: Equatable, Sendable {
    /// A query parameter, as typed.
    case query([UInt8])
    /// A member of the JSON body; the whole body if the pointer is empty.
    case body(JSONPointer)
    /// The name of a header, as typed.
    case header([UInt8])
    /// A segment of the path, from 1; negative numbers count from the end.
    case path(Int)
    case url
    /// A query parameter for each member of an object.
    case all
  }

  /// Where the value is.
  package enum Source: Equatable, Sendable {
    /// - Parameter shift: what is added to the number there.
    case place(ResponsePlace, shift: DecimalText?)
    /// One item of the response, or a value in it: without a pointer its id, or the item itself if it is a scalar.
    case item(Pick, JSONPointer?, shift: DecimalText?)
    case counted(Counter)
    /// The link with relation `next` in the Link header.
    case link
    /// As in the first request.
    case same
    /// A constant; JSON if it goes into the body.
    case constant([UInt8])
  }

  /// A place of a response.
  package enum ResponsePlace: Equatable, Sendable {
    case body(JSONPointer)
    /// The name of a header, as typed.
    case header([UInt8])
  }

  /// Which item of a page is meant.
  package enum Pick: String, CaseIterable, Sendable { case last, min, max }

  /// A number that grows from request to request.
  package struct Counter: Equatable, Sendable {
    /// By how much it grows; nil for the number of items on a page.
    let step: DecimalText?
    /// The number of the first page or item; nil if it is not known yet.
    package var start: DecimalText?

    /// Whether pages are counted rather than items.
    package var countsPages: Bool { step == DecimalText(1) }

    /// The start, or the usual one: pages are counted from 1, items from 0.
    package var first: DecimalText { start ?? DecimalText(countsPages ? 1 : 0) }
  }

  package let target: Target
  package var source: Source

  package init(_ target: Target, _ source: Source) { (self.target, self.source) = (target, source) }

  /// The name of the parameter or member that the rule sets; nil for the whole URL or body.
  package var name: [UInt8]? {
    switch target {
    case .query(let name): name
    case .body(let pointer): pointer.tokens.last.map(Array.init)
    case .header, .path, .url, .all: nil
    }
  }

  /// Whether the value changes from page to page.
  package var moves: Bool {
    switch source {
    case .same, .constant: false
    case .place, .item, .counted, .link: true
    }
  }

  /// The counter of a rule that counts.
  package var counter: Counter? { if case .counted(let counter) = source { counter } else { nil } }

  /// Where the value is in a response, if it is in one place.
  package var place: ResponsePlace? { if case .place(let place, _) = source { place } else { nil } }

  /// Whether the rule reads the head of a response.
  package var needsHead: Bool {
    switch source {
    case .link, .place(.header, _): true
    case .place(.body, _), .item, .counted, .same, .constant: false
    }
  }

  /// Whether the value comes from an item.
  package var needsItems: Bool { if case .item = source { true } else { false } }
}

/// All rules of a walk. Those that move with one target are alternatives: the first that has a value counts.
package struct NextRules: Equatable, Sendable {
  /// As typed, or as found.
  package private(set) var rules: [NextRule]
  /// Whether there is only one page, as `none` says.
  package private(set) var isNone: Bool

  package init(_ rules: [NextRule]) { (self.rules, isNone) = (rules, false) }

  /// The rule `none`: no page follows.
  package static let none = {
    var rules = NextRules([])
    rules.isNone = true
    return rules
  }()

  /// These rules, and others that were found.
  package func joined(_ found: NextRules) -> NextRules { NextRules(found.rules + rules) }

  /// Whether the rules can lead on.
  package var canMove: Bool { isNone || rules.contains(where: \.moves) }

  /// The rule that decides whether there is a next page.
  package var deciding: NextRule? { rules.first(where: \.moves) }

  /// The rules that decide: alternatives with one target.
  package var alternatives: [NextRule] { rules.filter { $0.moves && $0.target == deciding?.target } }

  /// Whether a response itself says where the next one is. If so, an empty page may have a next one.
  package var isInPage: Bool {
    switch deciding?.source {
    case .place, .link: !isScroll
    case .item, .counted, .same, .constant, nil: false
    }
  }

  /// Whether the cursor is Elasticsearch's scroll: the server counts, and the page after the last one has a cursor too.
  package var isScroll: Bool { deciding?.place == .body(JSONPointer(tokens: [Array("_scroll_id".utf8)])) }

  /// Whether the deciding rule reads an item.
  package var needsItems: Bool { deciding?.needsItems ?? false }

  /// Sets the start of the rule that counts.
  package mutating func begin(at start: DecimalText) {
    guard let index = rules.firstIndex(where: \.moves), case .counted(var counter) = rules[index].source else { return }
    counter.start = start
    rules[index].source = .counted(counter)
  }

  /// The rules as they would be typed, one value of `--next` each.
  package var texts: [[UInt8]] { isNone ? [Array("none".utf8)] : rules.map(\.text) }
}

extension DecimalText {
  /// The sum of any two numbers.
  package func shifted(by shift: DecimalText) -> DecimalText {
    func magnitude(_ number: DecimalText) -> DecimalText { DecimalText(number.digits) ?? number }
    if shift.isNegative { return self - magnitude(shift) }
    return isNegative ? shift - magnitude(self) : self + shift
  }
}
