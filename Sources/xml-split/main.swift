import FeedCore

xmlSplit.main { (invocation, streams) throws(ToolFailure) in
  var splitter = Splitter(try Options(invocation), streams)
  return try splitter.run()
}
