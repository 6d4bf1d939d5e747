import FeedCore

/// What goes into the next request of a poll, a stream or a socket: the last value of each rule. A response or a line
/// without a value changes nothing. (In a walk, a page without a value is the last one: `NextRules.step`.)
package struct KeptValues: Equatable, Sendable {
  private let rules: [NextRule]
  /// The only target that moves; nil if there are several, or none.
  private let onlyTarget: NextRule.Target?
  /// As JSON, by the target as typed.
  private var values: [[UInt8]: [UInt8]] = [:]
  /// The values that the server has forgotten, until there are new ones. A checkpoint keeps them, so that the next run
  /// reports the gap too: this one may be killed before it has printed anything.
  private var forgotten: [[UInt8]: [UInt8]] = [:]
  /// Whether something is missing, because the server had forgotten a value.
  package private(set) var hasGap = false

  package init(_ rules: [NextRule] = []) {
    self.rules = rules
    let moving = rules.filter(\.moves)
    onlyTarget = moving.allSatisfy { $0.target == moving[0].target } ? moving.first?.target : nil
  }

  /// Whether there are rules.
  package var isUsed: Bool { !rules.isEmpty }

  /// Whether no value has come yet, so that the next request is the first one.
  package var isEmpty: Bool { values.isEmpty }

  /// Keeps what a response or a line has.
  /// - Returns: whether a value that moves is new.
  /// - Throws: if a place has something that cannot be sent.
  package mutating func take(_ response: NextResponse) throws(NextError) -> Bool {
    let before = values
    var found: Set<[UInt8]> = []
    for rule in rules where rule.moves && !found.contains(rule.target.text) {
      guard let value = try rule.keptValue(in: response) else { continue }
      values[rule.target.text] = value
      found.insert(rule.target.text)
    }
    guard values != before else { return false }
    for rule in rules where !rule.moves {
      if let value = try rule.value(in: response) { values[rule.target.text] = value.tree.bytes }
    }
    return true
  }

  /// The server has forgotten the values, so the next request is the first one again.
  package mutating func forget() { (forgotten, values, hasGap) = (values, [:], true) }

  /// The message about that.
  /// - Parameter reason: how the server said it; nil if `--gone-match` found it.
  package func gone(because reason: String?) -> String {
    "the server has forgotten the place\(words)" + (reason.map { ": " + $0 } ?? " (--gone-match)")
  }

  /// What follows from it, for the end of that message.
  package static let consequence = "; beginning anew, and something is missing"

  /// Where the next request goes on: ` after 12`. Empty if it is the first one.
  package var words: String { isEmpty ? "" : " after \(shortened(id.isEmpty ? json(of: values) : id))" }

  /// Makes a request ask for what comes next.
  /// - Throws: if the rules do not fit the request.
  package func apply(to request: inout HTTPRequest) throws(ToolFailure) {
    do throws(NextError) {
      if isEmpty { return try NextRule.check(NextRules(rules), request.page) }
      try request.become(self.request(from: request.page))
    } catch {
      throw error.failure(request.url.display)
    }
  }

  /// The first request with the values in it.
  func request(from first: PageRequest) throws(NextError) -> PageRequest {
    var next = first
    for rule in rules {
      if let value = values[rule.target.text] { next = try rule.setting(NextValue(keptAs: value), in: next) }
    }
    if next.body != nil, first.body == nil { next.method = "POST" }
    return next
  }

  // MARK: Records and checkpoints

  /// The value of the only target that moves, as it is sent: the ID of a record that resumes there. Empty if there are
  /// several, or if the value is no text and no number.
  package var id: [UInt8] { id(of: values) }

  private func id(of values: [[UInt8]: [UInt8]]) -> [UInt8] {
    guard let target = onlyTarget, let value = values[target.text] else { return [] }
    return NextValue(keptAs: value).text ?? []
  }

  /// Resumes after a record.
  /// - Parameter id: as `id` was then; nothing is kept of an empty one. In a body, a number is sent as a number.
  private mutating func resume(after id: [UInt8]) {
    guard !id.isEmpty, let target = onlyTarget else { return }
    var value = JSONText.string(id)
    if case .body = target, let number = try? JSONDocument(parsing: id), number.root.kind == .number {
      value = JSONTree(number.root)
    }
    values[target.text] = value.bytes
  }

  /// Checks that another program can keep the values in one ID (`--resume-from`).
  package static func checkOneID(_ rules: [NextRule]) throws(ToolFailure) {
    if rules.isEmpty || KeptValues(rules).onlyTarget != nil { return }
    throw .usage("one ID cannot say several values; keep them with '--checkpoint'")
  }

  /// The member of a checkpoint that has the values.
  private static let member = "values"

  /// Takes the values of a checkpoint, or its ID if another program keeps it.
  package mutating func resume(from saved: Checkpoint?) {
    guard let saved, isUsed else { return }
    if let json = saved.extra[Self.member] { return resume(from: json) }
    resume(after: saved.id)
  }

  /// Adds the values to a checkpoint, and makes them its ID.
  package func save(in checkpoint: inout Checkpoint) {
    guard isUsed else { return }
    let kept = isEmpty ? forgotten : values
    checkpoint.id = id(of: kept)
    if !kept.isEmpty { checkpoint.extra[Self.member] = json(of: kept) }
  }

  /// Values as an object, by the targets as typed.
  private func json(of values: [[UInt8]: [UInt8]]) -> [UInt8] {
    var output = ByteWriter()
    output.append("{")
    for (index, rule) in rules.enumerated() {
      let name = rule.target.text
      guard let value = values[name], !rules[..<index].contains(where: { $0.target == rule.target }) else { continue }
      if output.count > 1 { output.append(",") }
      JSONString.write(name, to: &output)
      output.append(":")
      output.append(value)
    }
    output.append("}")
    return output.take()
  }

  /// Takes the values of such an object; those of other rules are left out.
  private mutating func resume(from json: [UInt8]) {
    guard let root = try? JSONDocument(parsing: json).root else { return }
    for rule in rules {
      if let value = root.member(String(decoding: rule.target.text, as: UTF8.self)) {
        values[rule.target.text] = JSONTree(value).bytes
      }
    }
  }
}

extension NextRule {
  /// The value in a response, as JSON; a link with its base.
  fileprivate func keptValue(in response: NextResponse) throws(NextError) -> [UInt8]? {
    guard let value = try value(in: response) else { return nil }
    try check(value)
    guard target == .url else { return value.tree.bytes }
    guard let reference = try link(value, response) else { return nil }
    let base = response.url ?? (try? HTTPURL(response.first.url))
    guard let url = try? base?.resolving(reference) else { throw .response("the next link is malformed", at: 0) }
    return JSONText.string(Array(url.text.utf8)).bytes
  }
}

extension NextError {
  /// - Parameter source: the URL of the response or request, as messages show it.
  package func failure(_ source: String, record: String? = nil) -> ToolFailure {
    isUsage ? .usage(message) : .failed(.remote, message, source: source, record: record)
  }
}

extension NextValue {
  /// - Parameter json: a value of `KeptValues`.
  fileprivate init(keptAs json: [UInt8]) {
    let root = JSONDocument(known: json).root
    self = root.kind == .number ? .number(json) : .json(root)
  }
}

extension HTTPRequest {
  /// What of this request the rules of the next one can change.
  package var page: PageRequest { PageRequest(url: Array(url.text.utf8), method: method, body: body) }

  /// Asks for the next request, with the credentials and headers of this one.
  /// - Throws: if it would go to another origin, or is no URL.
  mutating func become(_ next: PageRequest) throws(NextError) {
    let target: HTTPURL
    do { target = try HTTPURL(next.url) } catch { throw .response("the next link is malformed", at: 0) }
    guard target.origin == url.origin else { throw .response("the next link leads to another server", at: 0) }
    (url, method, body) = (target, next.method, next.body)
    for header in next.headers { set(String(decoding: header.name, as: UTF8.self), header.value) }
  }
}
