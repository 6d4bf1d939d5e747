// The text of a rule, as typed, stored and shown:
//
//     rule   = "none" | "link" | pointer | target "=" source      link and /P are short for url=link and url=/P
//     target = [ "query:" ] NAME | "body:" pointer | "header:" NAME | "path:" [ "-" ] N | "url" | "*"
//     source = ( pointer | "header:" NAME ) [ shift ]
//            | ( "last" | "min" | "max" ) [ ":" pointer ] [ shift ]
//            | "+" ( "items" | N ) [ "@" START ] | "link" | "same" | "value:" TEXT
//     shift  = ( "+" | "-" ) N      not directly after a slash; /page-2+0 is the member page-2

import FeedCore

extension NextRule {
  /// What a rule looks like, for completions.
  package static let beginnings = [
    "none", "link", "page=+1", "offset=+items", "cursor=/", "body:/", "header:", "path:", "url=", "*=/",
  ]

  /// - Parameter hasPages: whether the requests are pages, which can be counted; for messages.
  /// - Returns: nil for `none`.
  package static func parse(_ text: [UInt8], hasPages: Bool = true) throws(OptionRefusal) -> NextRule? {
    if text.elementsEqual("none".utf8) { return nil }
    if text.elementsEqual("link".utf8) { return NextRule(.url, .link) }
    if text.first == UInt8(ascii: "/") { return NextRule(.url, try Source(text[...])) }
    // The first equals sign before a source: a name may contain one too.
    let signs = text.indices.filter { text[$0] == UInt8(ascii: "=") }
    guard let first = signs.first else { throw noSign(text, hasPages) }
    guard let sign = signs.first(where: { Source.begins(text[($0 + 1)...]) }) else {
      throw noSource(text[..<first], text[(first + 1)...], hasPages)
    }
    let rule = NextRule(try Target(text[..<sign]), try Source(text[(sign + 1)...]))
    try rule.check()
    return rule
  }

  /// The rule as an option value.
  package var text: [UInt8] {
    if target == .url {
      if case .link = source { return Array("link".utf8) }
      if case .place(.body, shift: nil) = source { return source.text }
    }
    return target.text + [UInt8(ascii: "=")] + source.text
  }

  private func check() throws(OptionRefusal) {
    func refuse(_ text: String) throws(OptionRefusal) {
      // A constant may be a secret.
      let shown = if case .constant = source { target.text } else { self.text }
      throw OptionRefusal("'\(quoted(shown))': \(text)")
    }
    switch (target, source) {
    case (.all, .place(.body, shift: nil)): break
    case (.all, _): try refuse("'*' needs a JSON Pointer to an object, as in *=/continue")
    case (.url, .counted), (.url, .item), (.url, .same): try refuse("a URL comes from a place, as in url=/next")
    case (.header, .same): try refuse("headers are those of the command line on each page")
    case (.url, .constant(let text)) where text.first != UInt8(ascii: "/"):
      try refuse("expected a path that begins with '/' after 'value:'")
    case (.body, .constant(let text)):
      do { _ = try JSONDocument(parsing: text) } catch { try refuse("expected JSON after 'value:': \(error.message)") }
    case (.body(let pointer), let source) where pointer.tokens.isEmpty && source == .same:
      try refuse("the body is that of the first request already")
    default: break
    }
  }

  // MARK: What to type instead

  private static func noSign(_ text: [UInt8], _ hasPages: Bool) -> OptionRefusal {
    let shown = quoted(text)
    let name = text.isEmpty || text.contains(UInt8(ascii: ":")) ? "NAME" : shown
    let counting = hasPages ? ", or \(name)=+1 to count pages" : ""
    return OptionRefusal("'\(shown)' has no '='; type \(name)=/POINTER to send a value that came\(counting)")
  }

  private static func noSource(
    _ target: ArraySlice<UInt8>, _ source: ArraySlice<UInt8>, _ hasPages: Bool
  ) -> OptionRefusal {
    let name = quoted(Array(target))
    if source.isEmpty { return OptionRefusal("expected a source after '\(name)=', such as \(name)=/POINTER") }
    let shown = quoted(Array(source))
    let isNumber = source.allSatisfy(\.isDigit)
    let counting = isNumber && hasPages ? "to count from there type \(name)=+1@\(shown), " : ""
    let tip =
      isNumber ? "to send this value always type \(name)=value:\(shown)" : "for that member type \(name)=/\(shown)"
    return OptionRefusal("'\(shown)' is no source; \(counting)\(tip)")
  }
}

extension NextRule.Target {
  fileprivate init(_ text: ArraySlice<UInt8>) throws(OptionRefusal) {
    func rest(_ kind: String) -> ArraySlice<UInt8>? {
      text.starts(with: kind.utf8) ? text.dropFirst(kind.utf8.count) : nil
    }
    if text.elementsEqual("url".utf8) {
      self = .url
    } else if text.elementsEqual("*".utf8) {
      self = .all
    } else if let pointer = rest("body:") {
      self = .body(try NextRule.pointer(pointer))
    } else if let name = rest("header:") {
      self = .header(try NextRule.headerName(name))
    } else if let number = rest("path:") {
      guard let segment = Int(decimal: number.drop { $0 == UInt8(ascii: "-") }), segment > 0,
        number.prefix(while: { $0 == UInt8(ascii: "-") }).count < 2
      else {
        throw OptionRefusal(
          "expected the number of a segment such as path:2 or path:-1, found '\(quoted(Array(text)))'")
      }
      self = .path(number.first == UInt8(ascii: "-") ? -segment : segment)
    } else {
      let name = rest("query:") ?? text
      if rest("query:") == nil, let mark = name.firstIndex(of: UInt8(ascii: ":")) {
        let (kind, whole) = (quoted(Array(name[..<mark])), quoted(Array(name)))
        throw OptionRefusal(
          "'\(kind):' is none of query:, body:, header: and path:; for a parameter of that name type query:\(whole)")
      }
      if name.isEmpty { throw OptionRefusal("expected the name of a parameter before '='") }
      self = .query(Array(name))
    }
  }

  /// The text before `=`.
  package var text: [UInt8] {
    switch self {
    case .query(let name):
      // A name that could be another target, or the beginning of a rule of another form.
      let isPlain =
        !name.contains(UInt8(ascii: ":")) && name.first != UInt8(ascii: "/")
        && !["url", "*"].contains { name.elementsEqual($0.utf8) }
      return (isPlain ? [] : Array("query:".utf8)) + name
    case .body(let pointer): return Array("body:".utf8) + pointer.text
    case .header(let name): return Array("header:".utf8) + name
    case .path(let segment): return Array("path:\(segment)".utf8)
    case .url: return Array("url".utf8)
    case .all: return [UInt8(ascii: "*")]
    }
  }
}

extension NextRule.Source {
  /// Whether a text can only be a source.
  fileprivate static func begins(_ text: ArraySlice<UInt8>) -> Bool {
    if text.first == UInt8(ascii: "/") || text.first == UInt8(ascii: "+") { return true }
    if ["header:", "value:"].contains(where: { text.starts(with: $0.utf8) }) { return true }
    if ["link", "same"].contains(where: { text.elementsEqual($0.utf8) }) { return true }
    return NextRule.Pick.allCases.contains { pick in
      guard text.starts(with: pick.rawValue.utf8) else { return false }
      let next = text.dropFirst(pick.rawValue.utf8.count).first
      return next.map { ":+-".utf8.contains($0) } ?? true
    }
  }

  fileprivate init(_ text: ArraySlice<UInt8>) throws(OptionRefusal) {
    if text.elementsEqual("link".utf8) {
      self = .link
    } else if text.elementsEqual("same".utf8) {
      self = .same
    } else if text.starts(with: "value:".utf8) {
      self = .constant(Array(text.dropFirst("value:".utf8.count)))
    } else if text.first == UInt8(ascii: "+") {
      self = .counted(try Self.counter(text.dropFirst()))
    } else {
      let (value, shift) = Self.divided(text)
      if value.first == UInt8(ascii: "/") {
        self = .place(.body(try NextRule.pointer(value)), shift: shift)
      } else if value.starts(with: "header:".utf8) {
        self = .place(.header(try NextRule.headerName(value.dropFirst("header:".utf8.count))), shift: shift)
      } else {
        self = try Self.item(value, shift)
      }
    }
  }

  private static func item(
    _ text: ArraySlice<UInt8>, _ shift: DecimalText?
  ) throws(OptionRefusal) -> NextRule.Source {
    let word = text.prefix { $0 != UInt8(ascii: ":") }
    guard let pick = NextRule.Pick(rawValue: String(decoding: word, as: UTF8.self)) else {
      throw OptionRefusal("expected '\(quoted(Array(word)))' to be followed by ':/POINTER', +N or -N")
    }
    let rest = text.dropFirst(word.count + 1)
    let pointer: JSONPointer? = word.count < text.count ? try NextRule.pointer(rest) : nil
    return .item(pick, pointer, shift: shift)
  }

  private static func counter(_ text: ArraySlice<UInt8>) throws(OptionRefusal) -> NextRule.Counter {
    let mark = text.firstIndex(of: UInt8(ascii: "@")) ?? text.endIndex
    let step = text[..<mark]
    let start = mark < text.endIndex ? DecimalText(text[(mark + 1)...]) : nil
    let isStart = mark == text.endIndex || start.map { !$0.isNegative } == true
    if isStart, step.elementsEqual("items".utf8) { return NextRule.Counter(step: nil, start: start) }
    guard isStart, let number = DecimalText(step), DecimalText(0) < number else {
      throw OptionRefusal(
        "expected +1, +items or +N, with @START or without, found '+\(quoted(Array(text)))'")
    }
    return NextRule.Counter(step: number, start: start)
  }

  /// Divides a value from the number that is added.
  private static func divided(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, DecimalText?) {
    let digits = text.reversed().prefix(while: \.isDigit).count
    let sign = text.endIndex - digits - 1
    guard digits > 0, sign > text.startIndex, "+-".utf8.contains(text[sign]), text[sign - 1] != UInt8(ascii: "/"),
      let amount = DecimalText(text[(sign + 1)...])
    else { return (text, nil) }
    let isZero = amount == DecimalText(0)
    return (text[..<sign], isZero ? nil : text[sign] == UInt8(ascii: "-") ? DecimalText(0) - amount : amount)
  }

  /// The text after `=`.
  package var text: [UInt8] {
    switch self {
    case .place(.body(let pointer), let shift): return Self.shifted(pointer.text, shift)
    case .place(.header(let name), let shift): return Self.shifted(Array("header:".utf8) + name, shift)
    case .item(let pick, let pointer, let shift):
      let place = pointer.map { [UInt8(ascii: ":")] + $0.text } ?? []
      return Self.shifted(Array(pick.rawValue.utf8) + place, shift)
    case .counted(let counter):
      let start = counter.start.map { [UInt8(ascii: "@")] + $0.text } ?? []
      return [UInt8(ascii: "+")] + (counter.step?.text ?? Array("items".utf8)) + start
    case .link: return Array("link".utf8)
    case .same: return Array("same".utf8)
    case .constant(let text): return Array("value:".utf8) + text
    }
  }

  /// Without a shift, a text that looks as if it had one gets `+0`.
  private static func shifted(_ text: [UInt8], _ shift: DecimalText?) -> [UInt8] {
    if let shift { return text + (shift.isNegative ? [] : [UInt8(ascii: "+")]) + shift.text }
    return text + (divided(text[...]).0.count < text.count ? Array("+0".utf8) : [])
  }
}

extension NextRule.ResponsePlace {
  /// A place that is the value of an option.
  /// - Parameter example: a pointer, for the message.
  package init(typed text: [UInt8], suchAs example: String) throws(OptionRefusal) {
    let kind = "header:"
    guard text.starts(with: kind.utf8) else {
      self = .body(try JSONPointer(typed: text, suchAs: example))
      return
    }
    self = .header(try NextRule.headerName(text.dropFirst(kind.utf8.count)))
  }

  /// A JSON Pointer, or `header:NAME`.
  package var text: [UInt8] {
    switch self {
    case .body(let pointer): pointer.text
    case .header(let name): Array("header:".utf8) + name
    }
  }
}

extension NextRule {
  fileprivate static func headerName(_ text: ArraySlice<UInt8>) throws(OptionRefusal) -> [UInt8] {
    if !text.isEmpty, text.allSatisfy(\.isTokenByte) { return Array(text) }
    throw OptionRefusal("expected the name of a header after 'header:', found '\(quoted(Array(text)))'")
  }

  fileprivate static func pointer(_ text: ArraySlice<UInt8>) throws(OptionRefusal) -> JSONPointer {
    do throws(JSONPointer.SyntaxProblem) { return try JSONPointer(Array(text)) } catch {
      throw OptionRefusal("'\(quoted(Array(text)))' is no JSON Pointer: \(error.message)")
    }
  }
}

/// A text as it would be typed in a shell; a long one is shortened.
package func typed(_ text: [UInt8]) -> String {
  let isPlain = !text.isEmpty && text.allSatisfy { $0.isVisible && !"'\"*{}[]()<>$&;|!#`?\\".utf8.contains($0) }
  return isPlain ? shortened(text) : "'\(shortened(text))'"
}
