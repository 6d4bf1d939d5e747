// Notes about polls. A resource is open from its first valid response until the next failure, so there is a note when
// something changes, not at each poll.

import FeedCore
import FeedHTTP

extension URLPoller {
  /// Notes that a response was accepted, so the resource is open.
  mutating func noteOpen(_ resource: Resource, at url: HTTPURL) {
    note(.open, of: resource, url: url)
  }

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

  /// Notes that the server asked an earlier run to wait.
  mutating func noteHeld(_ resource: Resource, seconds: Double) {
    note(.held, of: resource, delay: seconds, reason: "the server has asked an earlier run to wait")
  }

  private mutating func note(
    _ kind: Note.Kind, of resource: Resource, url: HTTPURL? = nil, code: Int? = nil, delay: Double? = nil,
    reason: String? = nil
  ) {
    guard options.connection.printsNotes else { return }
    let url = (url ?? resource.url).display
    printer.print(Note(kind, url: url, source: resource.name, code: code, delay: delay, reason: reason))
  }
}
