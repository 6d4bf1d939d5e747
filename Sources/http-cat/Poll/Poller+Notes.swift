// What notes say of polls. A resource is open from the first answer that is taken to the next failure, so a note comes
// when something changes, and not at each poll.

import FeedCore
import FeedHTTP

extension Poller {
  /// An answer was taken.
  mutating func noteOpen(_ resource: Resource, at url: HTTPURL) {
    note(.open, of: resource, url: url)
  }

  /// A poll has failed.
  /// - Parameters:
  ///   - resource: as it was before.
  ///   - pause: how long to wait, in seconds; nil where there is no next poll.
  mutating func note(_ failure: PollFailure, of resource: Resource, pause: Double?) {
    let reason = failure.failure.message
    var code: Int?
    if case .status(let status) = failure.kind { code = status }
    if resource.isOpen || code != nil { note(.closed, of: resource, code: code, reason: reason) }
    if let pause { note(.retrying, of: resource, delay: pause, reason: reason) }
  }

  /// Nothing is asked any more.
  /// - Parameter reason: nil where the tool ends as it was told to.
  mutating func noteClosed(_ resources: [Resource], _ reason: String? = nil) {
    for resource in resources where resource.isOpen { note(.closed, of: resource, reason: reason) }
  }

  /// The server has asked an earlier run to wait.
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
