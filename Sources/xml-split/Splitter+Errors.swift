// Errors and warnings: which are printed, which end the run, and how it goes on after one.

import FeedCore

extension Splitter {
  mutating func report(_ error: XMLError, _ source: InputSource) throws(ToolFailure) {
    try warnOfEntity(source)
    if !isSilent { try report(source.failure(error, window)) }
  }

  /// Ends with an error, or only reports it (--on-error skip); further errors are silent until something is right
  /// again.
  mutating func report(_ error: ToolFailure) throws(ToolFailure) {
    if options.atError == .stop { throw error }
    hasFailed = true
    if isSilent { return }
    isSilent = true
    try writer.flush()
    streams.say(error.diagnostic)
  }

  func tooLarge(_ record: WantedElement) -> XMLError {
    XMLError("an element of more than \(options.limits.maxToken) bytes (--max-size)", at: record.start)
  }

  /// Loses the open elements that are too large if they reach `end`.
  mutating func loseTooLarge(endingAt end: Int, _ source: InputSource) throws(ToolFailure) {
    let limit = options.limits.maxToken
    guard wanted.isTooLarge(endingAt: end, limit: limit) else { return }
    while let first = wanted.first, wanted.isTooLarge(endingAt: end, limit: limit) {
      if options.isNested { isSilent = false }
      try report(tooLarge(first), source)
      wanted.loseFirst()
    }
    let bytes = window.bytes
    try settleLost(bytes.span, source)
  }

  /// Continues after a tokenizer error. The wanted elements that are open are lost.
  mutating func recover(_ bytes: borrowing Span<UInt8>, _ source: InputSource) throws(ToolFailure) {
    faultCount += 1
    if let first = wanted.first { deepest = first.depth }
    wanted.loseAll()
    try settleLost(bytes, source)
    let start = tokenizer.offset
    let isRestart = tokenizer.depth == 0 && start < bytes.count && restartTag(at: start, bytes) == .yes
    let recovery = tokenizer.recover(bytes)
    let isBroken = recovery == .inBrokenElement
    let depth = tokenizer.depth - (isBroken ? 1 : 0)
    if depth < deepest {
      selector.leave(to: depth)
      if isBroken { selector.enterLost() }
      deepest = isBroken ? depth + 1 : .max
    }
    wanted.leave(to: depth)
    if !wanted.name.isEmpty { deepest = wanted.lastDepth }
    if recovery == .inLostDocument { (wanted, deepest) = (WantedElements(), 0) }
    if depth == 0 { writer.endDocument() }
    if isBroken, isRestart { joined.beginBrokenRoot(named: options.restartName ?? []) }
    wantNames()
  }

  /// Warns of elements that are not found. Before an error, because that may end the document or the run.
  mutating func warnOfEntity(_ source: InputSource) throws(ToolFailure) {
    if let warning = tokenizer.scanner.takeWarning() { try warn(warning, source) }
  }

  /// Prints a warning.
  /// - Parameter prefix: goes before it.
  mutating func warn(_ warning: XMLError, _ source: InputSource, prefix: String = "") throws(ToolFailure) {
    try writer.flush()
    streams.say(source.failure(warning, window, prefix: prefix).diagnostic)
  }
}
