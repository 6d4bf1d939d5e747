import FeedCore
import FeedHTTP

sseCat.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation, streams)
  switch options.source {
  case .file(let file): return try printStream(file, options, streams)
  case .url(let url):
    var subscription = try EventSubscription(url, options, streams)
    var follower = Follower(
      options.connection, options.http,
      FollowedFeed(url.display, missing: "event stream", awaited: options.ends.awaited), streams)
    let status = try follower.run(&subscription)
    return try status == .yes ? subscription.pump.status : status
  }
}
