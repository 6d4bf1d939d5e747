import FeedCore

wsCat.main { (invocation, streams) throws(ToolFailure) in
  let options = try Options(invocation, streams)
  var subscription = try Subscription(options, streams)
  return try subscription.run()
}
