import FeedCore

xmlSplit.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  var splitter = Splitter(try Options(invocation), streams)
  return try splitter.run()
}
