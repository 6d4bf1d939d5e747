import FeedCore
import FeedHTTP

httpCat.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation, streams)
  if case .stream(let url) = options.task {
    var body = try EndlessBody(url, options, streams)
    var follower = Follower(
      options.connection, options.http,
      FollowedFeed(url.display, missing: "body", awaited: options.ends.awaited, isEndless: true), streams)
    let status = try follower.run(&body)
    return status == .yes && body.point.values.hasGap ? .no : status
  }
  var poller = try URLPoller(options, streams)
  return try poller.run()
}
