// Requests and their parts: a query edited in place, compared with one that is split and joined again;
// percent-encoding, numbers, rules and stored requests that survive a round trip; secrets that are removed.
//
// The input is a URL or a form, then parts separated by 0xFF: a name, a value, a body, a rule, a number.

func fuzzRequest(_ bytes: [UInt8]) {
  let parts = Parts(bytes)
  let (text, name, value, body) = (parts[0], parts[1], parts[2], parts[3])
  for isForm in [false, true] {
    check(QueryString(text, isForm: isForm), NaiveQuery(text, isForm: isForm), name, value)
  }
  promise(value.percentEncoded().percentDecoded == value, "not decoded: \(value)")
  promise(QueryString.encodedName(value).percentDecoded == value, "not decoded: \(value)")
  for part in parts.all { promise(survives(rule: part), "another rule: \(shown(part))") }
  checkNumbers(parts[4], parts[5])
  checkNumbers(name, value)

  // Stored URLs are always text.
  let url = repaired(text)
  var request = PageRequest(url: url, method: ["GET", "POST"][body.count & 1], body: parts.count > 3 ? body : nil)
  if parts.count > 4 { request.setHeader(repaired(name), to: repaired(value)) }
  checkStored(request)
  if let read = PageRequest(json: text) { checkStored(read) }
  checkSecrets(request, named: name)
  checkURL(text, name, value)
}

/// An input divided into parts.
struct Parts {
  let all: [[UInt8]]

  init(_ bytes: [UInt8]) {
    all = bytes.split(separator: 0xFF, omittingEmptySubsequences: false).map(Array.init)
  }

  var count: Int { all.count }
  /// Empty if there is none.
  subscript(_ index: Int) -> [UInt8] { index < all.count ? all[index] : [] }
}

/// As UTF-8.
func repaired(_ bytes: [UInt8]) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).utf8) }

// MARK: Queries

/// A URL as the part before the query, the pieces between `&`, and the part after the query.
private struct NaiveQuery {
  var head: [UInt8] = []
  /// Nil if there is no `?`.
  var pieces: [[UInt8]]?
  var tail: [UInt8] = []

  init(_ text: [UInt8], isForm: Bool) {
    var rest = text
    if !isForm {
      let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.count
      tail = Array(text[end...])
      rest = Array(text[..<end])
      head = Array(rest.prefix { $0 != UInt8(ascii: "?") })
      if head.count == rest.count { return }
      rest.removeFirst(head.count + 1)
      head.append(UInt8(ascii: "?"))
    }
    pieces = rest.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map(Array.init)
  }

  static func name(_ piece: [UInt8]) -> [UInt8] { Array(piece.prefix { $0 != UInt8(ascii: "=") }) }

  /// The indices of the pieces with this name.
  func places(of name: [UInt8]) -> [Int] {
    (pieces ?? []).enumerated().filter { !$0.element.isEmpty && decoded(Self.name($0.element)) == name }.map(\.offset)
  }

  var text: [UInt8] {
    head + (pieces.map { Array($0.joined(separator: [UInt8(ascii: "&")])) } ?? []) + tail
  }
}

private func decoded(_ text: [UInt8]) -> [UInt8] { text.percentDecoded }

private func check(_ query: QueryString, _ naive: NaiveQuery, _ typed: [UInt8], _ value: [UInt8]) {
  let name = decoded(typed)
  promise(naive.text == query.text, "the model is wrong")
  let (names, places) = (query.names, naive.places(of: name))
  for known in Set(names) {
    let encoded = known.percentEncoded()
    promise(query.value(of: encoded) == query.pairs.first { $0.name == known }?.value, "no value: \(shown(known))")
    promise(query.values(of: encoded).count == names.filter { $0 == known }.count, "values: \(shown(known))")
  }

  var set = query
  set.set(typed, to: value)
  promise(set.value(of: typed) == value, "not what was set: \(shown(set.text))")
  if places.isEmpty {
    var appended = query
    appended.append(name, value)
    promise(set == appended && set.names == names + [name], "appended: \(shown(set.text))")
    let isRest = set.text.starts(with: naive.head.isEmpty ? [] : query.text.dropLast(naive.tail.count))
    promise(isRest && set.text.reversed().starts(with: naive.tail.reversed()), "changed: \(shown(set.text))")
  } else {
    var expected = naive
    for place in places {
      let name = NaiveQuery.name(naive.pieces?[place] ?? [])
      expected.pieces?[place] = name + Array("=".utf8) + value.percentEncoded()
    }
    promise(set.text == expected.text, "\(shown(set.text)), not \(shown(expected.text))")
  }
  var again = set
  again.set(typed, to: value)
  promise(again == set, "set twice: \(shown(again.text))")

  var same = query
  promise(!same.edit { _, _ in nil } && same == query, "changed by nothing")
  same.remove { _, _ in false }
  promise(same == query, "nothing was taken out")
  same.edit { _, value in Array(value) }
  promise(same.names == names && decoded(same.text).count >= decoded(query.text).count, "put back: \(shown(same.text))")
  var less = query
  less.remove { found, _ in !found.isEmpty && decoded(Array(found)) == name }
  promise(name.isEmpty || less.names == names.filter { $0 != name }, "taken out: \(shown(less.text))")
}

/// Checks that libcurl reads an edited URL as its text says.
private func checkURL(_ text: [UInt8], _ name: [UInt8], _ value: [UInt8]) {
  for reference in [text, Array("https://h/".utf8) + text] {
    guard let url = try? HTTPURL(reference) else { continue }
    var query = QueryString(Array(url.text.utf8))
    let again = try? HTTPURL(query.text)
    promise(again?.text == url.text && again?.origin == url.origin, "another URL: \(url)")
    query.set(name, to: value)
    guard let next = try? HTTPURL(query.text) else { return promise(false, "no URL: \(shown(query.text))") }
    promise(Array(next.text.utf8) == query.text && next.origin == url.origin, "\(next), not \(shown(query.text))")
    promise(url.origin.hasPrefix("\(url.isSecure ? "https" : "http")://\(url.host):"), "\(url)")
  }
}

// MARK: Numbers and rules

private func checkNumbers(_ left: [UInt8], _ right: [UInt8]) {
  guard let a = DecimalText(left) else { return }
  let one = DecimalText(1)
  promise(DecimalText(a.text) == a && a.text.count <= left.count, "another number: \(shown(left))")
  promise(a - one < a && !(a < a) && !(a < a - one), "order of \(shown(left))")
  if !a.isNegative { promise(a + one - one == a && a < a + one, "before and after \(shown(left))") }
  if left.count < 18, let number = Int(shown(left)) {
    promise(a == DecimalText(number) && a - one == DecimalText(number - 1), "not \(number)")
  }
  guard let b = DecimalText(right) else { return }
  promise([a < b, b < a, a == b].filter { $0 }.count == 1, "order of \(shown(left)) and \(shown(right))")
  promise(!(a < b) || a - one < b - one, "order before \(shown(left)) and \(shown(right))")
  guard !a.isNegative, !b.isNegative else { return }
  promise(a + b == b + a && !(a + b < a), "sum of \(shown(left)) and \(shown(right))")
  if let x = Int(shown(left)), let y = Int(shown(right)), x < 1 << 60, y < 1 << 60 {
    promise(a + b == DecimalText(x + y) && (a < b) == (x < y), "\(x) and \(y)")
  }
}

/// Whether a rule survives the round trip through its text, as in a store.
private func survives(rule text: [UInt8]) -> Bool {
  if let rule = try? NextRule.parse(text), (try? NextRule.parse(rule.text)) != rule { return false }
  if let hasMore = try? HasMore(text), (try? HasMore(hasMore.text)) != hasMore { return false }
  return HostPattern(text) == nil || HostPattern(repaired(text)) == HostPattern(text)
}

// MARK: Stored requests

private func checkStored(_ request: PageRequest) {
  // No other URL is ever stored; a store with one is damaged.
  guard let url = try? HTTPURL(request.url), url.user == nil else { return }
  for header in request.headers {
    guard !header.name.isEmpty, header.name.allSatisfy(\.isTokenByte), isSendable(header.value) else { return }
  }
  let json = request.json
  promise(parsed(json).isCompact, "not on one line: \(shown(json))")
  guard let again = PageRequest(json: json) else { return promise(false, "not read: \(shown(json))") }
  promise(again == request, "\(again), not \(request)")
  promise(again.identity == request.identity, "another identity: \(shown(json))")
}

private func checkSecrets(_ request: PageRequest, named name: [UInt8]) {
  func key(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self).lowercased() }
  let secrets = SecretParameters([name], of: request, next: nil)
  let cut = secrets.redacted(request)
  promise(secrets.redacted(cut) == cut, "cut twice: \(shown(cut.url))")
  let (before, after) = (QueryString(request.url), QueryString(cut.url))
  for name in after.names where SecretParameters.certain.contains(key(name)) {
    promise(after.values(of: name.percentEncoded()).allSatisfy(\.isEmpty), "a secret stays: \(shown(cut.url))")
  }
  promise(after.names == before.names, "a parameter of the command line is gone: \(shown(cut.url))")
  if let body = cut.body, let root = try? JSONDocument(parsing: body).root, root.kind == .object {
    for child in root.children where SecretParameters.certain.contains(key(child.key?.string ?? [])) {
      promise(child.value.string?.isEmpty ?? true, "a secret stays: \(shown(body))")
    }
  }
  let hasSigns = NaiveQuery(request.url, isForm: false).pieces?.allSatisfy { $0.contains(UInt8(ascii: "=")) } ?? true
  if hasSigns { promise(secrets.restored(cut).url == request.url, "not put back: \(shown(request.url))") }
  promise(
    request.body.map { PageRequest.isJSON($0) } != true || secrets.restored(cut).body == request.body,
    "body: \(shown(request.body ?? []))")
}
