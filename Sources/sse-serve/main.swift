import FeedCore

sseServe.main { (invocation, streams) throws(ToolFailure) in
  var server = try Server(try Options(invocation, streams), streams)
  return try server.run()
}
