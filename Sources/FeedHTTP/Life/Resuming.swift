import FeedCore

/// A feed that goes on where its last connection ended: `--next` says by which value (`ResumePoint`).
package protocol Resuming: Followed {
  var point: ResumePoint { get set }
  /// Connects, and runs until the connection has ended, or until `point.isForgotten`.
  mutating func connectOnce(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding
}

extension Resuming {
  package var resumption: String { point.values.words }

  /// Connects. If the server has forgotten the value of the request, it connects anew, at once but only once: a server
  /// that forgets each value is not asked without a pause.
  package mutating func connect(_ follower: inout Follower) throws(ToolFailure) -> ConnectionEnding {
    for _ in 0..<2 {
      let carriesValue = !point.values.isEmpty
      let ending = try connectOnce(&follower)
      let reason: String?
      if point.isForgotten {
        reason = nil
      } else if carriesValue, case .refused(let refusal) = ending, point.options.isGone(refusal.head) {
        reason = refusal.message
      } else {
        return ending
      }
      let text = point.values.gone(because: reason)
      // What was printed is written out, and its values are saved.
      try flush()
      point.forget()
      try follower.reportGap(text, of: &self)
    }
    return .closed
  }
}

extension Follower {
  /// Reports that something is missing, because the server has forgotten the place.
  fileprivate func reportGap(_ text: String, of feed: inout some Resuming) throws(ToolFailure) {
    if options.printsNotes {
      try feed.print(Note(.gap, url: source, reason: text))
      try feed.flush()
    }
    complain(text + KeptValues.consequence)
  }
}
