// If a wanted element is lost, the elements of its name inside it take its place (WantedElements).

import FeedCore

extension Splitter {
  /// Leaves the wanted element that has no end tag, at the end of an element around it, or of the input, or where the
  /// elements are nested too deep.
  /// - Returns: whether there are elements inside it that take its place. If not, the error shows what was expected.
  mutating func leaveUnclosed(_ bytes: borrowing Span<UInt8>, _ source: InputSource) throws(ToolFailure) -> Bool {
    let others = wanted.innerCount
    guard let first = wanted.first, !wanted.name.isEmpty, others > 0 || !wanted.kept.isEmpty else { return false }
    let more = others == 0 ? "" : others == 1 ? ", and 1 inside it has none" : ", and \(others) inside it have none"
    try report(XMLError("element '\(shortened(wanted.name))' has no end tag\(more)", at: first.start), source)
    wanted.loseAll()
    try settleLost(bytes, source)
    tokenizer.leave(to: first.depth - 1)
    wanted.leave(to: first.depth - 1)
    deepest = wanted.open.isEmpty ? .max : wanted.lastDepth
    return true
  }

  /// Writes the complete elements inside those that were lost, and keeps only the trees that are still needed.
  mutating func settleLost(_ bytes: borrowing Span<UInt8>, _ source: InputSource) throws(ToolFailure) {
    if !wanted.name.isEmpty, let outermost = wanted.open.first { selector.leave(to: outermost.depth - 1) }
    for inner in wanted.takeFreed() where !isDone {
      do { try writeInner(inner, at: wanted.freedDepth, bytes) } catch { try report(error, source) }
    }
    tokenizer.stopRecording(before: wanted.first?.node)
  }
}
