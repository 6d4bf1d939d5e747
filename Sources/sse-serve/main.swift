import FeedCore

sseServe.main { (invocation: Invocation<Flag>, streams) throws(ToolError) in
  var server = try Server(try Options(invocation, streams), streams)
  return try server.run()
}
