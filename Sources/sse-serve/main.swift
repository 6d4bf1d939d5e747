import FeedCore

sseServe.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  var server = try Server(try Options(invocation, streams), streams)
  return try server.run()
}
