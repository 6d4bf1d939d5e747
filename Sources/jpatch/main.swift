import FeedCore

jpatch.main { (invocation, streams) throws(ToolFailure) in
  let options = try Options(invocation)
  switch options.mode {
  case .one: return try OneDocument(options: options, streams: streams).run()
  case .each:
    var each = try EachDocument(options, streams)
    return try each.run()
  case .follow:
    var follow = Follow(options, streams)
    return try follow.run()
  }
}
