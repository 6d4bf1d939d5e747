import FeedCore
import FeedHTTP

wsCat.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation, streams)
  var subscription = try MessageSubscription(options, streams)
  var follower = Follower(
    options.connection, options.http,
    FollowedFeed(options.url.display, missing: "connection", awaited: options.ends.awaited), streams,
    signals: try naming(nil, Signals.caught()))
  let status: ExitStatus
  do { status = try follower.run(&subscription) } catch {
    if error == .brokenPipe { throw error }
    throw error.adding(subscription.unsentWords().map { "; " + $0 } ?? "")
  }
  if let words = subscription.unsentWords() { throw .failed(.tryAgain, words, source: options.url.display) }
  let isIncomplete = subscription.hasFoundNothing || subscription.point.values.hasGap
  return status == .yes && isIncomplete ? .no : status
}
