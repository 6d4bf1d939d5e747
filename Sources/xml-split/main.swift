import FeedCore

xmlSplit.main { (invocation: Invocation<Flag>, streams) throws(ToolError) in
  var splitter = Splitter(try Options(invocation), streams)
  return try splitter.run()
}
