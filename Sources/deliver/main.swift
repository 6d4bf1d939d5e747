import FeedCore

deliver.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  var delivery = try Delivery(try Options(invocation), streams)
  return try delivery.run()
}
