import FeedCore
import FeedHTTP

httpCat.main(run)

func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation, streams)
  if case .stream(let url) = options.task {
    var body = try EndlessBody(url, options, streams)
    var follower = Follower(
      options.connection, options.http, source: url.display, missing: "no body", rule: .stream, streams)
    let status = try follower.run(&body)
    if options.until != nil, !body.isFinished, let deadline = follower.deadline, Clock.monotonic() >= deadline {
      throw options.outOfTime("no match", source: url.display)
    }
    return status
  }
  var poller = try Poller(options, streams)
  return try poller.run()
}
