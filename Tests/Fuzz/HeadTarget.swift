// The head of a page: links, rate limits and times. A field that is sent in several parts is read as one. A value that
// is read can be written and read again. No wait is negative or not a number.
//
// The input is the lines of a head; the first byte chooses its status.

func fuzzHead(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  let status = [200, 304, 400, 403, 408, 429, 500, 503][Int(first) & 7]
  let lines = bytes.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
  let head = madeHead(status, lines)
  let values = head.fields.map(\.value)
  for value in values + lines { checkLinks(value) }
  checkFields(head)
  checkWaits(head, body: lines.last ?? [])
  for value in values { checkTimes(value) }
  checkMoment(bytes)
}

/// A head as received.
func madeHead(_ status: Int, _ lines: [[UInt8]]) -> HTTPHead {
  var head = HTTPHead()
  _ = head.take(Array("HTTP/1.1 \(status) X".utf8))
  for line in lines where !line.starts(with: "HTTP/".utf8) { _ = head.take(line) }
  return head
}

// MARK: Links

private let sentinel = Array("<sentinel>;rel=s".utf8)

/// Whether a field's value is read to its end, so that another link can follow.
private func isWhole(_ value: [UInt8]) -> Bool {
  LinkHeader.parse(value + Array(",".utf8) + sentinel) == LinkHeader.parse(value) + LinkHeader.parse(sentinel)
}

private func checkLinks(_ value: [UInt8]) {
  let links = LinkHeader.parse(value)
  for link in links {
    promise(!link.target.contains(UInt8(ascii: ">")), "more than a target: \(link)")
    let isToken = link.relations.allSatisfy { relation in
      !relation.isEmpty && !relation.contains { " \t".utf8.contains($0) || (0x41...0x5A).contains($0) }
    }
    promise(isToken, "no relations: \(link)")
  }
  promise(LinkHeader.parse(Array(links.map(written).joined(separator: ", ".utf8))) == links, "\(links)")
  promise(LinkHeader.parse(Array(" ,\t, ".utf8) + value) == links, "with empty elements before it: \(shown(value))")
}

private func written(_ link: LinkHeader) -> [UInt8] {
  func quoted(_ text: [UInt8]) -> [UInt8] {
    Array("\"".utf8) + text.flatMap { "\"\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] } + Array("\"".utf8)
  }
  var text = Array("<".utf8) + link.target + Array(">".utf8)
  if let anchor = link.anchor { text += Array("; ANCHOR=".utf8) + quoted(anchor) }
  return text + Array(" ;rel = ".utf8) + quoted(Array(link.relations.joined(separator: " ".utf8)))
}

/// One field with several values equals several fields (RFC 9110 §5.3).
private func checkFields(_ head: HTTPHead) {
  let values = head.fields.filter { $0.name == "link" }.map(\.value)
  guard values.allSatisfy(isWhole) else { return }
  let joined = Array(values.joined(separator: ",".utf8))
  promise(LinkHeader.parse(joined) == values.flatMap(LinkHeader.parse), "in one field: \(shown(joined))")
  let one = madeHead(head.status, [Array("Link:".utf8) + joined])
  let page = try? HTTPURL(Array("https://h/a?b=c".utf8))
  for relation in ["next", "prev", "last"] {
    promise(
      LinkHeader.target(of: relation, in: head, page: page) == LinkHeader.target(of: relation, in: one, page: page),
      "\(relation) in one field: \(shown(joined))")
  }
}

// MARK: Waits

/// 2026-10-17T12:00:00.5Z
private let now: Int64 = 1_792_238_400_500_000

private func checkWaits(_ head: HTTPHead, body: [UInt8]) {
  let document = try? JSONDocument(parsing: body)
  let (alone, asked) = (AskedWait(head, now: now), AskedWait(head, document, now: now))
  for wait in [alone, asked] {
    promise(wait.seconds.isFinite && wait.seconds >= 0, "\(wait)")
    promise(wait.reason.isEmpty == (wait.seconds == 0), "\(wait)")
  }
  promise(asked.seconds >= alone.seconds, "a body that makes it shorter: \(asked)")
  if let reset = AskedWait(head, now: now).reset { promise(reset >= 0, "\(reset)") }
  guard let url = try? HTTPURL(Array("http://h/".utf8)) else { return }
  let verdict = StatusPolicy.verdict(head, document, to: HTTPRequest(url: url, userAgent: []))
  let isSuccess = (200..<300).contains(head.status) && (head.status != 206 || head.value(of: "next-range") != nil)
  promise((verdict == .taken || verdict == .empty) == isSuccess, "\(verdict) of \(head.status)")
  var policy = RetryPolicy(base: 0.5, .spread(longest: 60)) { 1 }
  guard case .wait(let seconds, _) = policy.fail(asked: asked.seconds) else { return promise(false, "given up") }
  promise(seconds >= asked.seconds && seconds >= 0.5, "\(seconds) for \(asked)")
}

private func checkTimes(_ value: [UInt8]) {
  if let seconds = AskedWait.retryAfter(value, now: now) { promise(seconds >= 0, "\(seconds): \(shown(value))") }
  guard let seconds = ISOTime(value)?.approximate else { return }
  promise(abs(seconds) < 4e11, "\(seconds): \(shown(value))")
  promise(HTTPDate.seconds(value, now: now) == nil, "a time of two kinds: \(shown(value))")
}

/// A time made of the bytes, in each form.
private func checkMoment(_ bytes: [UInt8]) {
  var cuts = Cuts(bytes)
  let seconds = Int(now / 1_000_000) + 1 + cuts.next(below: 40 * 366 * 86_400)
  func time(_ seconds: Int) -> CivilTime { CivilTime(microseconds: Int64(seconds) * 1_000_000) }
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  func clock(_ time: CivilTime) -> String { "\(two(time.hour)):\(two(time.minute)):\(two(time.second))" }
  let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  let there = time(seconds)
  let (day, month, year) = (two(there.day), months[there.month - 1], there.year)
  for text in [
    "Sun, \(day) \(month) \(year) \(clock(there)) GMT",
    "Sunday, \(day)-\(month)-\(two(year % 100)) \(clock(there)) GMT",
    "Sun \(month) \(there.day < 10 ? " " : "")\(there.day) \(clock(there)) \(year)",
  ] {
    promise(HTTPDate.seconds(Array(text.utf8), now: now) == seconds, "not \(seconds): \(text)")
  }
  let offset = cuts.next(below: 1440) * 60
  for sign in [1, -1] {
    let local = time(seconds + sign * offset)
    let zone = (sign > 0 ? "+" : "-") + "\(two(offset / 3600)):\(two(offset / 60 % 60))"
    let text = "\(local.year)-\(two(local.month))-\(two(local.day))T\(clock(local)).250\(zone)"
    promise(ISOTime(Array(text.utf8))?.approximate == Double(seconds) + 0.25, "not \(seconds): \(text)")
    let head = madeHead(429, [Array("X-RateLimit-Reset: \(text)".utf8)])
    let wait = Double(seconds) - Double(now) / 1_000_000 + 0.25
    promise(AskedWait(head, now: now).seconds == wait, "not a wait of \(wait) s: \(text)")
  }
}
