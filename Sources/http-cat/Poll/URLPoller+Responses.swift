// What happens after a request: a response is compared, printed and saved; a failure is reported. In both cases the next
// request is added to the queue.

import FeedCore
import FeedHTTP

extension URLPoller {
  /// Reads the data that has come.
  /// - Returns: whether a response was complete, so that another request may start.
  mutating func advance() throws(ToolFailure) -> Bool {
    var isBusy = false
    var place = 0
    while place < running.count, !isFinished {
      let index = running[place].index
      var response: HTTPResponse?
      var failure: PollFailure?
      do { response = try running[place].exchange.advance() } catch {
        failure = PollFailure(error, of: resources[index].url)
      }
      if running[place].exchange.hasHead { resources[index].responseWait.end() }
      guard response != nil || failure != nil else {
        place += 1
        continue
      }
      isBusy = true
      queue.end(resources[index].url.origin)
      resources[index].responseWait.end()
      running.remove(at: place)
      if let response { try take(response, index) }
      if let failure { try fail(index, failure) }
    }
    return isBusy
  }

  private mutating func take(_ response: HTTPResponse, _ index: Int) throws(ToolFailure) {
    let time = Clock.now()
    let number = ids.next(at: time)
    let result: PollResult
    let wasOpen = resources[index].isOpen
    do {
      result = try resources[index].take(response, options) { validators, digest in
        KnownBody.id(number: number, validators, digest: digest)
      }
    } catch {
      return try fail(index, error)
    }
    log(response, result)
    if case .gone(let reason) = result { return try beginAnew(index, because: reason) }
    if !wasOpen { note(.open, of: resources[index], url: response.url) }
    var (meaning, failed) = (EndMarks.Meaning.nothing, [UInt8]())
    switch result {
    case .gone: break
    case .unchanged(let body): if let body { (meaning, failed) = (body.meaning(options.ends), body.text) }
    case .empty:
      if !resources[index].hasReportedEmpty { complain(response, "nothing to print (HTTP \(response.head.status))") }
      resources[index].hasReportedEmpty = true
    case .changed(let body):
      (meaning, failed) = (body.meaning(options.ends), body.text)
      let resource = resources[index]
      // A large body is written out while it is printed.
      try write { printer in printer.print(body, of: resource, response, now: time) }
      isFinished = printer.count >= options.limit
    }
    if let interval {
      let jitter = options.jitter == 0 ? 0 : options.jitter * Double.random(in: 0...1)
      resources[index].schedule(
        after: response.head, every: interval, longest: options.maxBackoff ?? 60, jitter: jitter, now: Clock.monotonic()
      )
      enqueue(index)
    } else {
      resources[index].isOver = true
    }
    try save(index, next: 0)
    if case .failure(let option) = meaning {
      let failure = EndMarks.failure(option, Array(failed.trimmed()), source: response.url.display)
      throw failure.saying { $0.hidingSecrets(of: response.request, and: []) }
    }
    if meaning == .end { isFinished = true }
  }

  /// Begins anew, because the server has forgotten the value of the last request. What came in between is missing.
  private mutating func beginAnew(_ index: Int, because reason: String?) throws(ToolFailure) {
    let resource = resources[index]
    let text = resource.values.gone(because: reason)
    if options.connection.printsNotes {
      printer.print(Note(.gap, url: resource.url.display, source: resource.name, reason: text))
    }
    resources[index].forget()
    // A server may forget each value at once, and must not be asked without a pause for that.
    if interval?.seconds == 0 { resources[index].polls.due = Clock.monotonic() + 1 }
    try save(index, next: 0)
    enqueue(index)
    guard !http.isSilent else { return }
    streams.say(Diagnostic(text + KeptValues.consequence, source: resource.url.display))
  }

  /// Handles a failed poll.
  /// - Throws: a failure that ends the tool.
  mutating func fail(_ index: Int, _ failure: PollFailure) throws(ToolFailure) {
    lastFailure = failure.failure
    let now = Clock.monotonic()
    let asked = failure.asked ?? 0
    if asked > 0, failure.isLimit { queue.hold(resources[index].url.origin, until: now + asked) }
    try save(index, next: asked > 0 ? Int(Clock.now() / 1000) + Int(asked * 1000) : 0)
    if failure.kind == .network(.local) { throw failure.failure }
    let isOver = failure.isFinal(hasSucceeded: resources[index].hasSucceeded || list != nil)
    let resource = resources[index]
    let pause = isOver ? nil : resources[index].fail(failure, now: now)
    note(failure, of: resource, pause: pause?.seconds)
    guard let pause else {
      resources[index].end()
      let failure = failure.failure.adding(isOver ? "" : resources[index].polls.gaveUp)
      if list == nil { throw failure }
      return streams.say(failure.diagnostic)
    }
    enqueue(index)
    guard pause.isReported || options.connection.isVerbose, !http.isSilent else { return }
    streams.say(failure.failure.diagnostic.adding(RetryPolicy.words("retrying", in: pause.seconds)))
  }

  /// Saves what is known, after it has been written out.
  private mutating func save(_ index: Int, next: Int) throws(ToolFailure) {
    guard checkpoint != nil else { return }
    try flush()
    try checkpoint?.finish(resources[index].known, resources[index].values, next: next)
  }

  // MARK: Messages

  /// Names the responses that do not come.
  mutating func reportLateResponses() {
    let now = Clock.monotonic()
    for (index, _) in running {
      guard let report = resources[index].responseWait.report(now) else { continue }
      let resource = resources[index]
      warn(report.words("no response"), resource.url.display, of: resource.name, isFirst: report.isFirst)
    }
  }

  /// Names something that does not come.
  /// - Parameters:
  ///   - source: a URL, as messages show it.
  ///   - name: of the feed.
  ///   - isFirst: whether it is always reported, and not only with `-v`.
  mutating func warn(_ text: String, _ source: String, of name: [UInt8]?, isFirst: Bool = true) {
    if options.connection.printsNotes { printer.print(Note(.waiting, url: source, source: name, reason: text)) }
    guard isFirst || options.connection.isVerbose, !http.isSilent else { return }
    streams.say(Diagnostic(text, source: source))
  }

  private func complain(_ response: HTTPResponse, _ text: String) {
    if !http.isSilent { streams.say(Diagnostic(text, source: response.url.display)) }
  }

  private func log(_ response: HTTPResponse, _ result: PollResult) {
    guard options.connection.isVerbose else { return }
    var words = "HTTP \(response.head.status)"
    if case .changed(let body) = result { words += ", \(body.text.count) bytes" }
    if case .unchanged = result { words += ", unchanged" }
    // Then nobody knows whether the body is complete.
    if response.head.status != 304, !response.head.marksEnd {
      words += "; the body ended with the connection"
    }
    complain(response, words)
  }

  // MARK: Notes

  // A resource is open from its first valid response until the next failure, so there is a note when something changes,
  // not at each poll.

  /// Notes a failed poll.
  /// - Parameters:
  ///   - resource: as it was before.
  ///   - pause: the wait in seconds; nil if there is no next poll.
  mutating func note(_ failure: PollFailure, of resource: Resource, pause: Double?) {
    let reason = failure.failure.message
    let code = failure.status
    if resource.isOpen || code != nil { note(.closed, of: resource, code: code, reason: reason) }
    if let pause { note(.retrying, of: resource, delay: pause, reason: reason) }
  }

  /// Notes the end of all polls.
  /// - Parameter reason: nil if the tool ends as it was told to.
  mutating func noteClosed(_ resources: [Resource], _ reason: String? = nil) {
    for resource in resources where resource.isOpen { note(.closed, of: resource, reason: reason) }
  }

  mutating func note(
    _ kind: Note.Kind, of resource: Resource, url: HTTPURL? = nil, code: Int? = nil, delay: Double? = nil,
    reason: String? = nil
  ) {
    guard options.connection.printsNotes else { return }
    let url = (url ?? resource.url).display
    printer.print(Note(kind, url: url, source: resource.name, code: code, delay: delay, reason: reason))
  }
}
