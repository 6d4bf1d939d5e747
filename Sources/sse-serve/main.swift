import FeedCore

sseServe.main { (invocation, streams) throws(ToolError) in
  var server = try Server(try Options(invocation, streams), streams)
  return try server.run()
}
