import FeedCore

deliver.main(run)

func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  var delivery = try Delivery(try Options(invocation), streams)
  return try delivery.run()
}
