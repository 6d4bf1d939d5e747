import FeedCore

jdiff.main { (invocation, streams) throws(ToolFailure) in
  let options = try Options(invocation)
  if options.follows {
    var follow = try Follow(options, streams)
    return try follow.run()
  }
  return try Pair(options: options, streams: streams).run()
}
