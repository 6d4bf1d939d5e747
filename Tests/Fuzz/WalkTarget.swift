// Walks: any options, any first request and any pages. Another layout of all pages changes nothing. Detected options could
// have been typed. No request goes to a forbidden host.
//
// The input is options, a URL, a body and pages, separated by 0xFF. A page is JSON, perhaps after the lines of a head
// and an empty line. An option is a letter and its value: `n/next i/data`.

func fuzzWalk(_ bytes: [UInt8]) {
  let parts = Parts(bytes)
  guard parts.count > 3 else { return }
  let options = WalkOptions(letters: parts[0])
  let pages = parts.all[3...].prefix(8).compactMap(FuzzedPage.init)
  readAlone(pages, options)
  for name in GraphQLCursor.afterVariables(parts[2]) {
    promise(name.allSatisfy { isNameByte($0) }, "no name of a variable: \(shown(name))")
  }
  guard let url = try? HTTPURL(Array("https://h/".utf8) + parts[1]), url.user == nil else { return }
  let first = PageRequest(
    url: Array(url.text.utf8), method: parts[2].isEmpty ? "GET" : "POST", body: parts[2].isEmpty ? nil : parts[2])
  guard let walker = attempt({ () throws(NextError) in try Walker(options, first: first) }) else { return }
  walk(walker, first, pages, url)
}

private struct FuzzedPage {
  let head: HTTPHead
  let document: JSONDocument

  init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    let isLetter = bytes.first.map { (0x41...0x5A).contains($0) } == true
    let end = isLetter ? lines.firstIndex(of: []) : nil
    head = madeHead(200, Array(lines[..<(end ?? 0)]))
    let body = Array(lines[(end.map { $0 + 1 } ?? 0)...].joined(separator: "\n".utf8))
    guard let document = try? JSONDocument(parsing: body, maxDepth: 100) else { return nil }
    // The same page is one layout: whether a page came before is decided by its bytes.
    self.document = parsed(text { JSONWriter.writeCompact(JSONTree(document.root), to: &$0) })
  }
}

extension WalkOptions {
  fileprivate init(letters: [UInt8]) {
    self.init()
    for word in letters.split(separator: UInt8(ascii: " ")) {
      let value = repaired(Array(word.dropFirst()))
      let pointer = try? JSONPointer(value)
      switch word.first.map({ Character(Unicode.Scalar($0)) }) {
      case "n": if let rule = try? NextRule.parse(value) { rules.append(rule) }
      case "i": items = try? ItemPlace(value)
      case "d": id = pointer
      case "t": total = try? TotalPlace(value)
      case "o": orderKey = pointer
      case "m": hasMore = try? HasMore(value)
      case "u": stopBefore = try? Condition(typed: value)
      case "a": allowedHosts += [HostPattern(value)].compactMap { $0 }
      case "s": trustedHosts += [HostPattern(value)].compactMap { $0 }
      case "l": findsLink = true
      case "w": findsID = true
      case "y": hasKnownItems = true
      default: break
      }
    }
  }
}

private func isNameByte(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
}

/// Nil for an error; its message must fit on a line.
private func attempt<Value>(_ body: () throws(NextError) -> Value) -> Value? {
  do throws(NextError) { return try body() } catch {
    check(error)
    return nil
  }
}

private func check(_ error: NextError, in document: JSONDocument? = nil) {
  let isLine = error.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && !error.message.hasSuffix(".")
  promise(isLine && !error.message.isEmpty, "no line: \(error.message)")
  if let document, let offset = error.offset { promise((0..<document.bytes.count).contains(offset), "\(error)") }
}

// MARK: Steps

/// A step or an error, in a form that can be compared.
private struct Outcome: Equatable {
  var items: [[UInt8]] = []
  var end: Int?
  var what = ""

  init(_ walker: inout Walker, _ request: PageRequest?, _ head: HTTPHead?, _ document: JSONDocument) {
    do throws(NextError) {
      let step = try walker.take(request, head, document, after: WalkProgress(dedupes: true))
      items = step.page.items.map(\.text)
      end = step.end
      switch step.outcome {
      // A cursor that is copied into a body keeps its layout from the page.
      case .next(let next): what = "next \(shown(next.url)) \(next.headers) \(shown(relaid(next.body ?? [])))"
      case .failure(let error):
        check(error, in: document)
        what = "failure \(error.message)"
      default: what = "\(step.outcome)"
      }
    } catch {
      check(error, in: document)
      what = "error \(error.message)"
    }
  }
}

private func relaid(_ bytes: [UInt8]) -> [UInt8] {
  guard let document = try? JSONDocument(parsing: bytes) else { return bytes }
  return text { JSONWriter.write(JSONTree(document.root), in: .indented(1), to: &$0) }
}

private func readAlone(_ pages: [FuzzedPage], _ options: WalkOptions) {
  guard var walker = attempt({ () throws(NextError) in try Walker(options, first: nil) }) else { return }
  for page in pages {
    var other = walker
    let outcome = Outcome(&walker, nil, nil, page.document)
    promise(outcome == Outcome(&other, nil, nil, parsed(relaid(page.document.bytes))), "laid out otherwise: \(outcome)")
    promise(!outcome.what.hasPrefix("next"), "a request that nobody can make")
  }
}

private func walk(_ walker: Walker, _ first: PageRequest, _ pages: [FuzzedPage], _ home: HTTPURL) {
  // The second has only read pages in another layout.
  var (walker, second) = (walker, walker)
  var request = first
  for page in pages {
    let before = walker
    var other = walker
    let outcome = Outcome(&other, request, page.head, page.document)
    let again = Outcome(&second, request, page.head, parsed(relaid(page.document.bytes)))
    promise(outcome == again, "laid out otherwise: \(again), not \(outcome)")

    let step: Walker.Step
    do throws(NextError) {
      step = try walker.take(request, page.head, page.document, after: WalkProgress(dedupes: true))
    } catch { return }
    if before.pages == 0, let shape = walker.shape, let options = WalkOptions(walker.options, typed: shape) {
      guard var typed = attempt({ () throws(NextError) in try Walker(options, first: first) }) else {
        return promise(false, "what was found cannot be typed: \(shape.found(beyond: walker.options))")
      }
      let told = Outcome(&typed, request, page.head, page.document)
      promise(told == outcome, "\(shape.found(beyond: walker.options)): \(told), not \(outcome)")
    }
    promise(walker.pages == before.pages + 1, "miscounted")
    promise(step.end.map { step.page.items.indices.contains($0) } ?? true, "ends at no item")
    guard case .next(let next) = step.outcome else { return }
    check(next, after: request, walker, home)
    request = next
  }
}

extension WalkOptions {
  /// As if the detected options had been typed; nil until all are detected.
  fileprivate init?(_ options: WalkOptions, typed shape: Shape) {
    guard let next = shape.next, let items = shape.place else { return nil }
    self = options
    rules = next.texts.compactMap { try? NextRule.parse($0) }
    self.items = try? ItemPlace(items.text)
    id = shape.id
    total = shape.total.flatMap { try? TotalPlace($0.text) }
    hasMore = shape.hasMore.flatMap { try? HasMore($0.text) }
  }
}

/// Checks a request that a page has led to.
private func check(_ next: PageRequest, after request: PageRequest, _ walker: Walker, _ home: HTTPURL) {
  promise(PageRequest(json: next.json) == next, "not the same when stored: \(next)")
  guard let url = try? HTTPURL(next.url) else { return promise(false, "no URL: \(shown(next.url))") }
  promise(Array(url.text.utf8) == next.url && url.user == nil, "not as it is sent: \(shown(next.url))")
  let options = walker.options
  let isAllowed = (options.allowedHosts + options.trustedHosts).contains { $0.matches(url) }
  promise(url.origin == home.origin || isAllowed && url.isSecure, "\(shown(next.url)) must not be followed")
  for header in next.headers { promise(isSendable(header.value), "no header: \(header)") }
  for rule in walker.shape?.next?.rules ?? [] {
    if case .body = rule.target { promise((try? JSONDocument(parsing: next.body ?? [])) != nil, "\(next)") }
  }
  // One query parameter: nothing else may have changed.
  guard let rules = walker.shape?.next?.rules, rules.count == 1, case .query(let name) = rules[0].target else { return }
  let (old, new) = (QueryString(request.url), QueryString(next.url))
  let decoded = name.percentDecoded
  promise(new.names.filter { $0 != decoded } == old.names.filter { $0 != decoded }, "\(shown(next.url))")
  var (back, same) = (new, old)
  for text in [old.value(of: name) ?? []] {
    back.set(name, to: text)
    same.set(name, to: text)
  }
  promise(back == same && next.body == request.body, "more than a parameter: \(shown(next.url))")
}
